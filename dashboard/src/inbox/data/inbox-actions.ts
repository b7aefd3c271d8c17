/** Changes of conversations: shown at once, taken back with a message when rejected, undoable. */
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import type { Session, SessionUpdate, TransferBody } from '../../../../contract/messaging/sessions.ts';
import { api, type Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { currentPerson } from '../../data/session.ts';
import { type Change, inOrder, makeChange, startChange } from '../../data/store/changes.ts';
import { addEdits, findThing, hear, patch } from '../../data/store/entities.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { pausesKey } from './inbox-data.ts';
import { myId } from './inbox-filter.ts';
import { isOfCustomer, keepsAttention } from './message-data.ts';

const pathOf = ({ sessionId }: { sessionId: string }) => `/sessions/${encodeURIComponent(sessionId)}`;

/** As it is known by now: what a view has drawn may be older. */
export const newest = <S extends Session>(session: S): S | InboxSession =>
  findThing('session', session.sessionId) ?? session;

/** Another person may have taken it over first: Undo leaves it to them. */
const isMine = ({ assignedUserId }: Session) => assignedUserId === myId();

interface Shown {
  request: Change['request'];
  shown: Partial<InboxSession>;
  failed: string;
  onDone?(): void;
  /** Message with Undo after success. */
  done?: string;
  undo?(now: InboxSession): void;
}

export async function change(session: InboxSession, how: Shown): Promise<void> {
  const { sessionId: id } = session;
  const { request, shown, failed, onDone, done, undo } = how;
  const { answer, error, isLeft } = await startChange<Partial<Session> | string>({
    request,
    edits: [{ kind: 'session', id, update: shown }],
    failed,
  }).ended;
  if (error) toast.failed(failed, error, () => void change(session, how));
  if (error || isLeft) return;
  // Not every answer is the conversation.
  if (typeof answer !== 'object' || answer?.updatedAt === undefined) patch('session', id, shown);
  onDone?.();
  if (done && undo) toast.undo(done, () => undo(newest(session)));
}

export function setAiPaused(session: InboxSession, aiPaused: boolean, agentName: string): void {
  const { sessionId, assignedUserId, needsAttention } = session;
  void change(session, {
    request: { method: 'PATCH', path: `${pathOf(session)}/ai-paused`, body: { aiPaused } },
    shown: {
      aiPaused,
      needsAttention: aiPaused ? needsAttention : keepsAttention(session),
      // A person who takes over owns it, unless it has an owner.
      assignedUserId: assignedUserId ?? (aiPaused ? myId() : null),
    },
    failed: t('inbox.ai.failed'),
    onDone() {
      void refresh(pausesKey(sessionId));
      // What was heard meanwhile may be from before this change or from after it.
      void refresh(keys.session(sessionId), { exact: true });
    },
    done: aiPaused ? t('inbox.ai.took') : t('inbox.ai.gave', { agent: agentName }),
    undo: (now) => {
      setAiPaused(now, !aiPaused, agentName);
      if (aiPaused && assignedUserId === null && isMine(now))
        changeSession(now, { assignedUserId: null }, t('inbox.owner.failed'));
    },
  });
}

/** The AI is already paused and asked for a person; this marks the request as taken, by this person. */
export async function claim(session: InboxSession): Promise<void> {
  const { sessionId, assignedUserId } = session;
  const failed = t('inbox.ai.failed');
  const needsAttention = keepsAttention(session);
  const update = { needsAttention, assignedUserId: assignedUserId ?? myId() };
  // The first who takes it over owns it: the service decides who that is.
  const { isDone } = await makeChange(
    {
      request: { method: 'PATCH', path: `${pathOf(session)}/ai-paused`, body: { aiPaused: true } },
      edits: [{ kind: 'session', id: sessionId, update }],
      failed,
    },
    () => void claim(session),
  );
  if (!isDone) return;
  await change(session, {
    request: { method: 'PATCH', path: pathOf(session), body: { needsAttention: false } },
    shown: { needsAttention },
    failed,
    done: t('inbox.ai.took'),
    undo: (now) => {
      const release = assignedUserId === null && isMine(now) && { assignedUserId: null };
      changeSession(now, { needsAttention: true, ...release }, failed);
    },
  });
}

export function changeSession(session: InboxSession, body: SessionUpdate, failed: string): void {
  const isHandled = body.needsAttention === false;
  void change(session, {
    request: { method: 'PATCH', path: pathOf(session), body },
    shown: { ...body, ...(isHandled && { needsAttention: keepsAttention(session) }) },
    failed,
  });
}

/**
 * After a reply that resolves. The customer may have written while the reply waited: then the conversation stays open. The
 * service is asked, because there may be no live connection.
 */
export async function resolve(sessionId: string, seenUntil: number): Promise<void> {
  const path = pathOf({ sessionId });
  try {
    const { items } = await api<Page<Message>>('GET', `${path}/messages`);
    if (items.some((message) => isOfCustomer(message) && message.timestamp > seenUntil)) {
      toast.show(t('composer.resolve.skipped'));
      return;
    }
  } catch (error) {
    toast.failed(t('composer.resolve.failed'), error, () => void resolve(sessionId, seenUntil));
    return;
  }
  const session = findThing('session', sessionId);
  if (!session) return;
  void change(session, {
    request: { method: 'PATCH', path, body: { status: 'resolved' } },
    shown: { status: 'resolved', snoozedUntil: null, unread: 0 },
    failed: t('composer.resolve.failed'),
    done: t('composer.resolve.done'),
    undo: (now) =>
      changeSession(now, { status: 'open', snoozedUntil: null }, t('composer.resolve.undoFailed')),
  });
}

/** The user did not request it: no message says that it failed, and it is not stored to be sent later. */
export async function markAsRead(session: InboxSession): Promise<void> {
  const { sessionId: id } = session;
  void api('POST', '/notifications/read', { body: { sessionId: id } }).catch(() => {});
  const update = { unread: 0 };
  const takeBack = addEdits([{ kind: 'session', id, update }]);
  const person = currentPerson();
  try {
    const send = () => api<Session>('PATCH', pathOf(session), { body: update, person });
    hear('session', await inOrder(`session ${id}`, send));
  } catch {
    // It was read: the open chat does not try again until something new arrives.
    patch('session', id, update);
  } finally {
    takeBack();
  }
}

/** Shown when the service has carried it out. */
export async function transfer(session: InboxSession, target: TransferBody, done: string): Promise<boolean> {
  const { sessionId: id, agentId, kanbanId } = session;
  const { isDone } = await makeChange({
    request: { method: 'POST', path: `${pathOf(session)}/transfer`, body: target },
    edits: [{ kind: 'session', id, update: {} }],
    failed: t('inbox.transfer.failed'),
  });
  if (isDone) toast.undo(done, () => void transfer(session, { agentId, kanbanId }, done));
  return isDone;
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
  const name = customerName(session);
  void change(session, {
    request: blocked
      ? { method: 'POST', path, body: { ...type, ...(reason && { reason }) } }
      : { method: 'DELETE', path, query: type },
    shown: { blocked },
    failed: blocked ? t('inbox.block.failed') : t('inbox.unblock.failed'),
    onDone: () => void refresh(keys.sessions),
    done: blocked ? t('inbox.block.done', { name }) : t('inbox.unblock.done', { name }),
    undo: (now) => setBlocked(now, !blocked, reason),
  });
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
