-- kind: expand
create index sessions_sla_at on sessions (sla_at) where sla_at is not null;
create index sessions_sla_due on sessions (account_id, sla_due, session_id) where sla_due is not null;
