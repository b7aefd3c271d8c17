/**
 * The one way to change something that is shown at once: a change edits the store, is sent, and ends with the service's
 * answer or is taken back with a message. Changes of the same thing are sent in the order in which they were made (scopes
 * of TanStack Query's mutations). Until it is answered a change is stored in the browser (kept-changes.ts), so that
 * neither a reload nor a closed window loses it: another page sends it then (resume.ts).
 */
import { randomId } from '../../../../browser/random-id.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { type ApiOptions, api } from '../api.ts';
import { ApiError, OfflineError, OtherPersonError } from '../errors.ts';
import { queryClient } from '../query-client.ts';
import { beforeSignOut, currentPerson, onSession, prepareToken } from '../session.ts';
import { addEdits, type Edit, forgetAll, hearAnswer, hearDeleted, onCreated } from './entities.ts';
import {
  forgetChange,
  isOurs,
  keepChange,
  leaveChange,
  leaveChanges,
  needPage,
  sendableMs,
} from './kept-changes.ts';

interface ChangeRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: ApiOptions['query'];
  body?: object;
}

/** Plain JSON: another page can send it. */
export interface Change {
  /** Made here. As `clientId` in the body of a create, and as `Idempotency-Key`. */
  id: string;
  /** When it was made. */
  at: number;
  request: ChangeRequest;
  edits: readonly Edit[];
  /** Changes with the same text are sent one after the other. */
  order: string;
  /** Said if it is rejected, in the person's language. */
  failed: string;
  /** A message or a note, as the chat shows it until it is sent: without a network it waits. */
  outgoing?: object;
}

/** Carried out if `error` is null and it was not left. Without an answer its response was lost. */
export interface Outcome<Answer> {
  answer: Answer | null;
  error: unknown;
  /** Undone, discarded, taken over by another page, too old, or its person is not signed in any more: nothing is said. */
  isLeft?: boolean;
}
/** It was carried out, neither rejected nor left. */
export const isDone = ({ error, isLeft }: Outcome<unknown>) => error === null && !isLeft;
const left = { answer: null, error: null, isLeft: true } as const;
/** Another page has it, or the person is to decide about it. */
class NotSentHereError extends Error {}

interface HowToSend<Answer> {
  /** Instead of the request: several changes may share one. */
  send?(person: string | null): Promise<Answer>;
  /** Until then it can be undone. */
  delayMs?: number;
  /** There is no network; it is sent when it is back. */
  onWait?(): void;
}

export interface RunningChange<Answer> {
  ended: Promise<Outcome<Answer>>;
  /** False: it is too late. */
  undo(): boolean;
  sendNow(): void;
}

interface Running extends RunningChange<unknown> {
  /** What it creates was heard of: a lost answer is no failure. */
  isCreated: boolean;
  /** The person does not want it any more. */
  isDropped: boolean;
  /** The page may sleep, or have no network for days. */
  sendableUntil: number;
  takeBack(): void;
}
/** Those without an answer. */
const running = new Map<string, Running>();
export const isRunning = (id: string) => running.has(id);
/** The browser may keep a page that was left, and show it again. */
let isLeaving = false;
let visits = 0;
let shown = Promise.resolve();

export const newChangeId = randomId;

/** A change that was resumed may be sent for this long, however old it is. */
const decidedMs = 60 * 60_000;

type NewChange = Omit<Change, 'id' | 'at' | 'order'> & Partial<Pick<Change, 'id' | 'at' | 'order'>>;

export function startChange<Answer>(wanted: NewChange, how: HowToSend<Answer> = {}): RunningChange<Answer> {
  // It would be sent as the next person.
  if (currentPerson() === null) return { ended: Promise.resolve(left), undo: () => false, sendNow() {} };
  const [first] = wanted.edits;
  const order = first ? `${first.kind} ${first.id}` : wanted.request.path;
  const change: Change = { id: randomId(), at: Date.now(), order, ...wanted };
  keepChange(change);
  return run(change, how);
}

/** "Try again" sends the same change: an answer that was lost is repeated, and nothing is created twice. */
export function makeOnce(wanted: NewChange & { id: string }): Promise<unknown> {
  return makeChange(wanted, () => void makeOnce(wanted));
}

/**
 * With a message if it is rejected. `answer` is null unless it is done, and when the response was lost. Neither done nor
 * rejected: it was left.
 */
export async function makeChange<Answer>(
  wanted: NewChange,
  again?: () => void,
): Promise<{ answer: Answer | null; isDone: boolean; isRejected: boolean }> {
  const outcome = await startChange<Answer>(wanted).ended;
  const { answer, error } = outcome;
  const isRejected = error !== null;
  if (isRejected) toast.failed(wanted.failed, error, again);
  return { answer, isDone: isDone(outcome), isRejected };
}

