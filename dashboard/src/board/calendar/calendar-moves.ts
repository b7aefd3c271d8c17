/** Moves cards to other days: shown at once, one request per card at a time. */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import type { Card } from '../../../../contract/dashboard.ts';
import { addEdits, findThing, isNewThing } from '../../data/store/entities.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { changeRecords } from '../data/board-actions.ts';
import type { DateField } from './calendar-data.ts';
import { type Day, dayOfValue, valueOn } from './calendar-days.ts';
import { shortDay, wholeDay } from './calendar-words.ts';

interface Move {
  field: DateField;
  day: Day;
}

/** By card, while a request is under way: where it was moved to since. Only the last of these is sent. */
const underWay = new Map<string, { move: Move; takeBack(): void } | null>();

export async function moveToDay(card: Card, field: DateField, day: Day): Promise<void> {
  const { recordId } = card;
  if (isNewThing(recordId) || isOn(card, { field, day })) return;
  announce(t('calendar.moved', { title: shownTitle(card.title), day: wholeDay(day) }));
  const move = { field, day };
  if (underWay.has(recordId)) {
    underWay.get(recordId)?.takeBack();
    const update = { customFields: valuesOf(card, move) };
    underWay.set(recordId, { move, takeBack: addEdits([{ kind: 'record', id: recordId, update }]) });
    return;
  }
  let next: Move | undefined = move;
  try {
    while (next) {
      underWay.set(recordId, null);
      const isSent: boolean = await send(findThing('record', recordId) ?? card, next);
      const later = underWay.get(recordId);
      // Sent in the same moment, so that the card does not jump.
      if (later) queueMicrotask(later.takeBack);
      if (!isSent) return;
      next = later?.move;
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
