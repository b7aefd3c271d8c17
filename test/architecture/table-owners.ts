/** Who writes which table, who reads tables of others, and the exceptions, each with its reason. */
import { removers } from './removers.ts';

/**
 * The one folder that writes each table: a feature by its name, or a folder of platform/. Triggers and functions of the
 * database are not listed; they belong to the owner of the table that they write.
 */
export const tableOwners: Readonly<Record<string, string>> = {
  accounts: 'accounts',
  users: 'accounts',
  roles: 'accounts',
  user_sessions: 'accounts',
  api_tokens: 'accounts',
  login_failures: 'accounts',
  user_totp: 'accounts',
  user_recovery_codes: 'accounts',
  user_passkeys: 'accounts',
  spent_sign_in_tickets: 'accounts',
  audit_log: 'accounts',

  user_identities: 'sign-in',
  oidc_used_states: 'sign-in',
  invitations: 'sign-in',
  sign_in_links: 'accounts',

  teams: 'teams',
  team_members: 'teams',
  labels: 'labels',

  events: 'platform/events',
  live_changes: 'platform/events',
  jobs: 'platform/jobs',
  housekeeping_steps: 'platform/jobs',
  idempotency_keys: 'platform/http',
  rate_limit_counters: 'platform/limits',
  rate_limit_hits: 'platform/limits',
  rate_limit_leases: 'platform/limits',
  storage_usage: 'platform/limits',
  instance_secrets: 'platform/secrets',
  api_nodes: 'platform/nodes',
  cells: 'platform/cells',
  cell_accounts: 'platform/cells',
  cell_channels: 'platform/cells',
  cell_emails: 'platform/cells',
  account_moves: 'platform/cells',
  account_fences: 'platform/cells',
  account_move_changes: 'platform/cells',

  kanbans: 'kanbans',
  kanban_statuses: 'kanbans',
  field_groups: 'kanbans',
  kanban_fields: 'kanbans',
  kanban_members: 'kanbans',

  records: 'records',
  record_deletions: 'records',
  record_status_changes: 'records',
  deleted_field_values: 'records',

  tasks: 'tasks',
  record_comments: 'comments',

  imports: 'imports',
  import_results: 'imports',

  agents: 'channels',
  agent_kanbans: 'channels',
  channels: 'channels',
  web_identifiers: 'channels',

  pending_replies: 'pending-replies',
  reply_log: 'pending-replies',

  blocked_contacts: 'blocked-contacts',
  attachments: 'attachments',

  sessions: 'sessions',
  session_records: 'sessions',
  session_changes: 'sessions',
  ai_pauses: 'sessions',
  contact_key_version: 'sessions',

  contacts: 'contacts',
  contact_identifiers: 'contacts',
  contact_merges: 'contacts',
  contact_merge_offers: 'contacts',
  contact_backfill: 'contacts',
  contact_blocks: 'blocked-contacts',

  assignment_turns: 'assignment',
  session_ratings: 'ratings',

  messages: 'messages',
  early_receipts: 'messages',
  message_parts: 'messages',
  scheduled_messages: 'messages',

  connector_outbound: 'connectors',
  connector_pace: 'connectors',
  mail_messages: 'connectors',

  macros: 'macros',

  connectors: 'connectors',
  connector_pollers: 'connectors',
  connector_inbound: 'connectors',
  connector_items: 'connectors',
  connector_templates: 'connectors',
  connector_erased_keys: 'connectors',

  ai_reply_usage: 'ai-replies',

  saved_views: 'dashboard-api',
  saved_replies: 'dashboard-api',

  conversation_figures: 'reports',
  demos: 'demo',
  first_run: 'first-run',

  webhook_inboxes: 'webhook-inbox',
  webhook_inbox_requests: 'webhook-inbox',

  webhooks: 'webhooks',
  webhook_filters: 'webhooks',
  webhook_deliveries: 'webhooks',
  webhook_attempts: 'webhooks',
  delivery_workers: 'webhooks',

  erasures: 'erasures',
  retention: 'retention',
  backups: 'platform/db',
  backup_runs: 'platform/backups',

  live_log: 'realtime',
  live_heads: 'realtime',
  live_state: 'realtime',
  live_notified: 'realtime',
  live_tickets: 'realtime',
  live_presence: 'realtime',
  live_signals: 'realtime',
  notifications: 'realtime',
  notification_settings: 'realtime',
  push_keys: 'realtime',
  push_subscriptions: 'realtime',

  widget_settings: 'widget-api',
  widget_uploads: 'widget-api',
  widget_upload_usage: 'widget-api',
};