function run<Answer>(change: Change, how: HowToSend<Answer>): RunningChange<Answer> {
  const { delayMs = 0 } = how;
  const takeBack = addEdits(change.edits);
  const person = currentPerson();
  const wait = delayMs > 0 ? startWait(delayMs) : null;
  const carryOut = async (): Promise<Outcome<Answer>> => {
    if ((await wait?.over) === 'undone') {
      end();
      return left;
    }
    try {
      const answer = await inOrder(change.order, () => deliver(change, own, person, how));
      if (running.get(change.id) !== own) {
        end();
        return left;
      }
      for (const edit of change.edits) {
        if ('remove' in edit) hearDeleted(edit.kind, edit.id);
        else if (answer) hearAnswer(edit, answer);
      }
      end();
      return { answer, error: null, isLeft: own.isDropped };
    } catch (error) {
      const isNotSentHere = error instanceof NotSentHereError;
      // Without its person it stays stored.
      const isStored = isNotSentHere || error instanceof OtherPersonError || running.get(change.id) !== own;
      end({ isStored });
      if (isNotSentHere) needPage();
      return isStored ? left : { answer: null, error };
    }
  };
  const end = ({ isStored = false } = {}) => {
    takeBack();
    // Resumed since its person was signed out: what is stored belongs to that one.
    if ((running.get(change.id) ?? own) !== own) return;
    running.delete(change.id);
    if (isStored) leaveChange(change.id, person);
    else forgetChange(change.id, person);
  };
  const one = {
    ended: carryOut(),
    undo: () => wait?.end('undone') ?? false,
    sendNow: () => void wait?.end('send'),
  };
  const sendableUntil = Math.max(change.at + sendableMs, Date.now() + decidedMs);
  const own: Running = { ...one, sendableUntil, isCreated: false, isDropped: false, takeBack };
  running.set(change.id, own);
  return one;
}

function startWait(ms: number) {
  const { promise: over, resolve } = Promise.withResolvers<'send' | 'undone'>();
  let isOver = false;
  /** False: it was over already. */
  const end = (how: 'send' | 'undone'): boolean => {
    if (isOver) return false;
    isOver = true;
    clearTimeout(timer);
    resolve(how);
    return true;
  };
  const timer = setTimeout(() => end('send'), ms);
  return { over, end };
}

/** A request of an earlier sign-in may never be answered: changes of this one do not wait for it. */
let signIns = 0;

/** Sends when everything earlier with the same `order` has ended. */
export function inOrder<Answer>(order: string, send: () => Promise<Answer>): Promise<Answer> {
  return queryClient
    .getMutationCache()
    .build<Answer, Error, void, unknown>(queryClient, {
      mutationKey: ['change'],
      scope: { id: `${signIns} ${order}` },
      networkMode: 'always',
      gcTime: 10_000,
      mutationFn: send,
    })
    .execute();
}

async function deliver<Answer>(
  change: Change,
  own: Running,
  person: string | null,
  { send, onWait }: HowToSend<Answer>,
): Promise<Answer> {
  const { id, outgoing, request } = change;
  const { method, path, query, body } = request;
  for (;;) {
    // Its person has signed out.
    if (running.get(id) !== own) throw new OtherPersonError();
    if (own.isDropped) return null as Answer;
    if (!isOurs(id, person) || Date.now() > own.sendableUntil) throw new NotSentHereError();
    const visit = isLeaving ? null : visits;
    try {
      if (send) return await send(person);
      return await api<Answer>(method, path, {
        query,
        body,
        person,
        idempotencyKey: id,
        keepalive: isLeaving,
      });
    } catch (error) {
      // An earlier try has deleted it.
      if (method === 'DELETE' && error instanceof ApiError && error.status === 404) return null as Answer;
      if (error instanceof ApiError) throw error;
      if (own.isCreated) return null as Answer;
      // Leaving the page has cut it off. The next page sends it again, or this one when it is shown again.
      if (visit !== visits) await shown;
      else if (!(error instanceof OfflineError) || !outgoing || navigator.onLine) throw error;
      else if (running.get(id) === own) {
        onWait?.();
        await oneOf('online', 'pageshow');
      }
    }
  }
}

const oneOf = (...events: string[]) =>
  new Promise<void>((resolve) => {
    for (const event of events) addEventListener(event, () => resolve(), { once: true });
  });

/** One that waits is not sent. */
export function dropChange(id: string): void {
  const one = running.get(id);
  if (one) one.isDropped = true;
  one?.undo();
  forgetChange(id);
}

onCreated((clientId) => {
  const one = running.get(clientId);
  if (!one) return;
  one.isCreated = true;
  one.takeBack();
});

/** As long as the message with Undo is shown. */
const undoMs = 8_000;

interface Deletion {
  path: string;
  edits: readonly Edit[];
  /** The service has deleted it. */
  done?(): void;
}

/** What is deleted cannot be restored, so the requests are sent when the time to undo is over. */
export function deleteLater(
  deletions: readonly Deletion[],
  { said, failed }: { said: string; failed: string },
): void {
  const changes = deletions.map(({ path, edits, done }) => {
    const request = { method: 'DELETE' as const, path };
    const change = startChange({ request, edits, failed }, { delayMs: undoMs });
    void change.ended.then(({ error, isLeft }) => {
      toast.close(message);
      if (!isLeft && !error) done?.();
      if (error) toast.failed(failed, error);
    });
    return change;
  });
  const message = toast.undo(said, () => {
    for (const change of changes) change.undo();
  });
  prepareToken();
}

let owner = currentPerson();
onSession(() => {
  if (owner === currentPerson()) return;
  owner = currentPerson();
  signIns++;
  running.clear();
  leaveChanges();
  forgetAll();
  // Undo and Retry belong to the person before.
  toast.closeAll();
});
addEventListener('pageshow', () => {
  isLeaving = false;
});
addEventListener('pagehide', () => {
  isLeaving = true;
  visits++;
  shown = oneOf('pageshow');
  for (const one of running.values()) one.sendNow();
});
beforeSignOut(async (timeIsOver) => {
  // A deletion that cannot be sent would be taken back, instead of staying stored.
  if (!navigator.onLine) return;
  for (const one of running.values()) one.sendNow();
  const ended = [...running.values()].map((one) => Promise.race([one.ended, timeIsOver]));
  const rejected = (await Promise.all(ended)).find((outcome) => outcome?.error);
  if (rejected) throw rejected.error;
});
