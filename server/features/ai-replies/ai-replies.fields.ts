/** Which fields of a conversation's cards an agent may see (`aiVisible`), and the values hidden from it. */
import type { FieldType } from '../../../contract/limits.ts';
import type { Definitions, FieldDefinition, KanbanDefinition } from '../kanbans/kanbans.ts';
import { repeatsValue } from './ai-replies.guard.ts';

/** A card of the conversation, on its board or on one that it was on before. */
export interface Card {
  kanbanId: string;
  customFields: { [fieldId: string]: unknown };
}

export interface CardTexts {
  /** Values of hidden fields, as texts to compare with. */
  hidden: string[];
  visible: string[];
}

export const visibleFields = (kanban: KanbanDefinition | undefined): FieldDefinition[] =>
  [...(kanban?.fields.values() ?? [])].filter((field) => field.aiVisible);

/** Most accounts have none, and then no card has to be read. */
export const hasHiddenFields = ({ kanbans }: Definitions): boolean =>
  [...kanbans.values()].some((kanban) => [...kanban.fields.values()].some((field) => !field.aiVisible));

export function textsOfCards({ kanbans }: Definitions, cards: readonly Card[]): CardTexts {
  const texts: CardTexts = { hidden: [], visible: [] };
  for (const { kanbanId, customFields } of cards) {
    for (const [id, value] of Object.entries(customFields)) {
      const field = kanbans.get(kanbanId)?.fields.get(id);
      if (field) (field.aiVisible ? texts.visible : texts.hidden).push(...textsOf(field.type, value));
    }
  }
  return texts;
}

/** The text itself, or null if it repeats a hidden value: a phone number is often also the customer's id. */
export function unlessHidden(text: string | null, { hidden }: CardTexts): string | null {
  return text !== null && repeatsValue(text, hidden, []) ? null : text;
}

function textsOf(type: FieldType, value: unknown): string[] {
  if (type === 'datetime' && typeof value === 'number') {
    const day = new Date(value).toISOString().slice(0, 10);
    return [String(value), ...dayTexts(day)];
  }
  if (type === 'date' && typeof value === 'string') return dayTexts(value);
  if (typeof value === 'number') {
    return Number.isInteger(value) ? [String(value)] : [String(value), value.toFixed(2)];
  }
  // A boolean has no text that a reply could repeat.
  return [value].flat().filter((one) => typeof one === 'string');
}

/** The digit formats of a date. */
function dayTexts(day: string): string[] {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return [day];
  const [mm, dd] = [month, date].map((part) => String(part).padStart(2, '0'));
  return [
    day,
    `${dd}/${mm}/${year}`,
    `${mm}/${dd}/${year}`,
    `${date}/${month}/${year}`,
    `${month}/${date}/${year}`,
  ];
}