/** Files that write a table of another owner, because nobody may import that owner. */
export const otherWriters: Readonly<Record<string, readonly string[]>> = {
  // An event and its deliveries are one statement with the change they tell of, and nobody imports webhooks.
  'server/platform/events/outbox.ts': ['webhook_deliveries'],
  'server/platform/events/awaited-event.ts': ['webhook_deliveries'],
  // A message and its send are one statement, and connectors is below messages.
  'server/features/messages/messages.outbound.sql.ts': ['connector_outbound'],
  // The endpoint behind a channel is a row beside the webhooks; channels may not import webhooks.
  'server/platform/events/endpoints.ts': ['webhooks'],
  // Removing the demo deletes its notifications; demo may not import realtime.
  'server/features/demo/demo.remove.sql.ts': ['notifications'],
  // An account comes to another cell with all its rows. They are no news there, and its live updates begin anew.
  'server/platform/cells/move/rows.sql.ts': ['live_changes', 'live_heads', 'live_log'],
  // A restore does not continue the job that made the backup.
  'server/platform/backups/restore.sql.ts': ['jobs'],
  // The file and the messages that have it change together; messages is below attachments.
  'server/features/attachments/attachments.access.sql.ts': ['mail_messages', 'messages'],
  // What removes messages, people and accounts is in a few files, to be compared with the tables of the catalogue.
  ...removers,
};

/** These write every table, by name. */
export const writesEveryTable = [
  'server/platform/cells/move/rows.sql.ts',
  'server/platform/secrets/rotate-key.ts',
  'server/platform/backups/restore.sql.ts',
  'server/features/account-deletion/account-deletion.sql.ts',
  'cli/doctor/doctor.engine.sql.ts',
];

/**
 * Functions that return a part of a statement and that other features may use, so that a send stays one statement:
 * `<feature>.<function>`. All others return rows or nothing.
 */
export const fragmentFunctions: readonly string[] = [
  'records.recordInsert',
  'sessions.writeSession',
  'sessions.advanceSessions',
  'sessions.linkRecord',
  'sessions.insertSessionChange',
  'sessions.insertAiPause',
  'pending-replies.permitReplies',
  'contacts.contactParts',
];

