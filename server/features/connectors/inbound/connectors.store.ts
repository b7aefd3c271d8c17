/** A message becomes what POST /messages would have made, in the transaction that marks it as done. */
import { limits } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { JobPostponed } from '../../../platform/jobs/jobs.ts';
import { systemActor } from '../../accounts/accounts.ts';
import type { FileDeps } from '../../attachments/attachments.ts';
import type { AccountConfigCache } from '../../channels/channels.ts';
import { findByProvider, type Intake, placeBefore } from '../../messages/messages.ts';
import type { OpenLink } from '../connectors.links.ts';
import type { InboundMessage } from '../connectors.provider.ts';
import { dataOf, requireMayWrite, storeMail, threadOf } from '../mail/connectors.threads.ts';
import { findConversation } from './connectors.conversation.ts';
import {
  findItemMessage,
  findNextMessage,
  finishItems,
  type Lane,
  resumeEarlyItems,
  selectGroup,
  type WaitingItem,
} from './connectors.items.sql.ts';
import { receiveMedia } from './connectors.media.ts';
import type { SentByUs } from './connectors.outgoing.ts';
import { wakeLanes } from './connectors.split.ts';

export interface StoreDeps extends FileDeps {
  accountConfig: AccountConfigCache;
  intake: Intake;
  sentByUs: SentByUs;
}

/** Another worker was faster: nothing is left to do. */
export class AlreadyDone extends Error {}

/** The messages of a media group come one by one: they are one message a second after the last. */
const groupMs = 1_000;

export async function storeMessage(
  deps: StoreDeps,
  lane: Lane,
  opened: OpenLink,
  first: WaitingItem,
): Promise<void> {
  const { db, clock, intake, accountConfig, sentByUs } = deps;
  const { accountId, channelId } = lane;
  const items = first.mediaGroup === null ? [first] : await completeGroup(deps, lane, first.mediaGroup);
  const ids = items.map(({ id }) => id);
  const message = mergeOf(items);
  if (message.isEcho && (await sentByUs.isOurs(db, accountId, channelId, message))) {
    const outcome = { state: 'dropped', reason: 'sent by us' } as const;
    await db.transaction((tx) => finishItems(tx, accountId, ids, outcome, clock.now()));
    return;
  }
  const { directory } = await accountConfig.fresh(accountId);
  const channel = directory.channels.get(channelId);
  if (!channel) throw new AlreadyDone();
  const attempts = Math.max(...items.map((item) => item.attempts));
  const { attachments, lines } = await receiveMedia(deps, opened, message.media, attempts);
  const { customer } = message;
  const thread = await threadOf(deps, lane, message);
  const { sessionId, exists } = thread
    ? { sessionId: thread.sessionId, exists: true }
    : await findConversation(db, lane, opened.provider.kind, customer);
  const { quoted } = message;
  const replyTo =
    thread?.messageId ?? (quoted !== null && exists ? await findQuoted(deps, lane, sessionId, quoted) : null);
  const isOther = thread?.isOther ?? false;
  const content = [message.text, ...lines].filter((text) => text.trim() !== '').join('\n');
  const body = {
    content: (content || (attachments.length > 0 ? '' : '[Message without content]'))
      .slice(0, limits.messageLength)
      .toWellFormed(),
    fromChannelIdentifier: channel.identifier,
    channelType: channel.type,
    sessionId,
    externalUserId: thread?.externalUserId ?? customer.id,
    ...(!isOther &&
      customer.name?.trim() && {
        sessionName: customer.name.trim().slice(0, limits.nameLength).toWellFormed(),
      }),
    ...(message.isEcho && { isEcho: true }),
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo !== null && { replyToMessageId: replyTo }),
  };
  const place = Math.min(...items.map((item) => item.place ?? 0));
  const commit = (tx: Tx, messageId: string, isNew: boolean) =>
    finishMessage(tx, lane, { items, message, sessionId, messageId, isNew, place, now: clock.now() });
  await intake.send(systemActor(accountId), body, {
    providerMsgId: message.providerMsgId,
    // Somebody else in a thread is not the conversation's customer.
    ...(!isOther && { customer }),
    ...dataOf(message),
    runRule: (rule) =>
      db.transaction(async (tx) => {
        if (isOther) await requireMayWrite(tx, accountId, sessionId, customer);
        const sent = await rule(tx);
        await commit(tx, sent.accepted.userMessage.id, !sent.isRepeated);
        return sent;
      }),
  });
}

/** The end of the transaction that stored the message. */
async function finishMessage(
  tx: Tx,
  lane: Lane,
  stored: {
    items: readonly WaitingItem[];
    message: InboundMessage;
    sessionId: string;
    messageId: string;
    isNew: boolean;
    place: number;
    now: number;
  },
): Promise<void> {
  const { accountId, channelId } = lane;
  const { items, message, sessionId, messageId, isNew, place, now } = stored;
  const ids = items.map(({ id }) => id);
  const next = isNew ? await findNextMessage(tx, lane, sessionId, place) : null;
  if (next !== null) await placeBefore(tx, accountId, { sessionId, messageId }, next);
  if (isNew && message.mail) {
    await storeMail(tx, accountId, { channelId, sessionId, messageId, mail: message.mail, now });
  }
  const isFirst = await finishItems(tx, accountId, ids, { state: 'done', sessionId, messageId }, now);
  if (!isFirst) throw new AlreadyDone();
  const providerIds = items.map(({ item }) => (item as InboundMessage).providerMsgId);
  await wakeLanes(tx, accountId, channelId, await resumeEarlyItems(tx, accountId, channelId, providerIds));
}

async function completeGroup({ db, clock }: StoreDeps, lane: Lane, group: string): Promise<WaitingItem[]> {
  const items = await selectGroup(db, lane, group);
  if (items.length === 0) throw new AlreadyDone();
  const wait = Math.max(...items.map((item) => item.receivedAt)) + groupMs - clock.now();
  if (wait > 0) throw new JobPostponed(wait);
  return items;
}

function mergeOf(items: readonly WaitingItem[]): InboundMessage {
  const messages = items.map(({ item }) => item as InboundMessage);
  const [first] = messages;
  if (messages.length === 1) return first!;
  return {
    ...first!,
    text: messages
      .map(({ text }) => text)
      .filter((text) => text.trim() !== '')
      .join('\n'),
    media: messages.flatMap(({ media }) => media),
    quoted: messages.find(({ quoted }) => quoted !== null)?.quoted ?? null,
  };
}

/** Null where it is not in this conversation: it may be older than the channel's connector. */
async function findQuoted(
  { db }: StoreDeps,
  lane: Lane,
  sessionId: string,
  quoted: string,
): Promise<string | null> {
  const direct = await findByProvider(db, lane.accountId, sessionId, quoted);
  if (direct !== null) return direct;
  const grouped = await findItemMessage(db, lane, quoted);
  return grouped?.sessionId === sessionId ? grouped.messageId : null;
}
