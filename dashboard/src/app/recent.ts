/** What a person has opened lately in this browser, for the palette. Each person's own: browsers are shared. */
import { useEffect } from 'react';
import { sessionState } from '../data/session.ts';
import { recall, remember } from './remembered.ts';

export interface RecentItem {
  kind: 'record' | 'session' | 'board';
  id: string;
  label: string;
  /** Of a record: the board it stands on. */
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

const isSame = (a: RecentItem, b: RecentItem) => a.kind === b.kind && a.id === b.id;

export function rememberRecent(item: RecentItem): void {
  const name = place();
  if (!name) return;
  remember(name, [item, ...recentItems().filter((one) => !isSame(one, item))].slice(0, kept));
}

/** For the view of the item itself. */
export function useRecent(kind: RecentItem['kind'], id: string, label: string, boardId?: string): void {
  useEffect(
    () => rememberRecent({ kind, id, label, ...(boardId && { boardId }) }),
    [kind, id, label, boardId],
  );
}
