/**
 * The one way to change something that is shown at once: a change edits the store, is sent, and ends with the service's
 * answer or is taken back with a message. Changes of the same thing are sent in the order in which they were made (scopes
 * of TanStack Query's mutations). Until it is answered a change is stored in the browser (kept-changes.ts), so that
 * neither a reload nor a closed window loses it: another page sends it then (resume.ts).
 */
import { randomId } from '../../../../browser/random-id.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { type ApiOptions, api } from '../api.ts';
import { ApiError, OfflineError } from '../errors.ts';
import { queryClient } from '../query-client.ts';
import { beforeSignOut, onSession, prepareToken } from '../session.ts';
import { addEdits, type Edit, forgetAll, hearAnswer, hearDeleted, onCreated } from './entities.ts';
import { changeOwner, forgetChange, keepChange } from './kept-changes.ts';

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

/** `error` null: it was carried out. `answer` null as well: it was undone, or its response was lost. */
export interface Outcome<Answer> {
  answer: Answer | null;
  error: unknown;
  isUndone?: boolean;
}

interface HowToSend<Answer> {
  /** Instead of the request: several changes may share one. */
  send?(): Promise<Answer>;
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
  takeBack(): void;
}
/** Those without an answer. */
const running = new Map<string, Running>();
export const isRunning = (id: string) => running.has(id);
/** The page is going away: requests that end now say nothing. */
let isLeaving = false;

export const newChangeId = randomId;

type NewChange = Omit<Change, 'id' | 'at' | 'order'> & Partial<Pick<Change, 'id' | 'at' | 'order'>>;

export function startChange<Answer>(wanted: NewChange, how: HowToSend<Answer> = {}): RunningChange<Answer> {
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

/** With a message if it is rejected. `answer` is null then, and when the response was lost but the thing was created. */
export async function makeChange<Answer>(
  wanted: NewChange,
  again?: () => void,
): Promise<{ answer: Answer | null; isRejected: boolean }> {
  const owner = changeOwner();
  const { answer, error } = await startChange<Answer>(wanted).ended;
  // Another person may have signed in meanwhile: it is not theirs.
  if (error && changeOwner() === owner) toast.failed(wanted.failed, error, again);
  return { answer, isRejected: error !== null };
}

function run<Answer>(change: Change, how: HowToSend<Answer>): RunningChange<Answer> {
  const { delayMs = 0 } = how;
  const takeBack = addEdits(change.edits);
  const owner = changeOwner();
  const wait = delayMs > 0 ? startWait(delayMs) : null;
  const carryOut = async (): Promise<Outcome<Answer>> => {
    if ((await wait?.over) === 'undone') {
      end();
      return { answer: null, error: null, isUndone: true };
    }
    try {
      const answer = await inOrder(change.order, () => deliver(change, owner, how));
      for (const edit of change.edits) {
        if ('remove' in edit) hearDeleted(edit.kind, edit.id);
        else if (answer) hearAnswer(edit, answer);
      }
      const isUndone = running.get(change.id)?.isDropped;
      end();
      return { answer, error: null, isUndone };
    } catch (error) {
      // Without its owner it stays stored.
      end(changeOwner() === owner);
      return { answer: null, error };
    }
  };
  const end = (isOver = true) => {
    takeBack();
    running.delete(change.id);
    if (isOver) forgetChange(change.id);
  };
  const one = {
    isCreated: false,
    isDropped: false,
    takeBack,
    undo: () => wait?.end('undone') ?? false,
    sendNow: () => void wait?.end('send'),
  };
  const ended = carryOut();
  const own = { ...one, ended };
  running.set(change.id, own);
  return own;
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

/** Sends when everything earlier with the same `order` has ended. */
export function inOrder<Answer>(order: string, send: () => Promise<Answer>): Promise<Answer> {
  return queryClient
    .getMutationCache()
    .build<Answer, Error, void, unknown>(queryClient, {
      mutationKey: ['change'],
      scope: { id: order },
      networkMode: 'always',
      gcTime: 10_000,
      mutationFn: send,
    })
    .execute();
}

async function deliver<Answer>(
  change: Change,
  owner: string | null,
  { send, onWait }: HowToSend<Answer>,
): Promise<Answer> {
  const { id, outgoing, request } = change;
  const { method, path, query, body } = request;
  for (;;) {
    // Never in the name of somebody else.
    if (changeOwner() !== owner) throw new ApiError(401, 'UNAUTHORIZED', '', '');
    if (running.get(id)?.isDropped) return null as Answer;
    try {
      if (send) return await send();
      return await api<Answer>(method, path, { query, body, idempotencyKey: id, keepalive: isLeaving });
    } catch (error) {
      // An earlier try has deleted it.
      if (method === 'DELETE' && error instanceof ApiError && error.status === 404) return null as Answer;
      if (!(error instanceof OfflineError)) throw error;
      // The next page sends it again.
      if (isLeaving) await new Promise(() => {});
      if (running.get(id)?.isCreated) return null as Answer;
      if (!outgoing || navigator.onLine) throw error;
      onWait?.();
      await new Promise<void>((resolve) => addEventListener('online', () => resolve(), { once: true }));
    }
  }
}

/** One that waits is not sent. */
export function dropChange(id: string): void {
  const one = running.get(id);
  if (!one) return;
  one.isDropped = true;
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
    void change.ended.then(({ error, isUndone }) => {
      toast.close(message);
      if (!isUndone && !error) done?.();
      if (error) toast.failed(failed, error);
    });
    return change;
  });
  const message = toast.undo(said, () => {
    for (const change of changes) change.undo();
  });
  prepareToken();
}

let owner = changeOwner();
onSession(() => {
  if (owner === changeOwner()) return;
  owner = changeOwner();
  // Those of another person stay stored, and go on when that person is back.
  running.clear();
  forgetAll();
});
addEventListener('pageshow', () => {
  isLeaving = false;
});
addEventListener('pagehide', () => {
  isLeaving = true;
  for (const one of running.values()) one.sendNow();
});
beforeSignOut(async () => {
  for (const one of running.values()) one.sendNow();
  await Promise.all([...running.values()].map(({ ended }) => ended));
});
