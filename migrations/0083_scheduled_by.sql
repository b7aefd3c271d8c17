-- kind: expand
-- Who scheduled a message that somebody else has changed since, and is its author now (docs/decisions.md, D-449).
alter table scheduled_messages add column scheduled_by jsonb;
