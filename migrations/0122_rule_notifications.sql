-- kind: expand
-- Of the step notify of a rule, of a rule that was switched off, and of targets of service levels.
alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check check (kind in ('message', 'handover', 'attention',
  'snooze_ended', 'mention', 'assigned', 'webhook_disabled', 'connector_failed', 'task_reminder', 'task_assigned',
  'comment_mention', 'knowledge_review', 'agent_limit', 'rule', 'rule_disabled', 'sla_warning',
  'sla_breached')) not valid;
