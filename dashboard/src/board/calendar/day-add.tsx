import { type KeyboardEvent, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { limits } from '../../../../contract/limits.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { createCard } from '../data/board-actions.ts';
import type { DateField } from './calendar-data.ts';
import { type Day, valueOn } from './calendar-days.ts';
import { focusWhenShown } from './calendar-focus.ts';
import { wholeDay } from './calendar-words.ts';

/** Enter adds a card with this date. Escape, or blur while empty, closes. */
export function DayAdd({
  board,
  field,
  day,
  onClose,
}: {
  board: Kanban;
  field: DateField;
  day: Day;
  onClose(): void;
}) {
  const { user } = useSignedIn();
  const [title, setTitle] = useState('');
  const add = () => {
    const text = title.trim();
    const status = board.statuses[0];
    setTitle('');
    if (text && status) {
      void createCard(board.id, status.value, text, user.id, { [field.id]: valueOn(field.type, day) });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' && (event.key !== 'Enter' || event.nativeEvent.isComposing)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Enter') add();
    onClose();
    focusWhenShown(`[data-day="${day}"]`);
  };
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it is here because it was asked for
      autoFocus
      aria-label={t('calendar.add', { day: wholeDay(day) })}
      placeholder={t('calendar.addTitle')}
      maxLength={limits.titleLength}
      value={title}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        add();
        onClose();
      }}
      className="h-6 w-full shrink-0 rounded-control border border-accent bg-surface px-1.5 text-sm outline-none dark:bg-raised"
    />
  );
}
