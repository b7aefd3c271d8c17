/** In manual order a drop sets the place of a card too; by keyboard, Alt and the arrows move it. */
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import { useEffect, useRef, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { findThing, isNewThing } from '../../data/store/entities.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { moveCards } from '../data/board-actions.ts';
import { type CardPlace, moveBeside } from '../data/card-order.ts';
import { selection } from '../data/selection.ts';
import { type ColumnCards, focusWhenThere } from './board-keys.ts';

export interface ManualOrderProps {
  board: Kanban;
  columns: ReadonlyMap<string, ColumnCards>;
}

interface Line {
  top: number;
  left: number;
  width: number;
}

export default function ManualOrder({ board, columns }: ManualOrderProps) {
  const [line, setLine] = useState<Line | null>(null);
  const enabled = useMay('records.edit');

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
          const cards = inOrder(board, columns, ids);
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

  /** By card, while a move is under way: the steps asked for since. They are sent as one move. */
  const steps = useRef(new Map<string, number>());
  const step = async (by: -1 | 1) => {
    const id = focusedCard() ?? [...steps.current.keys()].at(-1);
    if (!id || isNewThing(id)) return;
    const asked = steps.current.get(id);
    if (asked !== undefined) return void steps.current.set(id, asked + by);
    for (let next: number = by; next !== 0; next = steps.current.get(id) ?? 0) {
      steps.current.set(id, 0);
      if (!(await moveBy(board, columns, id, next))) break;
    }
    steps.current.delete(id);
  };
  useShortcut('alt+arrowup', () => void step(-1), { label: t('order.keys.up'), group: 'board', enabled });
  useShortcut('alt+arrowdown', () => void step(1), { label: t('order.keys.down'), group: 'board', enabled });

  if (!line) return null;
  return (
    <div aria-hidden className="pointer-events-none fixed z-20 h-0.5 rounded-full bg-accent" style={line} />
  );
}

/** Undefined: the focus is nowhere, as it is for a frame after a card was moved. Empty: it is elsewhere. */
function focusedCard(): string | undefined {
  const element = document.activeElement as HTMLElement | null;
  return element === null || element === document.body ? undefined : (element.dataset?.card ?? '');
}

/** False: the card stays where it is. */
async function moveBy(
  board: Kanban,
  columns: ManualOrderProps['columns'],
  id: string,
  by: number,
): Promise<boolean> {
  const status = board.statuses.find(({ value }) =>
    columns.get(value)?.cards.some(({ recordId }) => recordId === id),
  );
  if (!status) return false;
  const { cards, reveal } = columns.get(status.value)!;
  const at = cards.findIndex(({ recordId }) => recordId === id);
  let to = Math.max(0, Math.min(cards.length - 1, at + by));
  while (to !== at && isNewThing(cards[to]!.recordId)) to -= Math.sign(by);
  if (to === at) return false;
  const [card, neighbour] = [cards[at]!, cards[to]!.recordId];
  const moving = moveBeside([card], status, by < 0 ? { before: neighbour } : { after: neighbour });
  const title = shownTitle(card.title);
  announce(t('order.moved', { title, position: to + 1, count: cards.length, status: status.label }));
  reveal(to);
  focusWhenThere(id);
  return moving;
}

/** By column and place: they come one after the other where they are dropped. */
function inOrder(board: Kanban, columns: ManualOrderProps['columns'], ids: ReadonlySet<string>): Card[] {
  const shown = board.statuses
    .flatMap(({ value }) => columns.get(value)?.cards ?? [])
    .filter(({ recordId }) => ids.has(recordId));
  const known = new Set(shown.map(({ recordId }) => recordId));
  const others = [...ids].filter((id) => !known.has(id)).flatMap((id) => findThing('record', id) ?? []);
  return [...shown, ...others];
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
    .filter(({ id }) => !ids.has(id) && !isNewThing(id))
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
