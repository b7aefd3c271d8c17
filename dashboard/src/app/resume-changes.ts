/** The code that resumes changes of pages that are gone is loaded only if some are stored: it is not part of the first load. */
import { useSyncExternalStore } from 'react';
import { onSession } from '../data/session.ts';
import { keptKeys } from '../data/store/kept-changes.ts';
import { withTexts } from '../texts/texts.ts';

type Code = typeof import('./unsent-changes.tsx');

const load = withTexts('unsent', () => import('./unsent-changes.tsx'));
let code: Code | null = null;
const listeners = new Set<() => void>();

async function look(): Promise<void> {
  if (keptKeys().length === 0) return;
  try {
    code ??= await load();
  } catch {
    // There is no network. It is tried again when it is back.
    return;
  }
  for (const listener of listeners) listener();
  await code.resumeChanges();
}

/** Once, when the page starts. */
export function startResuming(): void {
  const lookNow = () => void look();
  onSession(lookNow);
  lookNow();
  addEventListener('online', lookNow);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') lookNow();
  });
}

/** Asks about those that are too old. Null: not loaded, as there are none. */
export const useUnsentChanges = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => code?.UnsentChanges ?? null,
  );
