/** Changes of pages that are gone: this page sends them. Its code is loaded only if there are any (app/resume-changes.ts). */
import { currentPerson, onSession } from '../session.ts';
import { type Change, dropChange, isRunning, makeOnce } from './changes.ts';
import {
  isOurs,
  type KeptChange,
  keepChange,
  keptKeys,
  lockOf,
  page,
  pageBefore,
  pageIsHeld,
  sendableMs,
} from './kept-changes.ts';

/** Without locks (plain http) a page counts as gone when it has had its change for so long. */
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
  send(resumeMessage: ResumeMessage): Promise<void> {
    const ids = new Set(unsent.map(({ id }) => id));
    setUnsent([]);
    for (const id of ids) isAsked.delete(id);
    return sendStored(resumeMessage, ({ id }) => ids.has(id));
  },
  discard(): void {
    const all = unsent;
    setUnsent([]);
    for (const { id } of all) dropChange(id);
  },
  /** Asked again after the next load. */
  later: () => setUnsent([]),
};

function setUnsent(next: readonly Change[]): void {
  unsent = next;
  for (const listener of listeners) listener();
}

let owner = currentPerson();
onSession(() => {
  if (owner !== currentPerson()) setUnsent([]);
  owner = currentPerson();
});

/** Shows a message in the chat and sends it. Ends when it is being sent, so that signing out waits for it. */
type ResumeMessage = (change: Change) => Promise<void>;

async function resume(change: Change, resumeMessage: ResumeMessage): Promise<void> {
  if (isRunning(change.id)) return;
  if (change.outgoing) await resumeMessage(change);
  else void makeOnce(change);
}

/** What is stored, oldest first. Some may be sent at this moment. */
export const storedChanges = (): Change[] =>
  keptKeys()
    .flatMap((key) => read(key) ?? [])
    .sort((a, b) => a.at - b.at);

/** The person wants them sent, however old they are. */
export async function sendStored(
  resumeMessage: ResumeMessage,
  isWanted: (change: Change) => boolean = () => true,
): Promise<void> {
  const { taken } = await takeOver(isWanted);
  await Promise.all(taken.map((change) => resume(change, resumeMessage)));
}

/** Another page that sends changes may be closed meanwhile. */
const lookAgainMs = 60_000;
let lookTimer: ReturnType<typeof setTimeout> | undefined;

export async function resumeChanges(resumeMessage: ResumeMessage): Promise<void> {
  clearTimeout(lookTimer);
  const { taken, refused, hasOthers } = await takeOver(({ at }) => Date.now() - at <= sendableMs);
  for (const change of taken) void resume(change, resumeMessage);
  if (refused.some(({ id }) => !isAsked.has(id))) setUnsent(refused);
  for (const { id } of refused) isAsked.add(id);
  if (hasOthers) lookTimer = setTimeout(() => void resumeChanges(resumeMessage), lookAgainMs);
}

interface TakenOver {
  /** Of pages that are gone, oldest first. This page sends them now. */
  taken: Change[];
  /** Of such pages too, but not wanted. */
  refused: Change[];
  /** Another page sends some. */
  hasOthers: boolean;
}

/** One page at a time. */
async function takeOver(isWanted: (change: Change) => boolean): Promise<TakenOver> {
  const person = currentPerson();
  const run = () => takeThoseOfGonePages(isWanted, person);
  const result = await (navigator.locks ? navigator.locks.request('talkboard.take-over', run) : run());
  // Without locks another page may have read them at the same time: the last one that stored them has them.
  if (!navigator.locks) await new Promise((resolve) => setTimeout(resolve, 50));
  if (currentPerson() !== person) return { taken: [], refused: [], hasOthers: false };
  return { ...result, taken: result.taken.filter(({ id }) => isOurs(id, person)) };
}

async function takeThoseOfGonePages(
  isWanted: (change: Change) => boolean,
  person: string | null,
): Promise<TakenOver> {
  const gone: Change[] = [];
  let hasOthers = false;
  for (const key of keptKeys()) {
    const change = read(key);
    if (!change || isRunning(change.id)) continue;
    if (await isGone(change)) gone.push(change);
    else hasOthers = true;
  }
  if (currentPerson() !== person) return { taken: [], refused: [], hasOthers: false };
  gone.sort((a, b) => a.at - b.at);
  const taken = gone.filter(isWanted);
  for (const change of taken) keepChange(change);
  if (taken.length > 0) await pageIsHeld;
  return { taken, refused: gone.filter((change) => !isWanted(change)), hasOthers };
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

async function isGone({ page: of, at, keptAt = at }: KeptChange): Promise<boolean> {
  // It was made before the same person signed in again.
  if (of === page) return true;
  if (!navigator.locks) return of === pageBefore || Date.now() - keptAt > goneMs;
  return navigator.locks.request(lockOf(of), { ifAvailable: true }, (lock) => lock !== null);
}
