-- kind: expand
-- The id that the client gave a record, a task or a comment when it created it (docs/decisions.md, D-452).
alter table records add column client_id text;
alter table tasks add column client_id text;
alter table record_comments add column client_id text;
