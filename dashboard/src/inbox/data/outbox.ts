/**
 * Messages that the service has not confirmed yet. A reply waits for a few seconds, in which it can be undone; leaving the
 * page in this time makes it the draft again. A retry uses the same idempotency key, so that a message whose response was
 * lost is not sent twice.
 */
import { useSyncExternalStore } from 'react';
import type { Static } from 'typebox';
import { randomId } from '../../../../browser/random-id.ts';
import type { MailInput } from '../../../../contract/messaging/mail.ts';
import type { AttachmentRef, Message, Note, OperatorReply } from '../../../../contract/messaging/messages.ts';
import { accountQuery } from '../../data/account.ts';
import { describeError, OtherPersonError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { refresh } from '../../data/refresh.ts';
import { beforeSignOut, currentPerson, onSession, sessionState } from '../../data/session.ts';
import { type Change, dropChange, type RunningChange, startChange } from '../../data/store/changes.ts';
import { findThing, isKnown, onCreated, patch } from '../../data/store/entities.ts';
import { isKept } from '../../data/store/kept-changes.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { setReplyTo } from '../composer/reply/reply-to.ts';
import { forgetUnsent, keepUnsent } from '../composer/unsent.ts';
import { startUpload, type Upload } from '../composer/uploads.ts';
import { returnToDraft } from '../composer/use-drafts.ts';
import { mailDraftOf } from '../mail/mail-draft.ts';
import { resolve } from './inbox-actions.ts';
import { pausesKey } from './inbox-data.ts';
import { myId } from './inbox-filter.ts';
import { customerWroteAt, hearMessage, keepsAttention, messageKey, previewOf } from './message-data.ts';

export interface Draft {
  content: string;
  uploads: readonly Upload[];
  isNote: boolean;
  isNoteVisibleToAi: boolean;
  mentionedUserIds: readonly string[];
  /** Of a reply: the message that it quotes. */
  replyToMessageId: string | null;
  /** Of a reply by e-mail: what differs from the thread. */
  mail?: MailInput | null;
  /** Of a reply: the AI stays quiet from here on. Null: as the workspace has it. */
  pauseAi: boolean | null;
  /** Of a reply: the conversation is resolved after it. */
  resolves: boolean;
}

export interface Outgoing extends Draft {
  id: string;
  sessionId: string;
  channelId: string;
  at: number;
  /** `offline`: sent when the browser is online again. */
  state: 'delayed' | 'sending' | 'offline' | 'failed';
  /** Of a delayed message. */
  sendAt: number;
  /** The sender has seen the customer's messages until then. */
  seenUntil: number;
  error: string | null;
  /** Of one that an earlier page has sent: its files are uploaded. */
  attachments?: readonly AttachmentRef[];
}

/** What is stored of it until it is answered. */
type KeptOutgoing = Omit<Outgoing, 'id' | 'uploads' | 'state' | 'error' | 'sendAt'>;

let waiting: readonly Outgoing[] = [];
const listeners = new Set<() => void>();
const change = (next: readonly Outgoing[]) => {
  waiting = next;
  for (const listener of listeners) listener();
};
const update = (id: string, parts: Partial<Outgoing>) =>
  change(waiting.map((one) => (one.id === id ? { ...one, ...parts } : one)));
/** The chat does not show it as unconfirmed any more. */
function hide(id: string): Outgoing | undefined {
  const outgoing = waiting.find((one) => one.id === id);
  if (!outgoing) return;
  change(waiting.filter((one) => one !== outgoing));
  forgetUnsent(outgoing.sessionId, id);
  return outgoing;
}
/** The person does not want it any more. */
export function discard(id: string): void {
  if (hide(id)?.state === 'offline') dropChange(id);
}

export const useOutgoing = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );

export function send(place: { sessionId: string; channelId: string }, draft: Draft): void {
  const now = Date.now();
  const delayMs = draft.isNote ? 0 : undoSendMs();
  const outgoing: Outgoing = {
    ...draft,
    ...place,
    id: randomId(),
    at: now,
    state: delayMs > 0 ? 'delayed' : 'sending',
    sendAt: now + delayMs,
    seenUntil: customerWroteAt(place.sessionId) ?? now,
    error: null,
  };
  // Earlier ones are sent first, to keep the order.
  if (!draft.isNote && delayMs === 0) sendDelayed(place.sessionId);
  change([...waiting, outgoing]);
  keepText(outgoing);
  const { id } = outgoing;
  if (delayMs > 0)
    timers.set(
      id,
      setTimeout(() => sendNow(id), delayMs),
    );
  else deliver(outgoing);
}

/** It is the draft again after a reload, unless it is sent before. */
function keepText({ id, sessionId, content, isNote, isNoteVisibleToAi, mail }: Outgoing): void {
  forgetUnsent(sessionId, id);
  const isVisibleToAi = isNoteVisibleToAi;
  keepUnsent(sessionId, { id, text: content, isNote, isVisibleToAi, mail: mailDraftOf(mail) });
}

