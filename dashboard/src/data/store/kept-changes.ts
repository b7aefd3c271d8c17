/** Changes that are not answered, in localStorage: one entry each, by account and user. resume.ts has those of other pages. */
import { randomId } from '../../../../browser/random-id.ts';
import { sessionState } from '../session.ts';
import type { Change } from './changes.ts';

const prefix = 'talkboard.change.';
const pageKey = 'talkboard.page';

export interface KeptChange extends Change {
  /** Of the page that sends it. */
  page: string;
}

export const page = randomId();
export const lockOf = (id: string) => `talkboard.page.${id}`;
/** Of this window before a reload. */
export let pageBefore: string | null = null;
try {
  pageBefore = sessionStorage.getItem(pageKey);
  sessionStorage.setItem(pageKey, page);
} catch {
  // A browser that forbids storage keeps nothing.
}

/** Null: nobody is signed in. */
export function changeOwner(): string | null {
  const state = sessionState();
  return state.kind === 'signedIn'
    ? `${prefix}${state.signedIn.account.id}.${state.signedIn.user.id}.`
    : null;
}

const kept = new Map<string, string>();
let letGo: (() => void) | null = null;

/** Held while this page has changes of its own: other pages leave them alone. */
function holdPage(isWanted: boolean): void {
  if (!isWanted) {
    letGo?.();
    letGo = null;
  } else if (!letGo && globalThis.navigator?.locks) {
    const { promise, resolve } = Promise.withResolvers<void>();
    letGo = resolve;
    void navigator.locks.request(lockOf(page), () => promise);
  }
}

export function keepChange(change: Change): void {
  const owner = changeOwner();
  if (owner === null) return;
  const key = owner + change.id;
  try {
    localStorage.setItem(key, JSON.stringify({ ...change, page } satisfies KeptChange));
    kept.set(change.id, key);
    holdPage(true);
  } catch {
    // Storage is full or disabled: the change lives as long as the page.
  }
}

export function forgetChange(id: string): void {
  const key = kept.get(id) ?? (changeOwner() ?? '') + id;
  kept.delete(id);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing is stored.
  }
  holdPage(kept.size > 0);
}

/** Those of this page too. */
export function keptKeys(): string[] {
  const owner = changeOwner();
  try {
    return owner === null ? [] : Object.keys(localStorage).filter((key) => key.startsWith(owner));
  } catch {
    // A browser that forbids storage keeps nothing.
    return [];
  }
}
