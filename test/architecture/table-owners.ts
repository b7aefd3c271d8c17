/** Who writes which table, and the exceptions, each with its reason. */
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

  search_files: 'search',
  search_erasures: 'search',

  business_hours: 'business-hours',
  sla_policies: 'service-levels',
  sla_states: 'service-levels',
  sla_results: 'service-levels',
  sla_queue: 'service-levels',
  sla_passes: 'service-levels',
  teams: 'teams',
  team_members: 'teams',
  labels: 'labels',

  events: 'platform/events',
  live_changes: 'platform/events',
  jobs: 'platform/jobs',
  housekeeping_steps: 'platform/jobs',
  processes: 'platform/jobs',
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
  cell_slugs: 'platform/cells',
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

  knowledge_state: 'knowledge',
  knowledge_sources: 'knowledge',
  knowledge_documents: 'knowledge',
  knowledge_versions: 'knowledge',
  knowledge_passages: 'knowledge',
  knowledge_embeddings: 'knowledge',
  knowledge_vectors: 'knowledge',
  knowledge_questions: 'knowledge',
  knowledge_gaps: 'knowledge',
  knowledge_unanswered: 'knowledge',
  knowledge_citations: 'knowledge',
  knowledge_deleted_documents: 'knowledge',
  knowledge_runs: 'knowledge',
  knowledge_run_pages: 'knowledge',
  knowledge_run_texts: 'knowledge',
  knowledge_web_pages: 'knowledge',
  knowledge_hosts: 'knowledge',
  knowledge_collections: 'knowledge',
  knowledge_images: 'knowledge',

  help_centers: 'help-center',
  help_slugs: 'help-center',
  help_feedback: 'help-center',
  help_voters: 'help-center',

  tools: 'tools',
  mcp_servers: 'tools',

  agents: 'channels',
  agent_drafts: 'channels',
  agent_kanbans: 'channels',
  agent_tools: 'channels',
  agent_knowledge_sources: 'channels',
  agent_versions: 'channels',
  channels: 'channels',
  web_identifiers: 'channels',

  pending_replies: 'pending-replies',
  reply_log: 'pending-replies',
  tool_calls: 'pending-replies',
  agent_test_cases: 'agent-tests',
  agent_test_runs: 'agent-tests',
  agent_test_results: 'agent-tests',

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

  assignment_turns: 'sessions',
  session_ratings: 'sessions',

  messages: 'messages',
  early_receipts: 'messages',
  message_parts: 'messages',
  scheduled_messages: 'messages',

  connector_outbound: 'connectors',
  connector_pace: 'connectors',
  mail_messages: 'connectors',

  macros: 'macros',

  inbox_views: 'inbox-views',

  connectors: 'connectors',
  connector_inbound: 'connectors',
  connector_items: 'connectors',
  connector_templates: 'connectors',
  connector_erased_keys: 'connectors',

  ai_reply_usage: 'ai-replies',

  automations: 'automations',
  automation_versions: 'automations',
  automation_listeners: 'automations',
  automation_causes: 'automations',
  automation_verdicts: 'automations',
  automation_runs: 'automations',
  automation_run_steps: 'automations',
  automation_timers: 'automations',
  automation_backtests: 'automations',
  automation_backtest_items: 'automations',

  saved_views: 'dashboard-api',
  saved_replies: 'dashboard-api',

  copilot_settings: 'copilot',
  copilot_suggestions: 'copilot',
  copilot_translations: 'copilot',
  copilot_summaries: 'copilot',

  conversation_figures: 'reports',
  traffic_blocks: 'reports',
  removed_figures: 'reports',
  demos: 'first-run',
  first_run: 'first-run',

  webhook_inboxes: 'webhooks',
  webhook_inbox_requests: 'webhooks',

  webhooks: 'webhooks',
  webhook_filters: 'webhooks',
  webhook_deliveries: 'webhooks',
  webhook_attempts: 'webhooks',

  erasures: 'privacy',
  retention: 'privacy',
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

/** Files that write a table of another owner, because no feature may import that owner. */
export const otherWriters: Readonly<Record<string, readonly string[]>> = {
  // An event and its deliveries are one statement with the change that they report, and no feature imports webhooks.
  'server/platform/events/outbox.ts': ['webhook_deliveries'],
  'server/platform/events/awaited-event.ts': ['webhook_deliveries'],
  // A message, the item it came as and its send are one statement, and connectors is below messages.
  'server/features/messages/messages.connectors.sql.ts': ['connector_items', 'connector_outbound'],
  // The endpoint behind a channel is a row beside the webhooks; channels may not import webhooks.
  'server/platform/events/endpoints.ts': ['webhooks'],
  // Removing the demo deletes its notifications; demo may not import realtime.
  'server/features/first-run/demo/demo.remove.sql.ts': ['notifications'],
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
  // Of tables that their owners describe (LeasedTable).
  'server/platform/jobs/leases.ts',
  'server/platform/secrets/rotate-key.ts',
  'server/platform/backups/restore.sql.ts',
  'server/features/privacy/account-deletion/account-deletion.sql.ts',
  'cli/doctor/doctor.engine.sql.ts',
];

/**
 * Functions that return a part of a statement and that other features may use, so that a send stays one statement:
 * `<feature>.<function>`. All others return rows or nothing.
 */
export const fragmentFunctions: readonly string[] = [
  'records.recordInsert',
  'sessions.insertSessions',
  'sessions.updateSessions',
  'sessions.linkRecord',
  'sessions.insertSessionChange',
  'sessions.insertAiPause',
  'pending-replies.permitReplies',
  'pending-replies.logReplies',
  'contacts.contactParts',
];
