/** The filter rules in words; the outbox applies the same ones in SQL when it creates the deliveries. */
import type { FilterRule } from '../../../contract/webhooks.ts';

export interface Filters {
  events: readonly string[];
  kanbanIds: readonly string[];
  fieldIds: readonly string[];
}

export interface FilteredEvent {
  event: string;
  kanbanId: string | null;
  fieldId: string | null;
}

/** The first rule that excludes the event, or null if none does. */
export function filteredBy(
  { events, kanbanIds, fieldIds }: Filters,
  event: FilteredEvent,
): FilterRule | null {
  if (!events.includes(event.event)) return 'events';
  if (kanbanIds.length > 0 && !kanbanIds.includes(event.kanbanId ?? '')) return 'kanbanIds';
  if (event.event === 'crm_field_update' && fieldIds.length > 0 && !fieldIds.includes(event.fieldId ?? '')) {
    return 'fieldIds';
  }
  return null;
}
