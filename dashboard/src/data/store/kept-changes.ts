/**
 * Changes that are not answered, in localStorage: one entry each, by account and user. A page takes over those of pages
 * that are gone. The service keeps the answers to an `Idempotency-Key` for 72 hours, so within 48 nothing is done twice.
 */
import { randomId } from '../../../../browser/random-id.ts';
import { sessionState } from '../session.ts';
import type { Change } from './changes.ts';

const prefix = 'talkboard.change.';
const pageKey = 'talkboard.page';
/** Without locks (plain http) a page counts as gone when its change is so old. */
const goneMs = 60_000;
const resentMs = 48 * 60 * 60_000;

interface KeptChange extends Change {
  /** Of the page that sends it. */
  page: string;
}

const page = randomId();
const lockOf = (id: string) => `talkboard.page.${id}`;
/** Of this window before a reload. */
let pageBefore: string | null = null;
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

function read(key: string): KeptChange | null {
  try {
    const change = JSON.parse(localStorage.getItem(key) ?? 'null') as KeptChange | null;
    const isWhole = typeof change?.at === 'number' && Array.isArray(change.edits) && !!change.request;
    if (!isWhole) localStorage.removeItem(key);
    return isWhole ? change : null;
  } catch {
    return null;
  }
}

/** Those of pages that are gone, oldest first. `old`: only the person decides whether they are sent. `hasOthers`: another page sends some. */
export async function takeOverChanges(
  isRunning: (id: string) => boolean,
): Promise<{ fresh: Change[]; old: Change[]; hasOthers: boolean }> {
  const found: KeptChange[] = [];
  let hasOthers = false;
  const owner = changeOwner();
  try {
    for (const key of owner === null ? [] : Object.keys(localStorage)) {
      const change = key.startsWith(owner!) ? read(key) : null;
      if (!change || isRunning(change.id)) continue;
      if (await isGone(change)) found.push(change);
      else hasOthers = true;
    }
  } catch {
    // A browser that forbids storage has nothing to take over.
  }
  if (changeOwner() !== owner) return { fresh: [], old: [], hasOthers: false };
  found.sort((a, b) => a.at - b.at);
  const isOld = ({ at }: Change) => Date.now() - at > resentMs;
  return { fresh: found.filter((one) => !isOld(one)), old: found.filter(isOld), hasOthers };
}

async function isGone({ page: of, at }: KeptChange): Promise<boolean> {
  // It was made before the same person signed in again.
  if (of === page) return true;
  if (!navigator.locks) return of === pageBefore || Date.now() - at > goneMs;
  return navigator.locks.request(lockOf(of), { ifAvailable: true }, (lock) => lock !== null);
}
