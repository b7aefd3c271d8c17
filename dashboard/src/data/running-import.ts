/** The running import that this window started or opened; the rail shows it on every page. */
import { useSyncExternalStore } from 'react';
import { onSession, sessionState } from './session.ts';

export interface RunningImport {
  id: string;
  boardSlug: string;
}

const storageKey = 'talkboard.import';
const listeners = new Set<() => void>();
let running: RunningImport | null = recall();

function recall(): RunningImport | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
  } catch {
    return null;
  }
}

export function noteRunningImport(next: RunningImport | null): void {
  if (next?.id === running?.id) return;
  running = next;
  sessionStorage.setItem(storageKey, JSON.stringify(next));
  for (const listener of listeners) listener();
}

export const useRunningImport = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => running,
  );

onSession(() => {
  if (sessionState().kind === 'signedOut') noteRunningImport(null);
});
