/** A choice of this person in this browser: the width of a pane, the folded rail, the last board. */
import { useEffect, useState } from 'react';
import { ApiError } from '../data/errors.ts';
import { sessionState } from '../data/session.ts';

export function recall<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`talkboard.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(`talkboard.${name}`, JSON.stringify(value));
  } catch {
    // Storage is full or disabled: the choice is not remembered.
  }
}

export function useRemembered<T>(name: string, fallback: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => recall(name, fallback));
  return [
    value,
    (next) => {
      remember(name, next);
      setValue(next);
    },
  ];
}

/** Recently opened items for the palette, per user: browsers are shared. */
export interface RecentItem {
  kind: 'record' | 'session' | 'board';
  id: string;
  label: string;
  /** The board of a record. */
  boardId?: string;
}

const kept = 12;

function place(): string | null {
  const state = sessionState();
  return state.kind === 'signedIn' ? `recent.${state.signedIn.user.id}` : null;
}

export function recentItems(): RecentItem[] {
  const name = place();
  return name ? recall<RecentItem[]>(name, []) : [];
}

type ItemKey = Pick<RecentItem, 'kind' | 'id'>;
const isSame = (a: ItemKey, b: ItemKey) => a.kind === b.kind && a.id === b.id;

function rememberRecent(item: RecentItem): void {
  const name = place();
  if (!name) return;
  remember(name, [item, ...recentItems().filter((one) => !isSame(one, item))].slice(0, kept));
}

/** Deleted items are removed. */
export function forgetRecent(item: ItemKey): void {
  const name = place();
  if (name)
    remember(
      name,
      recentItems().filter((one) => !isSame(one, item)),
    );
}

/** For a view whose item may no longer exist. */
export function useForgetGone(kind: RecentItem['kind'], id: string, error: unknown): boolean {
  const isGone = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isGone) forgetRecent({ kind, id });
  }, [isGone, kind, id]);
  return isGone;
}

/** For the view of the item itself. */
export function useRecent(kind: RecentItem['kind'], id: string, label: string, boardId?: string): void {
  useEffect(
    () => rememberRecent({ kind, id, label, ...(boardId && { boardId }) }),
    [kind, id, label, boardId],
  );
}