const timers = new Map<string, ReturnType<typeof setTimeout>>();

function undoSendMs(): number {
  const state = sessionState();
  return state.kind === 'signedIn' ? state.signedIn.user.undoSendSeconds * 1_000 : 0;
}

const delayedOf = (sessionId: string) =>
  waiting.filter((one) => one.sessionId === sessionId && one.state === 'delayed');

/** Earlier ones of the conversation go first, to keep their order. */
export function sendNow(id: string): void {
  const wanted = waiting.find((one) => one.id === id);
  if (wanted?.state === 'delayed') sendDelayed(wanted.sessionId, id);
}

function sendDelayed(sessionId: string, last?: string): void {
  for (const outgoing of delayedOf(sessionId)) {
    stopTimer(outgoing.id);
    update(outgoing.id, { state: 'sending' });
    deliver(outgoing);
    if (outgoing.id === last) return;
  }
}

function stopTimer(id: string): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Text, files, mode, and Cc and subject of a mail are the draft again. */
export function undoSend(id: string): void {
  const outgoing = waiting.find((one) => one.id === id);
  if (outgoing?.state !== 'delayed') return;
  stopTimer(id);
  discard(id);
  const { content: text, uploads } = outgoing;
  returnToDraft(outgoing.sessionId, { text, uploads, mail: mailDraftOf(outgoing.mail) });
  const quoted =
    outgoing.replyToMessageId &&
    findThing('message', messageKey(outgoing.sessionId, outgoing.replyToMessageId));
  if (quoted) setReplyTo(outgoing.sessionId, quoted);
}

/** The last one that can still be undone. False: there is none. */
export function undoLastSend(sessionId: string): boolean {
  const last = delayedOf(sessionId).at(-1);
  if (last) undoSend(last.id);
  return last !== undefined;
}

const isDelayed = ({ state }: Outgoing) => state === 'delayed';
/** The last one first: each is put before the draft. */
function undoAll(): void {
  for (const { id } of waiting.filter(isDelayed).reverse()) undoSend(id);
}

addEventListener('beforeunload', (event) => {
  if (waiting.some(isDelayed)) event.preventDefault();
});
addEventListener('pagehide', undoAll);
let owner = currentPerson();
onSession(() => {
  const person = currentPerson();
  if (person !== null && person !== owner) {
    owner = person;
    change([]);
  }
  if (sessionState().kind !== 'signedOut') return;
  // Texts that waited are still stored (unsent.ts) and become drafts when the same user is back; what was being sent goes on.
  for (const { id } of waiting.filter(isDelayed)) stopTimer(id);
  change(waiting.filter(({ state }) => state === 'failed'));
  turns.clear();
  delivering.clear();
});
beforeSignOut(async (timeIsOver) => {
  const known = new Set(waiting.filter(({ state }) => state === 'failed').map(({ id }) => id));
  for (const { id } of waiting.filter(isDelayed)) sendNow(id);
  await Promise.race([Promise.all(delivering.values()), timeIsOver]);
  // Still uploading a file, or rejected by now: it would be lost.
  const lost = waiting.find(({ id }) => !known.has(id) && !isKept(id));
  if (!lost) return;
  toast.problem(t('inbox.status.signOut'), lost.content);
  throw new Error('a message is not sent');
});

addEventListener('online', () => {
  for (const { id, state } of waiting) if (state === 'offline') update(id, { state: 'sending' });
});

/** Of an earlier page. */
export function resumeMessage({ id, at, outgoing }: Change): void {
  if (waiting.some((one) => one.id === id)) return;
  const resumed: Outgoing = {
    ...(outgoing as KeptOutgoing),
    id,
    at,
    uploads: [],
    state: 'sending',
    sendAt: at,
    error: null,
  };
  change([...waiting, resumed]);
  deliver(resumed);
}

export function retry(id: string): void {
  const outgoing = waiting.find((one) => one.id === id);
  if (outgoing?.state !== 'failed') return;
  // Failed uploads are repeated.
  const uploads = outgoing.uploads.map((upload) =>
    upload.error === null ? upload : startUpload(upload.file, () => {}),
  );
  const seenUntil = customerWroteAt(outgoing.sessionId) ?? outgoing.seenUntil;
  update(id, { uploads, state: 'sending', error: null, seenUntil });
  deliver({ ...outgoing, uploads, seenUntil });
}

type Answer = Static<typeof OperatorReply> | Note;

/** They are prepared one after the other per conversation, to keep their order. */
const turns = new Map<string, Promise<unknown>>();
/** Of the person who is signed in. */
const delivering = new Map<Outgoing, Promise<void>>();

function deliver(outgoing: Outgoing): void {
  const { sessionId } = outgoing;
  const person = currentPerson();
  const prepared = (turns.get(sessionId) ?? Promise.resolve()).then(() => prepare(outgoing, person));
  turns.set(
    sessionId,
    prepared.catch(() => {}),
  );
  delivering.set(
    outgoing,
    finish(outgoing, prepared).finally(() => delivering.delete(outgoing)),
  );
}

