/**
 * Messages that arrive at the same time for different conversations of one account share a transaction: two round trips
 * and one commit for all of them. On two cores a send alone takes three times the processor time of one in a batch.
 * A message goes alone if it changes more than its conversation (a new one, a transfer, a file), is rejected, or would
 * have to wait for a conversation that somebody else has locked. So one conversation cannot hold up others.
 */
import type { MessageSend } from '../../../contract/messaging/messages.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Turns } from '../../platform/concurrency/semaphore.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { currentTrace, inTrace } from '../../platform/telemetry/tracing.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type BlockHash, identifierKey } from '../blocked-contacts/blocked-contacts.ts';
import { type AccountConfigCache, findChannel } from '../channels/channels.ts';
import { customerOf } from '../contacts/contacts.ts';
import { type OpenedSession, openFreeSessions, type RequestCustomer } from '../sessions/sessions.ts';
import { commitPlain } from './messages.batch.sql.ts';
import type { ConversationChange } from './messages.commit.sql.ts';
import { conclude, receive, requireChannel, type SendDetails, type Sent } from './messages.send.ts';
import { selectSentBefore } from './messages.sql.ts';
import { type MoveContext, withErasedKeys } from './messages.transfer.ts';

/** Null: it must be sent alone. */
type SendBatched = (
  actor: Actor,
  input: MessageSend,
  details: SendDetails,
  alongside?: Alongside,
) => Promise<Sent | null>;

/** What its caller writes with a message, in the transaction that several messages share. */
export interface Alongside<Item = unknown> {
  writer: AlongsideWriter<Item>;
  item: Item;
}

/** One for all messages whose items may share a statement. */
export interface AlongsideWriter<Item> {
  /** A transaction with such messages only takes one of these turns: it can wait, and requests need connections. */
  turns: Turns;
  /** Asked with the conversations, when they are locked: false for an item whose message must be sent alone. */
  areFree(tx: Tx, accountId: string, items: readonly Item[]): Promise<boolean[]>;
  /** Sends its statement without waiting for it. */
  write(tx: Tx, accountId: string, written: readonly { item: Item; messageId: string }[]): void;
}

interface Send {
  actor: Actor;
  input: MessageSend & { sessionId: string };
  details: SendDetails;
  alongside: Alongside | null;
  /** Of its request: a batch has messages of several. */
  traceparent: string | null;
}

/** Each holds two or more advisory locks, of which a server has a few thousand. */
const maxSends = 25;

interface BatchDeps {
  clock: Clock;
  logger: Logger;
  accountConfig: AccountConfigCache;
  blockHash: BlockHash;
}

type BatchContext = Omit<MoveContext, 'actor'>;

export function createSendBatched({ clock, logger, accountConfig, blockHash }: BatchDeps): SendBatched {
  const batch = createBatcher<Send, Sent | null>({
    maxItems: maxSends,
    async run(accountId, sends) {
      const store = () =>
        accountConfig.runRule(accountId, (tx, config) =>
          sendAll(tx, accountId, sends, { ...config, now: clock.now(), blockHash }),
        );
      try {
        const sent = await (turnsOf(sends)?.take(store) ?? store());
        return sent.map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        // A statement failed, so nothing was written: each may try alone. After a lost connection nobody knows.
        if (error instanceof AppError) throw error;
        logger.warn(
          { err: error, accountId, count: sends.length },
          'a batch of messages failed; each is sent alone',
        );
        return sends.map(() => ({ status: 'fulfilled', value: null }));
      }
    },
  });
  return async (actor, input, details, alongside = undefined) => {
    const { sessionId } = input;
    if (sessionId === undefined || input.attachments?.length || input.replyToMessageId || isSpecial(details))
      return null;
    return batch(actor.accountId, {
      actor,
      input: { ...input, sessionId },
      details,
      alongside: alongside ?? null,
      traceparent: currentTrace(),
    });
  };
}

/** A name for a new conversation does not count: new ones are sent alone. */
const plainDetails = new Set(['nameNew', 'providerMsgId', 'sentAt', 'data', 'customer', 'address']);

function isSpecial(details: SendDetails): boolean {
  for (const name in details) {
    const value = details[name as keyof SendDetails];
    if (!plainDetails.has(name) && value !== undefined && value !== false) return true;
  }
  return false;
}

async function sendAll(
  tx: Tx,
  accountId: string,
  sends: readonly Send[],
  context: BatchContext,
): Promise<(Sent | null)[]> {
  const customers = sends.map((send) => customerIn({ ...context, actor: send.actor }, send));
  const wanted = sends.map(({ input }, index) => ({
    sessionId: input.sessionId,
    customer: customers[index] ?? null,
  }));
  const [opened, sentBefore, notFree] = await Promise.all([
    openFreeSessions(tx, accountId, wanted),
    findSentBefore(tx, accountId, sends),
    findNotFree(tx, accountId, sends),
  ]);
  const outcomes = sends.map((send, index) => {
    if (sentBefore.has(send) || notFree.has(send)) return null;
    return inTrace(send.traceparent, () =>
      decide(send, opened[index] ?? null, customers[index] ?? null, context),
    );
  });
  const changes = outcomes.flatMap((outcome) => outcome?.change ?? []);
  if (changes.length > 0) {
    writeAlongside(tx, accountId, sends, outcomes);
    await commitPlain(tx, accountId, changes, context.definitions.version);
  }
  return outcomes.map((outcome) => outcome?.sent ?? null);
}

