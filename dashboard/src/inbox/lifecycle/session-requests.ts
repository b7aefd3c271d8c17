/** Which conversations the dialogs for snoozing and labelling are open for. */
import { useSyncExternalStore } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';

function createRequest() {
  let sessions: readonly InboxSession[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly InboxSession[]) => {
    sessions = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    begin: (next: readonly InboxSession[]) => set(next),
    end: () => set([]),
    use: () => useSyncExternalStore(subscribe, () => sessions),
  };
}

export const snoozing = createRequest();
export const labelling = createRequest();
