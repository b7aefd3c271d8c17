/** A message becomes what POST /messages would have made, in the transaction that marks it as done. */
import { limits } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { JobPostponed } from '../../../platform/jobs/jobs.ts';
import { systemActor } from '../../accounts/accounts.ts';
import type { FileDeps } from '../../attachments/attachments.ts';
import type { BlockHash } from '../../blocked-contacts/blocked-contacts.ts';
import type { AccountConfigCache } from '../../channels/channels.ts';
import { customerOf } from '../../contacts/contacts.ts';
import {
  countingDrops,
  findByProvider,
  type Intake,
  mayQuote,
  placeBefore,
} from '../../messages/messages.ts';
import { openSession } from '../../sessions/sessions.ts';
import type { OpenLink } from '../connectors.links.ts';
import type { InboundMail, InboundMessage } from '../connectors.provider.ts';
import {
  answerable,
  dataOf,
  doubtsOf,
  loopOf,
  requireMayWrite,
  storeMail,
  threadOf,
  unverified,
} from '../mail/connectors.threads.ts';
import { boundText } from './connectors.bounds.ts';
import { findConversation } from './connectors.conversation.ts';
import {
  findItemMessage,
  finishItems,
  finishStored,
  type Lane,
  lockProviderIds,
  selectGroup,
  type WaitingItem,
} from './connectors.items.sql.ts';
import { receiveMedia } from './connectors.media.ts';
import type { SentByUs } from './connectors.outgoing.ts';
import { wakeLanes } from './connectors.split.ts';

export interface StoreDeps extends FileDeps {
  accountConfig: AccountConfigCache;
  intake: Intake;
  blockHash: BlockHash;
  sentByUs: SentByUs;
}

/** Another worker was faster: nothing is left to do. */
export class AlreadyDone extends Error {}

const withoutQuotation = 'stored without the quotation: the quoted message is not shown to the customer';

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
  if (message.media.length > 0) await requireNotBlocked(deps, lane, opened, channel, message);
  const attempts = Math.max(...items.map((item) => item.attempts));
  const { attachments, lines } = await receiveMedia(deps, opened, message.media, attempts);
  const thread = await threadOf(deps, lane, message);
  const isForged = message.mail?.isForged === true;
  const customer = isForged && thread === null ? unverified(message.customer) : message.customer;
  const { sessionId, exists } = thread
    ? { sessionId: thread.sessionId, exists: true }
    : await findConversation(db, lane, opened.provider.kind, customer);
  const doubts = await doubtsOf(db, accountId, message, { sessionId, exists, thread });
  const { quoted } = message;
  const name = customer.name ?? (exists ? null : await askName(opened, customer.id));
  const answered =
    thread?.messageId ?? (quoted !== null && exists ? await findQuoted(deps, lane, sessionId, quoted) : null);
  // Of a forwarded mail it is a note. Trying again would not change that.
  const replyTo = answered !== null && (await mayQuote(db, accountId, sessionId, answered)) ? answered : null;
  const loop =
    message.mail && exists && !doubts
      ? await loopOf(
          db,
          { accountId, sessionId, agents: directory.agents },
          opened.link.settings,
          clock.now(),
        )
      : null;
  const reason = answered === replyTo ? loop : withoutQuotation;
  const isOther = thread?.isOther ?? false;
  const content = [message.text, ...lines].filter((text) => text.trim() !== '').join('\n');
  const body = {
    content: boundText(content || (attachments.length > 0 ? '' : '[Message without content]')),
    fromChannelIdentifier: channel.identifier,
    channelType: channel.type,
    sessionId,
    externalUserId: thread?.externalUserId ?? customer.id,
    ...(!isOther &&
      name?.trim() && {
        sessionName: name.trim().slice(0, limits.nameLength).toWellFormed(),
      }),
    ...(message.isEcho && { isEcho: true }),
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo !== null && { replyToMessageId: replyTo }),
  };
  const place = Math.min(...items.map((item) => item.place ?? 0));
  const mail = message.mail && answerable(message.mail, doubts);
  const commit = (tx: Tx, messageId: string, isNew: boolean) =>
    finishMessage(tx, lane, {
      items,
      message,
      mail,
      sessionId,
      messageId,
      isNew,
      place,
      reason,
      now: clock.now(),
    });
  const isSingle = exists && items.length === 1 && !message.isEcho;
  const isPlain = isSingle && !message.mail && thread === null && reason === null;
  const { providerMsgId } = message;
  const details = {
    providerMsgId,
    // Somebody else in a thread is not the conversation's customer.
    ...(!isOther && { customer: { ...customer, name } }),
    sentAt: message.at,
    ...dataOf(message, doubts),
    ...((doubts || loop !== null) && { withoutAi: true, needsPerson: true }),
    ...(isPlain && { item: { id: first.id, channelId, sessionId, providerMsgId, place } }),
  };
  await intake.sendIn(systemActor(accountId), body, details, async ({ alone, shared }) => {
    if (isPlain && (await shared())) return;
    await intake.connectorTurns.take(() =>
      db.transaction(async (tx) => {
        if (isOther || isForged) await requireMayWrite(tx, accountId, sessionId, message.customer);
        const sent = await alone(tx);
        await commit(tx, sent.accepted.userMessage.id, !sent.isRepeated);
      }),
    );
  });
}

