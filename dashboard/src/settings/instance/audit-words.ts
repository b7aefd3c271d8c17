/** The audit log's own names in words. An action that is not known here is shown as it is. */
import { hasText, type TextKey, t } from '../../texts/texts.ts';
import type { NameOf } from './audit-names.ts';

export const targetTypes = [
  'user',
  'business_hours',
  'sla_policy',
  'automation',
  'automation_run',
  'team',
  'label',
  'copilot',
  'knowledge_source',
  'knowledge_document',
  'knowledge_question',
  'knowledge_gap',
  'knowledge_collection',
  'knowledge_settings',
  'help_center',
  'api_token',
  'kanban',
  'field',
  'field_group',
  'channel',
  'agent',
  'tool',
  'mcp_server',
  'contact',
  'message',
  'webhook',
  'webhook_delivery',
  'account',
  'record',
  'session',
  'erasure',
  'job',
  'invitation',
  'role',
] as const;

/** What the log can be narrowed to; an action that is missing here is shown all the same. */
export const actions = [
  'login',
  'login_failed',
  'account.suspended',
  'job.retried',
  'job.discarded',
  'account.resumed',
  'account.deletion_requested',
  'account.restored',
  'message.deleted',
  'retention.updated',
  'copilot.updated',
  'backup.requested',
  'record.deleted',
  'records.exported',
  'import.started',
  'role.created',
  'role.updated',
  'role.deleted',
  'user.created',
  'user.refused',
  'user.updated',
  'user.deleted',
  'user.password_changed',
  'user.password_reset',
  'user.reset_link_created',
  'user.reset_mail_failed',
  'user.login_link_created',
  'user.identity_linked',
  'invitation.created',
  'invitation.sent',
  'invitation.link_created',
  'invitation.withdrawn',
  'invitation.accepted',
  'user.totp_added',
  'user.totp_removed',
  'user.passkey_added',
  'user.passkey_removed',
  'user.recovery_codes_renewed',
  'user.factors_reset',
  'sla_policy.created',
  'sla_policy.updated',
  'sla_policy.deleted',
  'business_hours.created',
  'business_hours.updated',
  'business_hours.deleted',
  'team.created',
  'team.updated',
  'team.deleted',
  'label.created',
  'label.updated',
  'label.deleted',
  'knowledge_source.created',
  'knowledge_source.updated',
  'knowledge_source.deleted',
  'knowledge_run.started',
  'knowledge_run.cancelled',
  'knowledge_run.published',
  'knowledge_document.created',
  'knowledge_document.updated',
  'knowledge_document.deleted',
  'knowledge_question.created',
  'knowledge_question.deleted',
  'knowledge_gap.dismissed',
  'knowledge_collection.created',
  'knowledge_collection.updated',
  'knowledge_collection.deleted',
  'knowledge_settings.updated',
  'help_center.updated',
  'api_token.created',
  'api_token.updated',
  'api_token.transferred',
  'api_token.deleted',
  'kanban.created',
  'kanban.updated',
  'kanban.deleted',
  'kanban.statuses_changed',
  'kanban.members_changed',
  'field.created',
  'field.updated',
  'field.deleted',
  'field_group.created',
  'field_group.updated',
  'field_group.deleted',
  'channel.created',
  'channel.updated',
  'channel.deleted',
  'channel.secret_rotated',
  'connector.saved',
  'connector.removed',
  'connector.connected',
  'connector.disconnected',
  'connector.retried',
  'scheduled_message.created',
  'scheduled_message.updated',
  'scheduled_message.cancelled',
  'widget.updated',
  'widget.secret_rotated',
  'agent.created',
  'agent.updated',
  'agent.published',
  'agent.rolled_back',
  'agent.deleted',
  'mcp_server.created',
  'mcp_server.refreshed',
  'mcp_server.deleted',
  'tool.created',
  'tool.updated',
  'tool.deleted',
  'webhook.created',
  'automation.created',
  'automation.updated',
  'automation.deleted',
  'automation.disabled',
  'automation.reordered',
  'automation.hook_rotated',
  'automation.secret_rotated',
  'automation_run.cancelled',
  'automation_run.retried',
  'webhook.updated',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.secret_rotated',
  'webhook.redelivered',
  'webhook.replayed',
  'webhook_settings.updated',
  'contact.blocked',
  'contact.unblocked',
  'contact.updated',
  'contact.merged',
  'contact.merge_undone',
  'contact.offer_dismissed',
  'contact.erasure_requested',
  'contact.erased',
  'contact.exported',
  'session.transcript_requested',
  'session.deletion_requested',
  'account.created',
  'account.updated',
  'account.security_changed',
] as const;

/** As the name of a choice, not in the middle of a sentence. */
export function actionTitle(action: string): string {
  const name = actionName(action);
  return name.charAt(0).toLocaleUpperCase() + name.slice(1);
}

export function actionName(action: string): string {
  const key = `audit.action.${action}`;
  return hasText(key) ? t(key as TextKey & `audit.action.${string}`) : action;
}

export interface ShownChange {
  name: string;
  before: string | null;
  after: string | null;
}

export function shownChanges(changes: AuditChanges, nameOf: NameOf): ShownChange[] {
  const shown = (value: unknown) => textOf(withNames(value, nameOf));
  return Object.entries(changes).map(([name, change]) => {
    if (isStep(change)) return { name, before: shown(change.from), after: shown(change.to) };
    return { name, before: null, after: shown(change) };
  });
}

type AuditChanges = { [name: string]: unknown };

const isStep = (change: unknown): change is { from: unknown; to: unknown } =>
  typeof change === 'object' && change !== null && 'to' in change;

/** Ids of what still exists, alone or in a list, as names; anything else stays as it is. */
function withNames(value: unknown, nameOf: NameOf): unknown {
  if (typeof value === 'string') return nameOf(value) ?? value;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return value;
  return value.map((item) => nameOf(item) ?? item).join(', ');
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string') return cut(value);
  return cut(JSON.stringify(value));
}

const cut = (text: string) => (text.length > 600 ? `${text.slice(0, 600)} …` : text);
