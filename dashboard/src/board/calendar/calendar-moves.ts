/** Moves cards to other days: shown at once, one request per card at a time. */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import type { Card } from '../../../../contract/dashboard.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { changeRecords } from '../data/board-actions.ts';
import { findCard, placeCard } from '../data/board-cache.ts';
import type { DateField } from './calendar-data.ts';
import { type Day, dayOfValue, valueOn } from './calendar-days.ts';
import { shortDay, wholeDay } from './calendar-words.ts';

interface Move {
  field: DateField;
  day: Day;
}

/** By card, while a request is under way: where it was moved to since. Only the last of these is sent. */
const underWay = new Map<string, Move | null>();

export async function moveToDay(card: Card, field: DateField, day: Day): Promise<void> {
  const { recordId, kanbanId } = card;
  if (recordId.startsWith('new-') || isOn(card, { field, day })) return;
  announce(t('calendar.moved', { title: shownTitle(card.title), day: wholeDay(day) }));
  if (underWay.has(recordId)) {
    underWay.set(recordId, { field, day });
    placeCard({ ...card, customFields: { ...card.customFields, ...valuesOf(card, { field, day }) } });
    return;
  }
  try {
    for (let next: Move | null = { field, day }; next; next = underWay.get(recordId) ?? null) {
      underWay.set(recordId, null);
      const now = findCard(kanbanId, recordId) ?? card;
      if (!isOn(now, next) && !(await send(now, next))) return;
    }
  } finally {
    underWay.delete(recordId);
  }
}

const isOn = (card: Card, { field, day }: Move) =>
  dayOfValue(field.type, card.customFields[field.id]) === day;

const valuesOf = (card: Card, { field, day }: Move) => ({
  [field.id]: valueOn(field.type, day, card.customFields[field.id]),
});

function send(card: Card, move: Move): Promise<boolean> {
  const done = t('calendar.moved', { title: shownTitle(card.title), day: shortDay(move.day) });
  return changeRecords(
    [card],
    { customFields: valuesOf(card, move) },
    { done, failed: t('board.moveFailed') },
  );
}
