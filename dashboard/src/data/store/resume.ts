/** Changes of pages that are gone: this page sends them. Its code is loaded only if there are any (app/resume-changes.ts). */
import { currentPerson, onSession } from '../session.ts';
import { type Change, dropChange, isRunning, makeOnce } from './changes.ts';
import { type KeptChange, keptKeys, lockOf, page, pageBefore, sendableMs } from './kept-changes.ts';

/** Without locks (plain http) a page counts as gone when its change is so old. */
const goneMs = 60_000;

/** Older than 48 hours: the person decides. */
let unsent: readonly Change[] = [];
const isAsked = new Set<string>();
const listeners = new Set<() => void>();
export const unsentChanges = {
  get: () => unsent,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  send: (resumeMessage: (change: Change) => void) => decide((change) => resume(change, resumeMessage)),
  discard: () => decide(({ id }) => dropChange(id)),
  /** Asked again after the next load. */
  later: () => setUnsent([]),
};

function decide(what: (change: Change) => void): void {
  const all = unsent;
  setUnsent([]);
  for (const change of all) {
    isAsked.delete(change.id);
    what(change);
  }
}

function setUnsent(next: readonly Change[]): void {
  unsent = next;
  for (const listener of listeners) listener();
}

let owner = currentPerson();
onSession(() => {
  if (owner !== currentPerson()) setUnsent([]);
  owner = currentPerson();
});

function resume(change: Change, resumeMessage: (change: Change) => void): void {
  if (isRunning(change.id)) return;
  if (change.outgoing) resumeMessage(change);
  else void makeOnce(change);
}

/** What is stored, oldest first. Some may be sent at this moment. */
export const storedChanges = (): Change[] =>
  keptKeys()
    .flatMap((key) => read(key) ?? [])
    .sort((a, b) => a.at - b.at);

/** The person wants them sent, however old they are. */
export async function sendStored(resumeMessage: (change: Change) => void): Promise<void> {
  const { found } = await takeOver();
  for (const change of found) resume(change, resumeMessage);
}

/** Another page that sends changes may be closed meanwhile. */
const lookAgainMs = 60_000;
let lookTimer: ReturnType<typeof setTimeout> | undefined;

/** `resumeMessage`: the chat shows it and sends it. */
export async function resumeChanges(resumeMessage: (change: Change) => void): Promise<void> {
  clearTimeout(lookTimer);
  const { found, hasOthers } = await takeOver();
  const isOld = ({ at }: Change) => Date.now() - at > sendableMs;
  const old = found.filter(isOld);
  for (const change of found) if (!isOld(change)) resume(change, resumeMessage);
  if (old.some(({ id }) => !isAsked.has(id))) setUnsent(old);
  for (const { id } of old) isAsked.add(id);
  if (hasOthers) lookTimer = setTimeout(() => void resumeChanges(resumeMessage), lookAgainMs);
}

/** Oldest first. `hasOthers`: another page sends some. */
async function takeOver(): Promise<{ found: Change[]; hasOthers: boolean }> {
  const found: Change[] = [];
  let hasOthers = false;
  const person = currentPerson();
  for (const key of keptKeys()) {
    const change = read(key);
    if (!change || isRunning(change.id)) continue;
    if (await isGone(change)) found.push(change);
    else hasOthers = true;
  }
  if (currentPerson() !== person) return { found: [], hasOthers: false };
  return { found: found.sort((a, b) => a.at - b.at), hasOthers };
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

async function isGone({ page: of, at }: KeptChange): Promise<boolean> {
  // It was made before the same person signed in again.
  if (of === page) return true;
  if (!navigator.locks) return of === pageBefore || Date.now() - at > goneMs;
  return navigator.locks.request(lockOf(of), { ifAvailable: true }, (lock) => lock !== null);
}
