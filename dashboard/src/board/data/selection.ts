/** The selected cards. A separate store, so that a click renders one card and not the board. */
import { useSyncExternalStore } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { mayNow, useMay } from '../../data/session.ts';

let selected: ReadonlyMap<string, Card> = new Map();
const listeners = new Set<() => void>();
const set = (next: ReadonlyMap<string, Card>) => {
  selected = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** For people who may neither change nor delete cards there is nothing to do with them. */
const canSelect = () => mayNow('records.edit') || mayNow('records.delete');
export function useCanSelect(): boolean {
  const mayEdit = useMay('records.edit');
  const mayDelete = useMay('records.delete');
  return mayEdit || mayDelete;
}

export const selection = {
  all: () => [...selected.values()],
  has: (recordId: string) => selected.has(recordId),
  toggle(card: Card) {
    if (!canSelect()) return;
    const next = new Map(selected);
    if (!next.delete(card.recordId)) next.set(card.recordId, card);
    set(next);
  },
  add(cards: readonly Card[]) {
    if (!canSelect()) return;
    set(new Map([...selected, ...cards.map((card) => [card.recordId, card] as const)]));
  },
  clear: () => selected.size > 0 && set(new Map()),
};

export const useIsSelected = (recordId: string) =>
  useSyncExternalStore(subscribe, () => selected.has(recordId));
export const useSelected = () => useSyncExternalStore(subscribe, () => selected);