/** Those whose id the conversation has already: under its lock, sent after the statements that take it. */
async function findSentBefore(tx: Tx, accountId: string, sends: readonly Send[]): Promise<Set<Send>> {
  const withId = sends.filter(({ details }) => details.providerMsgId !== undefined);
  if (withId.length === 0) return new Set();
  const found = await selectSentBefore(
    tx,
    accountId,
    withId.map(({ input, details }) => ({
      sessionId: input.sessionId,
      providerMsgId: details.providerMsgId!,
    })),
  );
  return new Set(withId.filter((_send, index) => found.has(index)));
}

/** Null if somebody waits for the response of one of them. */
const turnsOf = ([first, ...others]: readonly Send[]): Turns | null =>
  others.every(({ alongside }) => alongside !== null) ? (first!.alongside?.writer.turns ?? null) : null;

const writersOf = (sends: readonly Send[]) =>
  Map.groupBy(
    sends.filter(({ alongside }) => alongside !== null),
    ({ alongside }) => alongside!.writer,
  );

async function findNotFree(tx: Tx, accountId: string, sends: readonly Send[]): Promise<Set<Send>> {
  const notFree = new Set<Send>();
  const asked = [...writersOf(sends)].map(async ([writer, ofWriter]) => {
    const areFree = await writer.areFree(
      tx,
      accountId,
      ofWriter.map(({ alongside }) => alongside!.item),
    );
    for (const [index, send] of ofWriter.entries()) if (!areFree[index]) notFree.add(send);
  });
  await Promise.all(asked);
  return notFree;
}

function writeAlongside(
  tx: Tx,
  accountId: string,
  sends: readonly Send[],
  outcomes: readonly (Outcome | null)[],
): void {
  const sent = new Map(sends.map((send, index) => [send, outcomes[index]?.sent ?? null]));
  for (const [writer, ofWriter] of writersOf(sends.filter((send) => sent.get(send)))) {
    const written = ofWriter.map((send) => ({
      item: send.alongside!.item,
      messageId: sent.get(send)!.accepted.userMessage.id,
    }));
    writer.write(tx, accountId, written);
  }
}

interface Outcome {
  change: ConversationChange;
  sent: Sent;
}

/** Null also for a message that is rejected: sent alone it is rejected again, after a check of the configuration. */
function decide(
  { actor, input, details, traceparent }: Send,
  opened: OpenedSession | null,
  customer: RequestCustomer | null,
  context: BatchContext,
): Outcome | null {
  if (!opened?.state || changesContact(opened, customer, input, details)) return null;
  const sending = { ...context, actor };
  try {
    const arrival = receive(sending, input, requireChannel(sending, input), input.sessionId, opened);
    const { before, target } = arrival;
    if (before!.agentId !== target.agentId || before!.kanbanId !== target.kanban.id) return null;
    const outcome = conclude(sending, input, arrival, nothingMoved, details);
    outcome.change.traceparent = traceparent;
    return outcome.change.sessionChange || outcome.change.cancelsScheduled ? null : outcome;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Null also where the channel does not exist: the message is rejected later. */
function customerIn(context: MoveContext, { input, details }: Send): RequestCustomer | null {
  const { fromChannelIdentifier, channelType = 'api' } = input;
  const channel = findChannel(context.directory, fromChannelIdentifier, channelType);
  if (!channel) return null;
  const customer = customerOf(channel, input, details.customer);
  // Without a provider the customer is looked up when the message is sent alone.
  return details.customer ? withErasedKeys(context, customer) : customer;
}

/** Also where it may: contacts of customers that no provider told are not looked up for a batch. */
function changesContact(
  { state, contactKey, contacts, contactName }: OpenedSession,
  customer: RequestCustomer | null,
  { sessionName }: MessageSend,
  details: SendDetails,
): boolean {
  const { contactId, externalUserId } = state!;
  if (contactId === null) return customer !== null || externalUserId !== null;
  if (sessionName !== undefined && sessionName !== state!.sessionName) return true;
  if (customer !== null && contactKey !== state!.contactKey) return true;
  if (!details.customer) return false;
  const name = details.customer.name?.trim() || null;
  if (name !== null && contactName && contactName.text !== name) return true;
  return (customer?.identifiers ?? []).some((one) => contacts.get(identifierKey(one)) !== contactId);
}

const nothingMoved = { messages: [], events: [], record: null, attachments: [] };
