/** The selected conversations, and the order of the list they are in. A separate store, so that a click renders one row. */
import { useSyncExternalStore } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { mayNow } from '../../data/session.ts';
import { things } from '../../data/store/lists.ts';

let selected: ReadonlySet<string> = new Set();
let listed: readonly string[] = [];
let anchor: string | null = null;
const listeners = new Set<() => void>();
const set = (next: ReadonlySet<string>) => {
  selected = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** People who may not change conversations can do nothing with selected ones. */
const canSelect = () => mayNow('conversations.reply');

export const selection = {
  isEmpty: () => selected.size === 0,
  /** As they are now. */
  all: (): InboxSession[] => things('session', [...selected]),
  toggle(sessionId: string) {
    if (!canSelect()) return;
    const next = new Set(selected);
    if (!next.delete(sessionId)) next.add(sessionId);
    anchor = sessionId;
    set(next);
  },
  /** From the row that was toggled last to this one. */
  extendTo(sessionId: string) {
    const from = anchor === null ? -1 : listed.indexOf(anchor);
    const to = listed.indexOf(sessionId);
    if (from < 0 || to < 0 || !canSelect()) return selection.toggle(sessionId);
    set(new Set([...selected, ...listed.slice(Math.min(from, to), Math.max(from, to) + 1)]));
  },
  addAll: () => set(new Set([...selected, ...listed])),
  clear() {
    anchor = null;
    if (selected.size > 0) set(new Set());
  },
};

export const useIsSelected = (sessionId: string) =>
  useSyncExternalStore(subscribe, () => selected.has(sessionId));
export const useSelectedCount = () => useSyncExternalStore(subscribe, () => selected.size);

/** The rows in their order, for ranges and for the conversation after the open one. */
export function setListed(ids: readonly string[]): void {
  // Rows that leave the list are no longer selected: they could not be seen.
  const now = new Set(ids);
  const gone = new Set(listed.filter((id) => selected.has(id) && !now.has(id)));
  listed = ids;
  set(gone.size > 0 ? new Set([...selected].filter((id) => !gone.has(id))) : selected);
}

export const useHasRows = () => useSyncExternalStore(subscribe, () => listed.length > 0);

/**
 * The row after this one, or before it at the end, that is not about to leave the list. Null: there is none. Undefined:
 * this one is not in the list.
 */
export function rowAfter(sessionId: string, leaving: ReadonlySet<string>): string | null | undefined {
  const at = listed.indexOf(sessionId);
  if (at < 0) return undefined;
  const stays = (id: string) => !leaving.has(id);
  return listed.slice(at + 1).find(stays) ?? listed.slice(0, at).findLast(stays) ?? null;
}
