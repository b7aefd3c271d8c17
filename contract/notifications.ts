/** The closed lists of notifications, separate from their schemas: the dashboard reads these without TypeBox. */
export const notificationKinds = [
  'message',
  'handover',
  'attention',
  'snooze_ended',
  'mention',
  'assigned',
  'sla_warning',
  'sla_breached',
  'webhook_disabled',
  'connector_failed',
  'task_reminder',
  'task_assigned',
  'comment_mention',
  'knowledge_review',
  'agent_limit',
  'rule',
  'rule_disabled',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** What a user can choose; `mention` is for notes and comments. The first three are messages of customers, by who is responsible for the conversation. */
export const notificationTopics = [
  'message_mine',
  'message_waiting',
  'message_any',
  'handover',
  'attention',
  'snooze_ended',
  'mention',
  'assigned',
  'sla_warning',
  'sla_breached',
  'task_reminder',
  'task_assigned',
  'webhook_disabled',
  'connector_failed',
  'knowledge_review',
  'agent_limit',
  'rule',
  'rule_disabled',
] as const;
export type NotificationTopic = (typeof notificationTopics)[number];

/** A conversation that needs a person; the reason may follow. Shown in the reader's language. */
export const attentionNotificationBody = 'This conversation needs a person.';

/** The body of a message without text; shown in the reader's language. */
export const fileNotificationBody = 'Sent a file';

/** The conversation has a new owner, who is the reader. Shown in the reader's language. */
export const assignedNotificationBody = 'Assigned this conversation to you.';
/** The same, if the service chose the owner. */
export const autoAssignedNotificationBody = 'This conversation was assigned to you automatically.';

/** A handover that the customer asked for. Shown in the reader's language. */
export const personRequestedNotificationBody = 'The customer asked for a person.';
