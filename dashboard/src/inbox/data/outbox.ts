/**
 * Messages that the service has not confirmed yet. A retry uses the same idempotency key, so that a message whose response
 * was lost is not sent twice.
 */
import { useSyncExternalStore } from 'react';
import type { Static } from 'typebox';
import { randomId } from '../../../../browser/random-id.ts';
import type { AttachmentRef, Message, Note, OperatorReply } from '../../../../contract/messages.ts';
import { accountQuery } from '../../data/account.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { sessionState } from '../../data/session.ts';
import { forgetUnsent, keepUnsent } from '../composer/unsent.ts';
import { startUpload, type Upload } from '../composer/uploads.ts';
import { findSession, keepsAttention, placeMessage, placeSession, previewOf } from './inbox-cache.ts';
import { pausesKey } from './inbox-data.ts';
import { myId } from './inbox-filter.ts';

export interface Draft {
  content: string;
  uploads: readonly Upload[];
  isNote: boolean;
  isNoteVisibleToAi: boolean;
  mentionedUserIds: readonly string[];
  /** Of a reply: the AI stays quiet from here on. Null: as the workspace has it. */
  pauseAi: boolean | null;
}

export interface Outgoing extends Draft {
  id: string;
  sessionId: string;
  channelId: string;
  at: number;
  state: 'sending' | 'failed';
  error: string | null;
}

let waiting: readonly Outgoing[] = [];
const listeners = new Set<() => void>();
const change = (next: readonly Outgoing[]) => {
  waiting = next;
  for (const listener of listeners) listener();
};
const update = (id: string, parts: Partial<Outgoing>) =>
  change(waiting.map((one) => (one.id === id ? { ...one, ...parts } : one)));
export function discard(id: string): void {
  const outgoing = waiting.find((one) => one.id === id);
  if (!outgoing) return;
  change(waiting.filter((one) => one !== outgoing));
  forgetUnsent(outgoing.sessionId, id);
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
  const outgoing: Outgoing = {
    ...draft,
    ...place,
    id: randomId(),
    at: Date.now(),
    state: 'sending',
    error: null,
  };
  change([...waiting, outgoing]);
  const { id, sessionId, content, isNote, isNoteVisibleToAi } = outgoing;
  keepUnsent(sessionId, { id, text: content, isNote, isVisibleToAi: isNoteVisibleToAi });
  void deliver(outgoing);
}

export function retry(id: string): void {
  const outgoing = waiting.find((one) => one.id === id);
  if (!outgoing || outgoing.state === 'sending') return;
  // Failed uploads are repeated.
  const uploads = outgoing.uploads.map((upload) =>
    upload.error === null ? upload : startUpload(upload.file, () => {}),
  );
  update(id, { uploads, state: 'sending', error: null });
  void deliver({ ...outgoing, uploads });
}

type Answer = Static<typeof OperatorReply> | Note;

/** One after the other per conversation, to keep their order. */
const turns = new Map<string, Promise<void>>();

function deliver(outgoing: Outgoing): Promise<void> {
  const { sessionId } = outgoing;
  const turn = (turns.get(sessionId) ?? Promise.resolve()).then(() => deliverNow(outgoing));
  turns.set(sessionId, turn);
  return turn;
}

async function deliverNow(outgoing: Outgoing): Promise<void> {
  const { id, sessionId, channelId, content, uploads, isNote, isNoteVisibleToAi, mentionedUserIds } =
    outgoing;
  try {
    const pauseAi = outgoing.pauseAi ?? (await queryClient.ensureQueryData(accountQuery)).replyTakesOver;
    const attachments = await Promise.all(uploads.map(({ done }) => done));
    const path = `/channels/${channelId}/sessions/${encodeURIComponent(sessionId)}/agent-messages`;
    const answer = await api<Answer>('POST', path, {
      body: {
        content,
        ...(attachments.length > 0 && { attachments }),
        ...(isNote && { isNote, isNoteVisibleToAi }),
        ...(!isNote && pauseAi && { pauseAi }),
        ...(isNote && mentionedUserIds.length > 0 && { mentionedUserIds }),
      },
      idempotencyKey: id,
    });
    discard(id);
    const message = messageOf(outgoing, answer, attachments);
    placeMessage(sessionId, message);
    const session = findSession(sessionId);
    if (session && !isNote) {
      const after = {
        ...session,
        unread: 0,
        needsAttention: keepsAttention(session),
        aiPaused: session.aiPaused || pauseAi,
        assignedUserId: session.assignedUserId ?? (pauseAi ? myId() : null),
        lastMessageAt: Math.max(session.lastMessageAt, message.timestamp),
      };
      placeSession(after, previewOf(message));
      if (pauseAi) void queryClient.invalidateQueries({ queryKey: pausesKey(sessionId) });
    }
  } catch (error) {
    update(id, { state: 'failed', error: describeError(error).text });
  }
}

function messageOf(outgoing: Outgoing, answer: Answer, attachments: AttachmentRef[]): Message {
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
    attachments: isReply ? answer.message.attachments : attachments,
    agentId: null,
    operator: { id: me.id, name: me.name },
    inReplyTo: null,
    ...(!isReply && answer.mentions && { mentions: answer.mentions }),
  };
}

/** The live event may arrive before the response, or instead of it: the message is shown once. */
export function matchHeard(sessionId: string, message: Message): void {
  const state = sessionState();
  if (message.role !== 'operator' || state.kind !== 'signedIn') return;
  if (message.operator?.id !== state.signedIn.user.id) return;
  const own = waiting.find(
    (one) =>
      one.sessionId === sessionId &&
      one.content === message.content &&
      one.isNote === message.isNote &&
      one.uploads.length === message.attachments.length,
  );
  if (own) discard(own.id);
}
