/** What changes a message or a connector: edits, deletions, reactions, receipts, reachability, states. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import {
  findByProvider,
  findMessage,
  isContentGone,
  receiveReaction,
  receiveStatus,
  receiveWatermark,
  updateMessage,
} from '../../messages/messages.ts';
import { ContactBlocked, openSession, type SessionState } from '../../sessions/sessions.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import type { Inbound, InboundMessage } from '../connectors.provider.ts';
import { enqueueAsk } from '../connectors.state.ts';
import { findRecipientRole } from '../mail/connectors.mail.sql.ts';
import { findConversation } from './connectors.conversation.ts';
import {
  findItemMessage,
  finishItems,
  type Lane,
  lockProviderIds,
  type Outcome,
  type WaitingItem,
} from './connectors.items.sql.ts';
import { addNotice } from './connectors.notice.ts';
import { AlreadyDone, type StoreDeps } from './connectors.store.ts';

export interface ApplyDeps extends StoreDeps {
  links: Links;
  onConnected(accountId: string, channelId: string): Promise<void>;
}

const reachable = 'The customer can be reached again.';
const unreachable = 'The customer has blocked this channel: messages cannot be delivered.';

type Ignored = Extract<Inbound, { type: 'ignored' }>;
type Change = Exclude<Inbound, InboundMessage | Ignored | { type: 'identity' }>;
type OfMessage = Extract<Change, { type: 'edited' | 'deleted' | 'reaction' }>;

export async function applyChange(
  deps: ApplyDeps,
  lane: Lane,
  opened: OpenLink,
  { id, item }: WaitingItem,
): Promise<void> {
  const finish = (tx: Tx, outcome: Outcome) => finishOne(deps, tx, lane, id, outcome);
  const finishAlone = (outcome: Outcome) => deps.db.transaction((tx) => finish(tx, outcome));
  if (item.type === 'ignored') return finishAlone({ state: 'dropped', reason: item.reason });
  const change = item as Change;
  if (change.type === 'state') {
    await applyState(deps, lane, opened, change);
    return finishAlone({ state: 'done' });
  }
  const place =
    (await placeOf(deps, deps.db, lane, opened, change)) ??
    (await deps.db.transaction(async (tx) => {
      if (isOfCustomer(change)) {
        await finish(tx, { state: 'dropped', reason: 'the customer has no conversation' });
        return null;
      }
      // Its message may be linked at this moment.
      await lockProviderIds(tx, lane.accountId, lane.channelId, [change.providerMsgId]);
      const found = await placeOf(deps, tx, lane, opened, change);
      if (!found) await finish(tx, { state: 'early' });
      return found;
    }));
  if (!place) return;
  const { directory } = await deps.accountConfig.fresh(lane.accountId);
  await deps.db.transaction(async (tx) => {
    const context = { accountId: lane.accountId, now: deps.clock.now(), directory };
    const session = await openSession(tx, lane.accountId, place.sessionId);
    if (!session.state) return finish(tx, { state: 'dropped', reason: 'the conversation is gone' });
    const { state } = session;
    if (change.type === 'status') {
      await deps.sentByUs.confirm(tx, lane.accountId, lane.channelId, change);
      // Confirming may have changed the conversation: its next event has the next number.
      const { state: confirmed } = await openSession(tx, lane.accountId, place.sessionId);
      const messageId = confirmed && (await applyStatus(tx, context, lane, confirmed, change));
      return finish(tx, messageId ? doneIn(place, messageId) : { state: 'early' });
    }
    if (change.type === 'watermark') {
      await receiveWatermark(tx, context, state, change);
      const isSending = await deps.sentByUs.isSending(tx, lane.accountId, state.sessionId, change.at);
      // Then it runs again with the answer to that send.
      return finish(tx, { ...doneIn(place, null), ...(isSending && { state: 'early' }) });
    }
    session.requireNotBlocked();
    if (change.type === 'reachable') {
      await addNotice(tx, context, state, change.isReachable ? reachable : unreachable);
      return finish(tx, doneIn(place, null));
    }
    if (change.type === 'notice') {
      const { text, referral } = change;
      await addNotice(tx, context, state, text, referral && { referral });
      return finish(tx, doneIn(place, null));
    }
    const messageId = await changeMessage(tx, context, state, place.messageId!, change);
    await finish(
      tx,
      messageId === null ? { state: 'dropped', reason: 'the message is gone' } : doneIn(place, messageId),
    );
  });
}

/**
 * Of a mail with several recipients the first one in To that did not get it fails it. Any other is a line for operators: a
 * copy, because the customer got the mail, and a further one, because the message has one reason. Null: it is not here yet.
 */
