-- kind: expand
-- One attempt is kept in the row of its delivery: most deliveries need no other. Further ones, and those that an older
-- release has made, are in webhook_attempts (docs/decisions.md, D-420).
alter table webhook_deliveries
  add column attempt_at bigint,
  add column attempt_ms int,
  add column attempt_status int,
  add column attempt_error text,
  add column attempt_response text;
