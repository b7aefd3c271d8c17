/** Changes of conversations: applied optimistically, reverted with a message when rejected, undoable. */

import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message, NoteUpdate } from '../../../../contract/messaging/messages.ts';
import type { Session, SessionUpdate, TransferBody } from '../../../../contract/messaging/sessions.ts';
import { api, type Page } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { keys } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { deleteLater } from '../../data/store/changes.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import {
  dropMessage,
  findSession,
  holdWhile,
  isOfCustomer,
  keepsAttention,
  placeMessage,
  placeSession,
  placeValues,
} from './inbox-cache.ts';
import { pausesKey } from './inbox-data.ts';
import { myId } from './inbox-filter.ts';

const pathOf = ({ sessionId }: { sessionId: string }) => `/sessions/${encodeURIComponent(sessionId)}`;

interface Act<T> {
  before: InboxSession;
  shown: Partial<InboxSession>;
  send(): Promise<T>;
  failed: string;
  done?: string;
  undo?(): void;
}

async function act<T>({ shown, before, send, failed, done, undo }: Act<T>): Promise<T | null> {
  placeValues(before, shown);
  try {
    const answer = await holdWhile(before.sessionId, shown, send);
    if (done && undo) toast.undo(done, undo);
    return answer;
  } catch (error) {
    // Only this change is reverted: other changes may have arrived since.
    const now = findSession(before.sessionId) ?? before;
    const changed = (Object.keys(shown) as (keyof InboxSession)[]).filter(
      (name) => now[name] === shown[name],
    );
    placeValues(before, Object.fromEntries(changed.map((name) => [name, before[name]])));
    toast.failed(failed, error, () => void act({ shown, before, send, failed, done, undo }));
    return null;
  }
}

export function setAiPaused(session: InboxSession, aiPaused: boolean, agentName: string): void {
  void act({
    before: session,
    shown: {
      aiPaused,
      needsAttention: aiPaused ? session.needsAttention : keepsAttention(session),
      // Whoever takes over owns it, unless somebody does already.
      assignedUserId: session.assignedUserId ?? (aiPaused ? myId() : null),
    },
    send: async () => {
      await api('PATCH', `${pathOf(session)}/ai-paused`, { body: { aiPaused } });
      void refresh(pausesKey(session.sessionId));
    },
    failed: t('inbox.ai.failed'),
    done: aiPaused ? t('inbox.ai.took') : t('inbox.ai.gave', { agent: agentName }),
    undo: () => {
      const now = findSession(session.sessionId) ?? session;
      setAiPaused(now, !aiPaused, agentName);
      if (aiPaused && session.assignedUserId === null) {
        changeSession(now, { assignedUserId: null }, t('inbox.owner.failed'));
      }
    },
  });
}

/** The AI is already paused and asked for a person; this marks the request as taken, by this person. */
export function claim(session: InboxSession): void {
  const take = async () => {
    await api('PATCH', `${pathOf(session)}/ai-paused`, { body: { aiPaused: true } });
    return api<Session>('PATCH', pathOf(session), { body: { needsAttention: false } });
  };
  void act({
    before: session,
    shown: {
      needsAttention: keepsAttention(session),
      assignedUserId: session.assignedUserId ?? myId(),
    },
    send: take,
    failed: t('inbox.ai.failed'),
    done: t('inbox.ai.took'),
    undo: () =>
      changeSession(
        findSession(session.sessionId) ?? session,
        { needsAttention: true, assignedUserId: session.assignedUserId },
        t('inbox.ai.failed'),
      ),
  });
}

export function changeSession(session: InboxSession, change: SessionUpdate, failed: string): void {
  void act({
    before: session,
    shown: {
      ...change,
      ...(change.needsAttention === false && { needsAttention: keepsAttention(session) }),
    },
    send: () => api<Session>('PATCH', pathOf(session), { body: change }),
    failed,
  });
}

/**
 * After a reply that resolves. The customer may have written while the reply waited: then the conversation stays open. The
 * service is asked, because there may be no live connection.
 */
export async function resolve(sessionId: string, seenUntil: number): Promise<void> {
  try {
    const path = `${pathOf({ sessionId })}/messages`;
    const { items } = await api<Page<Message>>('GET', path);
    if (items.some((message) => isOfCustomer(message) && message.timestamp > seenUntil)) {
      toast.show(t('composer.resolve.skipped'));
      return;
    }
  } catch (error) {
    toast.failed(t('composer.resolve.failed'), error, () => void resolve(sessionId, seenUntil));
    return;
  }
  const session = findSession(sessionId);
  if (!session) return;
  void act({
    before: session,
    shown: { status: 'resolved', snoozedUntil: null, unread: 0 },
    send: () => api<Session>('PATCH', pathOf(session), { body: { status: 'resolved' } }),
    failed: t('composer.resolve.failed'),
    done: t('composer.resolve.done'),
    undo: () =>
      changeSession(
        findSession(sessionId) ?? session,
        { status: 'open', snoozedUntil: null },
        t('composer.resolve.undoFailed'),
      ),
  });
}

