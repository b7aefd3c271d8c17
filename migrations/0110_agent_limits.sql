-- kind: expand
-- What an agent may do on its own: {"repliesPerSession", "costPerDay"}, and what it must never say, in the syntax of RE2.
alter table agents add column limits jsonb not null default '{}';
alter table agents add column blocked_patterns text[] not null default '{}';

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('message', 'handover', 'attention', 'snooze_ended', 'mention', 'assigned', 'webhook_disabled',
    'connector_failed', 'task_reminder', 'task_assigned', 'comment_mention', 'knowledge_review', 'agent_limit')) not valid;
