/** The audit log's own names in words. An action that is not known here is shown as it is. */
import { hasText, type TextKey, t } from '../../texts/texts.ts';

export const targetTypes = [
  'user',
  'api_token',
  'kanban',
  'field',
  'field_group',
  'channel',
  'agent',
  'contact',
  'webhook',
  'webhook_delivery',
  'account',
] as const;

export function actionName(action: string): string {
  const key = `audit.action.${action}`;
  return hasText(key) ? t(key as TextKey & `audit.action.${string}`) : action;
}

export interface ShownChange {
  name: string;
  before: string | null;
  after: string | null;
}

export function shownChanges(changes: AuditChanges): ShownChange[] {
  return Object.entries(changes).map(([name, change]) => {
    if (isStep(change)) return { name, before: textOf(change.from), after: textOf(change.to) };
    return { name, before: null, after: textOf(change) };
  });
}

type AuditChanges = { [name: string]: unknown };

const isStep = (change: unknown): change is { from: unknown; to: unknown } =>
  typeof change === 'object' && change !== null && 'to' in change;

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'string') return cut(value);
  return cut(JSON.stringify(value));
}

const cut = (text: string) => (text.length > 600 ? `${text.slice(0, 600)} …` : text);
