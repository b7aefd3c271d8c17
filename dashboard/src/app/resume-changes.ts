/** The code for changes that are not sent is not part of the first load: it is loaded once some are stored, or while idle. */
import { useSyncExternalStore } from 'react';
import { onSession } from '../data/session.ts';
import { isChangeKey, keptKeys, onNeedPage } from '../data/store/kept-changes.ts';
import { withTexts } from '../texts/texts.ts';
import { lazyView } from './lazy-view.tsx';

const load = withTexts('unsent', () => import('./unsent-changes.tsx'));
export const UnsentChanges = lazyView(load, 'UnsentChanges');

let isNeeded = false;
const listeners = new Set<() => void>();
export const useHasUnsentChanges = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isNeeded,
  );

/** Null: nothing is stored, or there is no network. */
export async function codeIfNeeded(): Promise<Awaited<ReturnType<typeof load>> | null> {
  if (keptKeys().length === 0) return null;
  try {
    const code = await load();
    isNeeded = true;
    for (const listener of listeners) listener();
    return code;
  } catch {
    return null;
  }
}

const look = async () => (await codeIfNeeded())?.resumeChanges();

/** A page that is closed with changes says nothing. */
const othersLookMs = 60_000;
let isLookingLater = false;

/** Once, when the page starts. */
export function startResuming(): void {
  const lookNow = () => void look();
  onSession(lookNow);
  lookNow();
  addEventListener('online', lookNow);
  onNeedPage(lookNow);
  addEventListener('storage', ({ key, newValue }) => {
    if (key === null || newValue === null || !isChangeKey(key)) return;
    if (isLookingLater) return;
    isLookingLater = true;
    setTimeout(() => {
      isLookingLater = false;
      lookNow();
    }, othersLookMs);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') lookNow();
  });
}