async function applyStatus(
  tx: Tx,
  context: Context,
  { accountId, channelId }: Lane,
  state: SessionState,
  change: Extract<Change, { type: 'status' }>,
): Promise<string | null> {
  const { recipient, providerMsgId, reason } = change;
  const addressed = { channelId, idHash: providerMsgId, recipient: recipient ?? '' };
  const role = recipient === undefined ? null : await findRecipientRole(tx, accountId, addressed);
  if (role?.isCopy && reason !== null) {
    await addNotice(tx, context, state, reason);
    return role.messageId;
  }
  const received = await receiveStatus(tx, context, state, change);
  if (received && !received.applied && role && reason !== null) {
    await addNotice(tx, context, received.session, reason);
  }
  return received?.message.id ?? null;
}

/** About the customer as a whole, not about one message. */
type OfCustomer = Extract<Change, { type: 'reachable' | 'watermark' | 'notice' }>;

const isOfCustomer = (change: Change): change is OfCustomer =>
  change.type === 'reachable' || change.type === 'watermark' || change.type === 'notice';

/**
 * Providers number their states as little as their deliveries: an old "closed" may come after a newer "open". A connector
 * that is connected asks the provider instead of believing it.
 */
async function applyState(
  { db, links, onConnected }: ApplyDeps,
  { accountId, channelId }: Lane,
  { link, redact }: OpenLink,
  { state, detail, scan }: Extract<Change, { type: 'state' }>,
): Promise<void> {
  const lastError = detail && redact(detail);
  if (state === 'connected') {
    await links.setState(link, { state, lastError, scan });
    return onConnected(accountId, channelId);
  }
  if (await links.setState(link, { state, lastError, scan, unlessConnected: true })) return;
  const current = await links.openChannel(channelId, { fresh: true });
  if (current?.state !== 'connected') return;
  await db.transaction((tx) => enqueueAsk(tx, accountId, channelId, current.version, lastError));
}

const doneIn = ({ sessionId }: { sessionId: string }, messageId: string | null): Outcome => ({
  state: 'done',
  sessionId,
  messageId,
});

async function finishOne(
  { clock }: ApplyDeps,
  tx: Tx,
  { accountId }: Lane,
  id: string,
  outcome: Outcome,
): Promise<void> {
  if (!(await finishItems(tx, accountId, [id], outcome, clock.now()))) throw new AlreadyDone();
}

/** Null: what it is about has not come yet. */
async function placeOf(
  { sentByUs }: ApplyDeps,
  db: Reader,
  lane: Lane,
  { provider }: OpenLink,
  change: Exclude<Change, { type: 'state' }>,
): Promise<{ sessionId: string; messageId: string | null } | null> {
  const { accountId, channelId } = lane;
  if (change.type === 'status') {
    const sessionId = await sentByUs.findSession(db, accountId, channelId, change);
    return sessionId === null ? null : { sessionId, messageId: null };
  }
  if (!isOfCustomer(change)) {
    const stored = await findItemMessage(db, lane, change.providerMsgId);
    if (stored) return stored;
  }
  const { sessionId, exists } = await findConversation(db, lane, provider.kind, change.customer);
  if (!exists) return null;
  if (isOfCustomer(change)) return { sessionId, messageId: null };
  const messageId = await findByProvider(db, accountId, sessionId, change.providerMsgId);
  return messageId === null ? null : { sessionId, messageId };
}

interface Context {
  accountId: string;
  now: number;
  directory: Parameters<typeof updateMessage>[1]['directory'];
}

/** Null: the message is gone. An older edit after a newer one changes nothing. */
async function changeMessage(
  tx: Tx,
  context: Context,
  state: SessionState,
  messageId: string,
  change: OfMessage,
): Promise<string | null> {
  const message = await findMessage(tx, context.accountId, state.sessionId, messageId);
  if (!message) return null;
  if (change.type === 'reaction') {
    const { emoji, providerMsgId } = change;
    // One of a media group is known by the id of its first.
    const known = message.role === 'user' ? (message.providerMsgId ?? providerMsgId) : providerMsgId;
    await receiveReaction(tx, context, state, { providerMsgId: known, emoji });
  } else if (change.type === 'edited') {
    // The text of one that was deleted here must not come back.
    if ((message.editedAt ?? 0) <= change.at && !isContentGone(message)) {
      await updateMessage(tx, context, state, message, { content: change.text, editedAt: change.at });
    }
  } else if (message.deletedAt === null) {
    await updateMessage(tx, context, state, message, { deletedAt: change.at });
  }
  return messageId;
}

export const isBlocked = (error: unknown) => error instanceof ContactBlocked;
