/** Moves cards to other days: shown at once. */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import type { Card } from '../../../../contract/dashboard.ts';
import { isNewThing } from '../../data/store/entities.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { changeRecords } from '../data/board-actions.ts';
import type { DateField } from './calendar-data.ts';
import { type Day, dayOfValue, valueOn } from './calendar-days.ts';
import { shortDay, wholeDay } from './calendar-words.ts';

export async function moveToDay(card: Card, field: DateField, day: Day): Promise<void> {
  const value = card.customFields[field.id];
  if (isNewThing(card.recordId) || dayOfValue(field.type, value) === day) return;
  const title = shownTitle(card.title);
  announce(t('calendar.moved', { title, day: wholeDay(day) }));
  const done = t('calendar.moved', { title, day: shortDay(day) });
  const change = { customFields: { [field.id]: valueOn(field.type, day, value) } };
  await changeRecords([card], change, { done, failed: t('board.moveFailed') });
}
