import type { KanbanField } from '../../../contract/kanbans.ts';
import { t } from '../texts/texts.ts';

/** What people read for a field. The API has English names for the system fields; one that was renamed keeps its name. */
export function fieldLabel({ name, isSystem }: Pick<KanbanField, 'name' | 'isSystem'>): string {
  if (isSystem && name === 'Phone') return t('fields.type.phone');
  if (isSystem && name === 'E-mail') return t('fields.type.email');
  return name;
}
