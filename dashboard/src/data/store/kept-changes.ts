/** Changes that are not answered, in localStorage: one entry each, by account and user. resume.ts has those of other pages. */
import { randomId } from '../../../../browser/random-id.ts';
import { currentPerson } from '../session.ts';
import type { Change } from './changes.ts';

const prefix = 'talkboard.change.';
const pageKey = 'talkboard.page';

/** The service keeps the answers to an `Idempotency-Key` for 72 hours. Older changes are sent only if the person says so. */
export const sendableMs = 48 * 60 * 60_000;

export interface KeptChange extends Change {
  /** Of the page that sends it. */
  page: string;
  /** When that page stored it. */
  keptAt: number;
}

export const page = randomId();
export const lockOf = (id: string) => `talkboard.page.${id}`;
/** The page that this window showed before. */
export let pageBefore: string | null = null;
// Stored between two pages only: a duplicate of a window has its sessionStorage, but the page is still there.
function readPageBefore(): void {
  try {
    pageBefore = sessionStorage.getItem(pageKey);
    sessionStorage.removeItem(pageKey);
  } catch {
    // A browser that forbids storage keeps nothing.
  }
}
readPageBefore();
globalThis.addEventListener?.('pagehide', () => {
  try {
    sessionStorage.setItem(pageKey, page);
  } catch {
    // A browser that forbids storage keeps nothing.
  }
});
globalThis.addEventListener?.('pageshow', ({ persisted }) => {
  if (persisted) readPageBefore();
});

export const isChangeKey = (key: string) => key.startsWith(prefix);
const keyOf = (person: string, id: string) => `${prefix}${person}.${id}`;

const kept = new Set<string>();
let releaseLock: (() => void) | null = null;
/** From then on other pages see that this page is there. */
export let pageIsHeld: Promise<void> = Promise.resolve();

/** Held while this page has changes of its own: other pages leave them alone. */
function holdPage(isWanted: boolean): void {
  if (!isWanted) {
    releaseLock?.();
    releaseLock = null;
  } else if (!releaseLock && globalThis.navigator?.locks) {
    const over = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    releaseLock = over.resolve;
    pageIsHeld = held.promise;
    void navigator.locks.request(lockOf(page), () => {
      held.resolve();
      return over.promise;
    });
  }
}

/** False: another page has taken it over, or has ended it. */
export function isOurs(id: string, person: string | null): boolean {
  // It could not be stored.
  if (person === null || !kept.has(keyOf(person, id))) return true;
  try {
    return JSON.parse(localStorage.getItem(keyOf(person, id)) ?? 'null')?.page === page;
  } catch {
    return true;
  }
}

export function keepChange(change: Change): void {
  const person = currentPerson();
  if (person === null) return;
  const key = keyOf(person, change.id);
  try {
    localStorage.setItem(key, JSON.stringify({ ...change, page, keptAt: Date.now() } satisfies KeptChange));
    kept.add(key);
    holdPage(true);
  } catch {
    // Storage is full or disabled: the change lives as long as the page.
  }
}

export function forgetChange(id: string, person = currentPerson()): void {
  if (person === null) return;
  try {
    localStorage.removeItem(keyOf(person, id));
  } catch {
    // Nothing is stored.
  }
  leaveChange(id, person);
}

/** It stays stored, but this page does not send it any more. */
export function leaveChange(id: string, person: string | null): void {
  if (person !== null) kept.delete(keyOf(person, id));
  holdPage(kept.size > 0);
}

const needListeners = new Set<() => void>();
/** A stored change has no page any more. */
export const onNeedPage = (listener: () => void) => void needListeners.add(listener);
export function needPage(): void {
  for (const listener of needListeners) listener();
}

/** They stay stored, and any page may send them when their person is back. */
export function leaveChanges(): void {
  kept.clear();
  holdPage(false);
}

/** False: it is lost with its page. */
export const isKept = (id: string) => keptKeys().some((key) => key.endsWith(`.${id}`));

/** Of all changes that this person has in this browser, also those that this page sends. */
export function keptKeys(): string[] {
  const person = currentPerson();
  try {
    if (person === null) return [];
    return Object.keys(localStorage).filter((key) => key.startsWith(keyOf(person, '')));
  } catch {
    // A browser that forbids storage keeps nothing.
    return [];
  }
}
