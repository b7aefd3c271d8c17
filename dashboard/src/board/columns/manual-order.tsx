/** In manual order a drop sets the place of a card too; by keyboard, Alt and the arrows move it. */
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import { useEffect, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { moveCards } from '../data/board-actions.ts';
import { findCard } from '../data/board-cache.ts';
import { boardKeys } from '../data/board-data.ts';
import { type CardPlace, moveBeside } from '../data/card-order.ts';
import { useOrderLive } from '../data/order-live.ts';
import { selection } from '../data/selection.ts';
import { type ColumnCards, focusWhenThere } from './board-keys.ts';

export interface ManualOrderProps {
  board: Kanban;
  columns: ReadonlyMap<string, ColumnCards>;
  activeId: string | null;
}

interface Line {
  top: number;
  left: number;
  width: number;
}

export default function ManualOrder({ board, columns, activeId }: ManualOrderProps) {
  const [line, setLine] = useState<Line | null>(null);
  useOrderLive(board.id, boardKeys.allCards(board.id), true);

  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => source.data.kind === 'card',
        onDrag: ({ source, location }) => {
          const status = location.current.dropTargets[0]?.data.status;
          const ids = draggedIds(String(source.data.recordId));
          setLine(dropAt(String(status), location.current.input.clientY, ids)?.line ?? null);
        },
        onDrop: ({ source, location }) => {
          setLine(null);
          const to = location.current.dropTargets[0]?.data.status;
          const status = board.statuses.find(({ value }) => value === to);
          if (!status) return;
          const ids = draggedIds(String(source.data.recordId));
          const cards = [...ids].flatMap((id) => findCard(board.id, id) ?? []);
          const drop = dropAt(status.value, location.current.input.clientY, ids);
          selection.clear();
          if (cards.length === 0) return;
          if (!drop) void moveCards(cards, status);
          else if (!isThere(columns.get(status.value)?.cards ?? [], ids, drop.place)) {
            void moveBeside(cards, status, drop.place);
          }
        },
      }),
    [board, columns],
  );

  const step = (by: -1 | 1) => {
    const id = (document.activeElement as HTMLElement | null)?.dataset?.card ?? activeId;
    for (const status of board.statuses) {
      const cards = columns.get(status.value)?.cards ?? [];
      const at = cards.findIndex(({ recordId }) => recordId === id);
      const [card, neighbour] = [cards[at], cards[at + by]];
      if (!card || !neighbour || neighbour.recordId.startsWith('new-')) continue;
      const place = by < 0 ? { before: neighbour.recordId } : { after: neighbour.recordId };
      void moveBeside([card], status, place);
      const title = shownTitle(card.title);
      announce(t('order.moved', { title, position: at + by + 1, count: cards.length, status: status.label }));
      columns.get(status.value)?.reveal(at + by);
      focusWhenThere(card.recordId);
    }
  };
  useShortcut('alt+arrowup', () => step(-1), { label: t('order.keys.up'), group: 'board' });
  useShortcut('alt+arrowdown', () => step(1), { label: t('order.keys.down'), group: 'board' });

  if (!line) return null;
  return (
    <div aria-hidden className="pointer-events-none fixed z-20 h-0.5 rounded-full bg-accent" style={line} />
  );
}

const draggedIds = (recordId: string): ReadonlySet<string> =>
  new Set(selection.has(recordId) ? selection.all().map((card) => card.recordId) : [recordId]);

/** Between which of the cards in the document the pointer is; null: the column has no other card. */
function dropAt(
  status: string,
  y: number,
  ids: ReadonlySet<string>,
): { place: CardPlace; line: Line } | null {
  const others = [
    ...document.querySelectorAll<HTMLElement>(`[data-column="${CSS.escape(status)}"] [data-card]`),
  ]
    .map((element) => ({ id: element.dataset.card!, box: element.getBoundingClientRect() }))
    .filter(({ id }) => !ids.has(id) && !id.startsWith('new-'))
    .sort((a, b) => a.box.top - b.box.top);
  const next = others.find(({ box }) => y < box.top + box.height / 2);
  const last = others.at(-1);
  if (!last) return null;
  const { left, width } = last.box;
  if (next) return { place: { before: next.id }, line: { left, width, top: next.box.top - 5 } };
  return { place: { after: last.id }, line: { left, width, top: last.box.bottom + 3 } };
}

/** Whether one dragged card would stay where it is. */
function isThere(cards: readonly Card[], ids: ReadonlySet<string>, place: CardPlace): boolean {
  const at = cards.findIndex(({ recordId }) => ids.has(recordId));
  if (ids.size !== 1 || at < 0) return false;
  return 'before' in place
    ? cards[at + 1]?.recordId === place.before
    : cards[at - 1]?.recordId === place.after;
}
