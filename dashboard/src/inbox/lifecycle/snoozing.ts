/** Which conversations the dialog for snoozing is open for. */
import { useSyncExternalStore } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';

let sessions: readonly InboxSession[] = [];
const listeners = new Set<() => void>();
const set = (next: readonly InboxSession[]) => {
  sessions = next;
  for (const listener of listeners) listener();
};

export const snoozing = {
  begin: (next: readonly InboxSession[]) => set(next),
  end: () => set([]),
};

export const useSnoozing = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sessions,
  );
