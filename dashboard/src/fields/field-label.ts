import type { KanbanField } from '../../../contract/crm/kanbans.ts';
import { t } from '../texts/texts.ts';

/** The displayed name of a field. System fields are translated unless they were renamed. */
export function fieldLabel({ name, isSystem }: Pick<KanbanField, 'name' | 'isSystem'>): string {
  if (isSystem && name === 'Phone') return t('fields.type.phone');
  if (isSystem && name === 'E-mail') return t('fields.type.email');
  return name;
}
