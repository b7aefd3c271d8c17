/** What templates of tools may have besides arguments. */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { KanbanDefinition } from '../kanbans/kanbans.ts';
import type { ServiceValues } from './tools.template.ts';

/** Of the card only fields that the AI may see. */
export function serviceValuesOf(
  session: Pick<Session, 'externalUserId' | 'sessionName'> | null,
  record: Pick<CrmRecord, 'customFields'> | null,
  kanban: KanbanDefinition | undefined,
): ServiceValues {
  const values = new Map<string, string>();
  if (session?.externalUserId) values.set('customer.id', session.externalUserId);
  if (session?.sessionName) values.set('customer.name', session.sessionName);
  for (const { id, aiVisible } of kanban?.fields.values() ?? []) {
    const value = record?.customFields[id];
    if (!aiVisible || value === undefined || value === null) continue;
    values.set(`card.${id}`, Array.isArray(value) ? value.join(', ') : String(value));
  }
  return values;
}
