-- kind: expand
-- Requests to the inbound address whose signature was wrong, since the connector was saved.
alter table connectors add column rejected_count bigint not null default 0;
alter table connectors add column last_rejected_at bigint;
