/** A card in one line: its status as a dot, its time where the field has one, and its title. */
import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useRef, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { useMay } from '../../data/session.ts';
import { isNewThing } from '../../data/store/entities.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { clockTime } from '../../texts/format.ts';
import { cx } from '../../ui/class-names.ts';
import { Dot } from '../../ui/display/badge.tsx';
import type { DateField } from './calendar-data.ts';

export interface CalendarCardProps {
  card: Card;
  board: Kanban;
  field: DateField;
  isOpen: boolean;
  /** Of the active day: by Tab. */
  isReachable: boolean;
  onOpen(card: Card): void;
  className?: string;
}

export function CalendarCard({
  card,
  board,
  field,
  isOpen,
  isReachable,
  onOpen,
  className,
}: CalendarCardProps) {
  const element = useRef<HTMLDivElement>(null);
  const [isDragged, setIsDragged] = useState(false);
  const { recordId } = card;
  const isNew = isNewThing(recordId);
  const canDrag = useMay('records.edit') && !isNew;
  useEffect(() => {
    if (!element.current || !canDrag) return;
    return draggable({
      element: element.current,
      getInitialData: () => ({ kind: 'calendar-card', recordId }),
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    });
  }, [recordId, canDrag]);
  const status = board.statuses.find(({ value }) => value === card.status);
  const title = shownTitle(card.title);
  const value = card.customFields[field.id];
  const time = field.type === 'datetime' && typeof value === 'number' ? clockTime(value) : null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: Firefox does not drag buttons
    <div
      ref={element}
      role="button"
      data-calendar-card={recordId}
      tabIndex={isReachable ? 0 : -1}
      aria-label={[time, title, status?.label].filter(Boolean).join(', ')}
      title={status ? `${title} · ${status.label}` : title}
      onClick={() => onOpen(card)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        onOpen(card);
      }}
      className={cx(
        'flex h-6 shrink-0 items-center gap-1.5 rounded-control border border-line bg-surface px-1.5 text-sm select-none hover:border-line-strong dark:bg-raised',
        isOpen && 'border-accent!',
        (isDragged || isNew) && 'opacity-50',
        className,
      )}
    >
      <Dot color={status?.color ?? 'var(--faint)'} />
      {time && <span className="tabular shrink-0 text-muted">{time}</span>}
      <span className="min-w-0 truncate font-medium">{title}</span>
    </div>
  );
}
