-- kind: expand
-- What a reply was made of: the version of its agent, its cost in US dollars, the calls of tools with what they returned,
-- and which rules of the guard held it (null: it was not checked).
alter table reply_log add column agent_version integer;
alter table reply_log add column cost double precision;
alter table reply_log add column tool_calls jsonb;
alter table reply_log add column held_by text[];