interface Prepared {
  change: RunningChange<Answer>;
  attachments: readonly AttachmentRef[];
  pauseAi: boolean;
}

/** From here on it is stored, and sent again after a reload. */
async function prepare(outgoing: Outgoing, person: string | null): Promise<Prepared> {
  const { id, sessionId, channelId, content, uploads, isNote, isNoteVisibleToAi, mentionedUserIds } =
    outgoing;
  const pauseAi = outgoing.pauseAi ?? (await queryClient.ensureQueryData(accountQuery)).replyTakesOver;
  const attachments = outgoing.attachments ?? (await Promise.all(uploads.map(({ done }) => done)));
  // Another person may have signed in while files were uploaded.
  if (currentPerson() !== person) throw new OtherPersonError();
  const { uploads: _uploads, state: _state, error: _error, sendAt: _sendAt, id: _id, ...rest } = outgoing;
  const body = {
    content,
    clientId: id,
    ...(attachments.length > 0 && { attachments }),
    ...(isNote && { isNote, isNoteVisibleToAi }),
    ...(!isNote && pauseAi && { pauseAi }),
    ...(outgoing.replyToMessageId && { replyToMessageId: outgoing.replyToMessageId }),
    ...(outgoing.mail && { mail: outgoing.mail }),
    ...(isNote && mentionedUserIds.length > 0 && { mentionedUserIds }),
  };
  const path = `/channels/${channelId}/sessions/${encodeURIComponent(sessionId)}/agent-messages`;
  const isWaiting = () => update(id, { state: 'offline' });
  const change = startChange<Answer>(
    {
      id,
      at: outgoing.at,
      order: `messages of ${sessionId}`,
      request: { method: 'POST', path, body },
      edits: [],
      failed: content,
      outgoing: { ...rest, attachments, pauseAi } satisfies KeptOutgoing,
    },
    { onWait: isWaiting },
  );
  forgetUnsent(sessionId, id);
  // Those behind it are not tried.
  if (!navigator.onLine) isWaiting();
  return { change, attachments, pauseAi };
}

async function finish(outgoing: Outgoing, prepared: Promise<Prepared>): Promise<void> {
  const { id, sessionId, isNote } = outgoing;
  try {
    const { change, attachments, pauseAi } = await prepared;
    const { answer, error, isLeft } = await change.ended;
    if (error) throw error;
    // Its person has signed out. What the chat shows by now was resumed.
    if (!delivering.has(outgoing)) return;
    hide(id);
    if (isLeft) return;
    if (answer) placeSent(outgoing, answer, attachments, pauseAi);
    if (outgoing.resolves && !isNote) await resolve(sessionId, outgoing.seenUntil);
  } catch (error) {
    if (!delivering.has(outgoing) || !waiting.some((one) => one.id === id)) return;
    keepText(outgoing);
    update(id, { state: 'failed', error: describeError(error).text });
  }
}

function placeSent(
  outgoing: Outgoing,
  answer: Answer,
  attachments: readonly AttachmentRef[],
  pauseAi: boolean,
): void {
  const { sessionId, isNote } = outgoing;
  const message = messageOf(outgoing, answer, attachments);
  // A live change may have it as it is by now.
  if (!isKnown('message', messageKey(sessionId, message.id))) hearMessage(sessionId, message);
  const session = findThing('session', sessionId);
  if (!session || isNote) return;
  patch('session', sessionId, {
    unread: 0,
    needsAttention: keepsAttention(session),
    aiPaused: session.aiPaused || pauseAi,
    assignedUserId: session.assignedUserId ?? (pauseAi ? myId() : null),
    lastMessageAt: Math.max(session.lastMessageAt, message.timestamp),
    lastMessage: previewOf(message),
  });
  if (pauseAi) void refresh(pausesKey(sessionId));
}

function messageOf(outgoing: Outgoing, answer: Answer, attachments: readonly AttachmentRef[]): Message {
  const state = sessionState();
  const me = state.kind === 'signedIn' ? state.signedIn.user : { id: '', name: '' };
  const isReply = 'message' in answer;
  return {
    id: isReply ? answer.message.id : answer.messageId,
    role: 'operator',
    content: outgoing.content,
    timestamp: isReply ? answer.message.timestamp : answer.createdAt,
    isNote: outgoing.isNote,
    isNoteVisibleToAi: outgoing.isNote && outgoing.isNoteVisibleToAi,
    isEcho: false,
    held: false,
    providerMsgId: null,
    status: null,
    reactions: [],
    attachments: isReply ? answer.message.attachments : [...attachments],
    agentId: null,
    operator: { id: me.id, name: me.name },
    inReplyTo: null,
    replyToMessageId: outgoing.replyToMessageId,
    statusReason: null,
    editedAt: null,
    deletedAt: null,
    data: null,
    clientId: outgoing.id,
    ...(!isReply && answer.mentions && { mentions: answer.mentions }),
  };
}

/** It may be heard of before the response, or instead of it: the message is shown once. */
onCreated(hide);
