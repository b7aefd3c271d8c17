/**
 * The board by keyboard: arrows (or h, j, k, l) move the focus, Enter opens, x selects. Space picks a card up, the arrows
 * move it to another column, Space or Enter drops it, Escape cancels; each step is announced to screen readers.
 */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import type { KeyboardEvent } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { moveCards } from '../data/board-actions.ts';
import { selection, useCanSelect } from '../data/selection.ts';

export interface CarriedCard {
  recordId: string;
  from: string;
  to: string;
}

export interface ColumnCards {
  cards: readonly Card[];
  reveal(index: number): void;
}

export interface BoardKeysOptions {
  board: Kanban;
  columns: ReadonlyMap<string, ColumnCards>;
  activeId: string | null;
  setActiveId(id: string | null): void;
  carried: CarriedCard | null;
  setCarried(carried: CarriedCard | null): void;
  mayMove: boolean;
  onOpen(card: Card): void;
}

const arrows: { [key: string]: [columns: number, rows: number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  h: [-1, 0],
  l: [1, 0],
  k: [0, -1],
  j: [0, 1],
};

export function useBoardKeys(options: BoardKeysOptions): (event: KeyboardEvent) => void {
  const { board, columns, activeId, setActiveId, carried, setCarried, mayMove, onOpen } = options;
  const canSelect = useCanSelect();
  const labelOf = (status: string) => board.statuses.find(({ value }) => value === status)?.label ?? status;

  const find = (id: string | null) => {
    for (const [status, { cards }] of columns) {
      const index = cards.findIndex((card) => card.recordId === id);
      if (index >= 0) return { status, index, card: cards[index]! };
    }
    return null;
  };
  const focus = (status: string, index: number) => {
    const column = columns.get(status);
    const card = column?.cards[index];
    if (!column || !card) return;
    setActiveId(card.recordId);
    column.reveal(index);
    focusWhenThere(card.recordId);
  };
  const step = ([dColumn, dRow]: [number, number]) => {
    const here =
      find(activeId) ??
      find([...columns.values()].find(({ cards }) => cards.length > 0)?.cards[0]?.recordId ?? null);
    if (!here) return;
    if (dRow !== 0) return focus(here.status, here.index + dRow);
    const order = board.statuses.map(({ value }) => value);
    // Empty columns are skipped.
    for (let at = order.indexOf(here.status) + dColumn; at >= 0 && at < order.length; at += dColumn) {
      const cards = columns.get(order[at]!)?.cards ?? [];
      if (cards.length > 0) return focus(order[at]!, Math.min(here.index, cards.length - 1));
    }
  };
  const carry = (by: number) => {
    if (!carried) return;
    const order = board.statuses.map(({ value }) => value);
    const to = order[Math.max(0, Math.min(order.length - 1, order.indexOf(carried.to) + by))]!;
    setCarried({ ...carried, to });
    announce(
      t('board.carriedOver', { status: labelOf(to), position: order.indexOf(to) + 1, count: order.length }),
    );
    document
      .querySelector(`[data-column="${CSS.escape(to)}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const putDown = async (card: Card) => {
    if (!carried) return;
    setCarried(null);
    const status = board.statuses.find(({ value }) => value === carried.to);
    if (!status || carried.to === carried.from)
      return announce(t('board.letGo', { title: shownTitle(card.title) }));
    announce(t('board.movedTo', { title: shownTitle(card.title), status: status.label }));
    const moving = moveCards([card], status);
    focusWhenThere(card.recordId);
    if (!(await moving)) announce(t('board.moveFailed'));
  };

  useShortcut('j', () => step([0, 1]), { label: t('board.keys.next'), group: 'list' });
  useShortcut('k', () => step([0, -1]), { label: t('board.keys.previous'), group: 'list' });

  useListed('enter', t('board.keys.open'));
  useListed('x', t('board.keys.select'), canSelect);
  useListed('space', t('board.keys.carry'), mayMove);

  return (event) => {
    const target = event.target as HTMLElement;
    const here = target.dataset?.card ? find(target.dataset.card) : null;
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    if (carried) {
      if (arrow && arrow[0] !== 0) carry(arrow[0]);
      else if (event.key === ' ' || event.key === 'Enter') void putDown(here.card);
      else if (event.key === 'Escape') {
        setCarried(null);
        announce(t('board.letGo', { title: shownTitle(here.card.title) }));
      } else if (!arrow) return;
    } else if (arrow && !event.shiftKey) step(arrow);
    else if (event.key === 'Enter') onOpen(here.card);
    else if (event.key === 'x') selection.toggle(here.card);
    else if (event.key === ' ' && mayMove) {
      setCarried({ recordId: here.card.recordId, from: here.status, to: here.status });
      announce(t('board.pickedUp', { title: shownTitle(here.card.title), status: labelOf(here.status) }));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Handled where the card has the focus. */
const useListed = (keys: string, label: string, enabled = true) =>
  useShortcut(keys, () => {}, { label, group: 'board', isListedOnly: true, enabled });

/** A card that was scrolled to or moved appears in the document a frame or two later. */
export function focusWhenThere(recordId: string, tries = 12): void {
  requestAnimationFrame(() => {
    const element = document.getElementById(`card-${recordId}`);
    if (element) {
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    } else if (tries > 0) focusWhenThere(recordId, tries - 1);
  });
}