/** Without a message: the user did not request it. */
export async function markAsRead(session: InboxSession): Promise<void> {
  placeValues(session, { unread: 0 });
  await Promise.allSettled([
    api('PATCH', pathOf(session), { body: { unread: 0 } }),
    api('POST', '/notifications/read', { body: { sessionId: session.sessionId } }),
  ]);
}

export async function transfer(session: InboxSession, target: TransferBody, done: string): Promise<boolean> {
  const { agentId, kanbanId } = session;
  try {
    placeSession(await api<Session>('POST', `${pathOf(session)}/transfer`, { body: target }));
    toast.undo(done, () => void transfer(session, { agentId, kanbanId }, done));
    return true;
  } catch (error) {
    toast.failed(t('inbox.transfer.failed'), error);
    return false;
  }
}

/** By the customer's identifier, or by the conversation's ID if there is none. */
export const blockedBy = (session: Session) => session.externalUserId ?? session.sessionId;

/** Their digits are not a phone number, so the entry says what it is for. */
const typedIdentifiers = ['web', 'chatbot'];

export function setBlocked(session: InboxSession, blocked: boolean, reason = ''): void {
  const path = `/blocked-contacts/${encodeURIComponent(blockedBy(session))}`;
  const type: Record<string, string> = typedIdentifiers.includes(session.channelType)
    ? { identifierType: session.channelType }
    : {};
  const query = blocked ? '' : `?${new URLSearchParams(type)}`;
  const name = customerName(session);
  void act({
    before: session,
    shown: { blocked },
    send: async () => {
      await (blocked
        ? api('POST', path, { body: { ...type, ...(reason && { reason }) } })
        : api('DELETE', `${path}${query}`));
      void refresh(keys.sessions);
    },
    failed: blocked ? t('inbox.block.failed') : t('inbox.unblock.failed'),
    done: blocked ? t('inbox.block.done', { name }) : t('inbox.unblock.done', { name }),
    undo: () => setBlocked(findSession(session.sessionId) ?? session, !blocked, reason),
  });
}

export async function releaseHeld(session: InboxSession, message: Message): Promise<void> {
  placeMessage(session.sessionId, { ...message, held: false });
  try {
    const path = `${pathOf(session)}/messages/${message.id}/release`;
    placeMessage(session.sessionId, await api<Message>('POST', path));
    toast.done(t('inbox.held.released'));
  } catch (error) {
    placeMessage(session.sessionId, message);
    const isRefused = error instanceof ApiError && error.status === 409;
    const again = isRefused ? undefined : () => void releaseHeld(session, message);
    toast.failed(t('inbox.held.failed'), error, again);
  }
}

export const dropHeld = (session: InboxSession, message: Message) =>
  dropLater(session, message, {
    said: t('inbox.held.dropped'),
    failed: t('inbox.held.failed'),
    path: `${pathOf(session)}/messages/${message.id}`,
  });

/** Its text and files go for good; the conversation shows that it was deleted. */
export async function deleteMessage(sessionId: string, message: Message): Promise<void> {
  const gone = { content: '', attachments: [], reactions: [], data: null, deletedAt: Date.now() };
  placeMessage(sessionId, { ...message, ...gone });
  try {
    await api('DELETE', `/sessions/${encodeURIComponent(sessionId)}/messages/${message.id}?erase=true`);
  } catch (error) {
    placeMessage(sessionId, message);
    toast.failed(t('inbox.message.delete.failed'), error);
  }
}

/** True: the work has begun. */
export async function deleteConversation(session: InboxSession): Promise<boolean> {
  try {
    await api('DELETE', pathOf(session));
    toast.done(t('inbox.conversation.delete.done'));
    return true;
  } catch (error) {
    toast.failed(t('inbox.conversation.delete.failed'), error);
    return false;
  }
}

const notePath = (session: InboxSession, { id }: Message) =>
  `/channels/${session.channelId}${pathOf(session)}/notes/${id}`;

export const deleteNote = (session: InboxSession, note: Message) =>
  dropLater(session, note, {
    said: t('inbox.note.deleted'),
    failed: t('inbox.note.deleteFailed'),
    path: notePath(session, note),
  });

/** Messages that can still be brought back, as they were last heard of. */
const dropping = new Map<string, Message>();

/** A change that was made before the deletion does not show the message again. */
export function placeHeard(sessionId: string, message: Message): void {
  if (dropping.has(message.id)) dropping.set(message.id, message);
  else placeMessage(sessionId, message);
}

function dropLater(
  { sessionId }: InboxSession,
  message: Message,
  { path, ...words }: { said: string; failed: string; path: string },
): void {
  dropMessage(sessionId, message.id);
  dropping.set(message.id, message);
  const restored = () => {
    placeMessage(sessionId, dropping.get(message.id) ?? message);
    dropping.delete(message.id);
  };
  deleteLater([{ path, edits: [], restored, done: () => dropping.delete(message.id) }], words);
}

export async function changeNote(session: InboxSession, note: Message, change: NoteUpdate): Promise<void> {
  const { mentionedUserIds: _ids, ...shown } = change;
  placeMessage(session.sessionId, { ...note, ...shown });
  try {
    await api('PATCH', notePath(session, note), { body: change });
  } catch (error) {
    placeMessage(session.sessionId, note);
    toast.failed(t('inbox.note.saveFailed'), error, () => void changeNote(session, note, change));
  }
}