/** A conversation without a name is better than none. */
async function askName({ provider, link }: OpenLink, customerId: string): Promise<string | null> {
  return (await provider.nameOf?.(link, customerId).catch(() => null)) ?? null;
}

/** Before its files are fetched: they cost time and storage. The intake checks again, under the locks of the message. */
async function requireNotBlocked(
  deps: StoreDeps,
  lane: Lane,
  { provider }: OpenLink,
  channel: { id: string; type: string },
  { customer }: InboundMessage,
): Promise<void> {
  const { db } = deps;
  const { sessionId } = await findConversation(db, lane, provider.kind, customer);
  const asked = customerOf(channel, { sessionId, externalUserId: customer.id }, customer);
  await countingDrops(deps, lane.accountId, () =>
    db.transaction(async (tx) => {
      const session = await openSession(tx, lane.accountId, sessionId, asked && { ...asked, creates: false });
      session.requireNotBlocked();
    }),
  );
}

/** The end of the transaction that stored the message. */
async function finishMessage(
  tx: Tx,
  lane: Lane,
  stored: {
    items: readonly WaitingItem[];
    message: InboundMessage;
    mail: InboundMail | undefined;
    sessionId: string;
    messageId: string;
    isNew: boolean;
    place: number;
    /** For the log; null: there is nothing to say. */
    reason: string | null;
    now: number;
  },
): Promise<void> {
  const { accountId, channelId } = lane;
  const { items, mail, sessionId, messageId, isNew, place, reason, now } = stored;
  const ids = items.map(({ id }) => id);
  if (isNew && mail) {
    await storeMail(tx, accountId, { channelId, sessionId, messageId, mail, now });
  }
  const providerMsgIds = items.map(({ item }) => (item as InboundMessage).providerMsgId);
  // Everything about a message of the customer is in one lane, receipts of an echo are not.
  if (stored.message.isEcho) await lockProviderIds(tx, accountId, channelId, providerMsgIds);
  const finished = { ids, providerMsgIds, sessionId, messageId, place, reason, now };
  const { isFirst, nextId, customers } = await finishStored(tx, lane, finished);
  if (!isFirst) throw new AlreadyDone();
  if (isNew && nextId !== null) await placeBefore(tx, accountId, { sessionId, messageId }, nextId);
  await wakeLanes(tx, accountId, channelId, customers);
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
    at: Math.max(...messages.map(({ at }) => at)),
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