/** Files that read tables of other owners, and which. */
export const readModels: Readonly<Record<string, readonly string[]>> = {
  'cli/accounts.sql.ts': ['accounts'],
  'cli/sign-in.sql.ts': ['users'],
  // Whether an account of a backup collides, and whether it has files.
  'server/platform/backups/account.sql.ts': ['accounts', 'attachments', 'users'],
  // Of several databases: which one has it.
  'server/platform/cells/directory.sql.ts': ['accounts', 'channels', 'users'],
  'server/platform/cells/repair.sql.ts': ['accounts', 'channels', 'users'],
  'server/platform/cells/move/moves.sql.ts': ['accounts', 'users'],
  // Work under way, which must end before an account leaves.
  'server/platform/cells/move/fence.sql.ts': ['connector_outbound', 'jobs', 'webhook_deliveries'],
  'server/platform/cells/move/rows.sql.ts': ['live_changes', 'live_log', 'live_notified'],
  'server/platform/cells/lookup.sql.ts': [
    'accounts',
    'api_tokens',
    'channels',
    'live_tickets',
    'user_sessions',
    'users',
    'web_identifiers',
    'webhook_inboxes',
  ],
  // How much waits in each queue.
  'server/features/system/system.sql.ts': [
    'accounts',
    'connector_inbound',
    'connector_items',
    'connector_outbound',
    'jobs',
    'storage_usage',
    'webhook_deliveries',
  ],
  'server/features/ai-replies/ai-replies.sql.ts': [
    'pending_replies',
    'records',
    'session_records',
    'sessions',
  ],
  'server/features/assignment/assignment.sql.ts': [
    'channels',
    'live_presence',
    'roles',
    'sessions',
    'team_members',
    'users',
  ],
  'server/features/attachments/attachments.access.sql.ts': [
    'mail_messages',
    'messages',
    'scheduled_messages',
    'sessions',
  ],
  'server/features/blocked-contacts/blocked-contacts.contacts.sql.ts': [
    'channels',
    'contact_identifiers',
    'sessions',
  ],
  'server/features/channels/channels.directory.sql.ts': ['accounts', 'connectors'],
  'server/features/channels/channels.sql.ts': ['sessions'],
  'server/features/contacts/contacts.backfill.sql.ts': ['blocked_contacts'],
  'server/features/contacts/contacts.erase.sql.ts': ['contact_blocks', 'sessions'],
  'server/features/contacts/contacts.merge.sql.ts': ['sessions'],
  'server/features/contacts/contacts.sql.ts': [
    'contact_blocks',
    'erasures',
    'records',
    'session_records',
    'sessions',
  ],
  'server/features/dashboard-api/dashboard-api.inbox.sql.ts': ['events', 'messages', 'records', 'sessions'],
  'server/features/dashboard-api/dashboard-api.sql.ts': [
    'agents',
    'api_tokens',
    'blocked_contacts',
    'channels',
    'contact_blocks',
    'events',
    'messages',
    'record_comments',
    'records',
    'sessions',
    'tasks',
    'users',
  ],
  'server/features/demo/demo.remove.sql.ts': [
    'channels',
    'kanbans',
    'messages',
    'records',
    'session_records',
    'sessions',
  ],
  'server/features/demo/demo.sql.ts': ['audit_log', 'kanbans', 'messages', 'records', 'sessions'],
  'server/features/erasures/erasures.connectors.sql.ts': ['channels'],
  'server/features/erasures/erasures.export.sql.ts': [
    'messages',
    'record_comments',
    'records',
    'scheduled_messages',
    'session_ratings',
    'session_records',
    'tasks',
  ],
  'server/features/erasures/erasures.person.sql.ts': [
    'channels',
    'records',
    'session_records',
    'widget_uploads',
  ],
  'server/features/first-run/first-run.sql.ts': [
    'api_tokens',
    'channels',
    'messages',
    'records',
    'sessions',
    'webhook_deliveries',
    'webhook_inbox_requests',
    'webhooks',
  ],
  'server/features/imports/imports.sql.ts': ['jobs'],
  'server/features/kanbans/kanbans.definitions.sql.ts': ['accounts'],
  'server/features/message-search/account-index/message-search.source.sql.ts': [
    'live_changes',
    'live_heads',
    'live_log',
    'live_state',
    'messages',
    'sessions',
  ],
  'server/features/connectors/connectors.sql.ts': ['channels'],
  'server/features/connectors/outbound/connectors.outbound-log.sql.ts': ['messages', 'sessions'],
  'server/features/connectors/outbound/connectors.claim.sql.ts': ['channels'],
  'server/features/connectors/outbound/connectors.outbound.sql.ts': ['sessions'],
  'server/features/connectors/outbound/connectors.recipient.sql.ts': [
    'contact_identifiers',
    'messages',
    'sessions',
  ],
  'server/features/connectors/inbound/connectors.inbound.sql.ts': ['channels'],
  'server/features/connectors/inbound/connectors.items.sql.ts': ['contact_identifiers', 'sessions'],
  'server/features/connectors/mail/connectors.mail.sql.ts': ['sessions'],
  'server/features/connectors/inbound/connectors.poll.sql.ts': ['channels'],
  'server/features/message-search/message-search.sql.ts': ['agents', 'channels', 'messages', 'sessions'],
  'server/features/messages/messages.place.sql.ts': ['sessions'],
  'server/features/messages/outgoing/messages.scheduled.sql.ts': ['roles', 'users'],
  'server/features/pending-replies/pending-replies.sql.ts': ['messages', 'sessions'],
  'server/features/realtime/realtime.load.sql.ts': ['accounts'],
  'server/features/realtime/realtime.notifications.sql.ts': [
    'ai_pauses',
    'api_tokens',
    'channels',
    'records',
    'reply_log',
    'roles',
    'session_changes',
    'sessions',
    'users',
    'webhooks',
  ],
  'server/features/realtime/realtime.people.sql.ts': [
    'records',
    'roles',
    'sessions',
    'user_sessions',
    'users',
  ],
  'server/features/realtime/realtime.push.sql.ts': ['users'],
  'server/features/records/lookup/records.lookup.sql.ts': ['accounts'],
  'server/features/reports/reports.conversations.sql.ts': [
    'ai_pauses',
    'channels',
    'messages',
    'reply_log',
    'sessions',
  ],
  'server/features/reports/reports.figures.sql.ts': ['messages', 'sessions'],
  'server/features/reports/reports.records.sql.ts': ['record_status_changes', 'records'],
  'server/features/reports/reports.resolutions.sql.ts': ['session_changes', 'sessions'],
  'server/features/reports/reports.satisfaction.sql.ts': ['channels', 'session_ratings', 'sessions', 'users'],
  'server/features/reports/reports.webhooks.sql.ts': [
    'accounts',
    'channels',
    'webhook_attempts',
    'webhook_deliveries',
    'webhooks',
  ],
  'server/features/retention/retention.remove.sql.ts': ['scheduled_messages'],
  'server/features/retention/retention.sql.ts': [
    'attachments',
    'audit_log',
    'events',
    'messages',
    'reply_log',
    'sessions',
  ],
  'server/features/search/account-index/search.source.sql.ts': [
    'accounts',
    'kanbans',
    'record_deletions',
    'records',
  ],
  'server/features/sessions/sessions.bulk.sql.ts': ['messages'],
  'server/features/sessions/sessions.contacts.sql.ts': ['channels'],
  'server/features/sessions/sessions.owner.sql.ts': ['kanban_members', 'kanbans', 'roles', 'users'],
  'server/features/sessions/sessions.past.sql.ts': ['channels', 'kanbans'],
  'server/features/sessions/sessions.open.sql.ts': ['blocked_contacts', 'channels', 'contact_blocks'],
  'server/features/sessions/sessions.sql.ts': ['channels', 'messages', 'records'],
  'server/features/tasks/tasks.sql.ts': ['records'],
  'server/features/webhook-inbox/webhook-inbox.sql.ts': ['webhooks'],
  'server/features/webhooks/webhooks.log.sql.ts': ['events'],
  'server/features/webhooks/webhooks.queue.sql.ts': ['events'],
  'server/features/widget-api/widget-api.settings.sql.ts': ['channels', 'web_identifiers'],
  // Part of statements that claim work.
  'server/platform/jobs/suspended.ts': ['accounts'],
  'server/platform/events/erase-events.ts': ['accounts', 'webhook_deliveries'],
  'server/platform/events/outbox.ts': ['webhooks'],
  'server/platform/limits/account-usage.ts': ['ai_reply_usage'],
};
