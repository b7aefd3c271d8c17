/** Which conversations the dialog for running a macro is open for. */
import { useSyncExternalStore } from 'react';
import type { InboxSession } from '../../../contract/dashboard.ts';

export interface MacroRequest {
  sessions: readonly InboxSession[];
  /** Null: to be chosen in the dialog. */
  macroId: string | null;
}

let request: MacroRequest | null = null;
const listeners = new Set<() => void>();
const set = (next: MacroRequest | null) => {
  request = next;
  for (const listener of listeners) listener();
};

export const macroRequest = {
  begin: (sessions: readonly InboxSession[], macroId: string | null = null) =>
    set(sessions.length > 0 ? { sessions, macroId } : null),
  end: () => set(null),
};

export const useMacroRequest = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => request,
  );
