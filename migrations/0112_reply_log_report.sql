-- kind: expand
-- What the report of the AI reads of each reply, without the rows, which hold what the reply was made of.
create index reply_log_report on reply_log (account_id, created_at)
  include (session_id, reply_id, agent_id, agent_version, outcome, provider, cost, handover_reason)
  where outcome in ('sent', 'held', 'failed');
