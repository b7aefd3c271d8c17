/**
 * Messages that arrive at the same time for different conversations of one account share a transaction: two round trips
 * and one commit for all of them. On two cores a send alone takes three times the processor time of one in a batch.
 * A message goes alone if it changes more than its conversation (a new one, a transfer, a file), is rejected, or would
 * have to wait for a conversation that somebody else has locked. So one conversation cannot hold up others.
 */
import type { MessageSend } from '../../../contract/messaging/messages.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { currentTrace, inTrace } from '../../platform/telemetry/tracing.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type BlockHash, identifierKey } from '../blocked-contacts/blocked-contacts.ts';
import { type AccountConfigCache, findChannel } from '../channels/channels.ts';
import { customerOf } from '../contacts/contacts.ts';
import { type OpenedSession, openFreeSessions, type RequestCustomer } from '../sessions/sessions.ts';
import { type ConversationChange, commitConversations } from './messages.commit.sql.ts';
import { lockFreeItems } from './messages.connectors.sql.ts';
import { conclude, receive, requireChannel, type SendDetails, type Sent } from './messages.send.ts';
import { selectSentBefore } from './messages.sql.ts';
import { type MoveContext, withErasedKeys } from './messages.transfer.ts';

/** A message that may be sent with others. */
export interface SharedSend {
  actor: Actor;
  input: MessageSend & { sessionId: string };
  details: SendDetails;
  /** Of its request: a batch has messages of several. */
  traceparent: string | null;
}

/** A name for a new conversation does not count: new ones are sent alone. */
const plainDetails = new Set(['nameNew', 'providerMsgId', 'sentAt', 'data', 'customer', 'address', 'item']);

/** Null: it must be sent alone. */
export function sharedSend(actor: Actor, input: MessageSend, details: SendDetails): SharedSend | null {
  const { sessionId } = input;
  if (sessionId === undefined || input.attachments?.length || input.replyToMessageId) return null;
  for (const name in details) {
    const value = details[name as keyof SendDetails];
    if (!plainDetails.has(name) && value !== undefined && value !== false) return null;
  }
  return { actor, input: { ...input, sessionId }, details, traceparent: currentTrace() };
}

interface ShareDeps {
  clock: Clock;
  accountConfig: AccountConfigCache;
  blockHash: BlockHash;
}

type BatchContext = Omit<MoveContext, 'actor'>;

/** Null for each that must be sent alone. */
export function sendShared(
  { clock, accountConfig, blockHash }: ShareDeps,
  sends: readonly SharedSend[],
): Promise<(Sent | null)[]> {
  const [{ actor }] = sends as readonly [SharedSend];
  return accountConfig.runRule(actor.accountId, (tx, config) =>
    sendAll(tx, actor.accountId, sends, { ...config, now: clock.now(), blockHash }),
  );
}

async function sendAll(
  tx: Tx,
  accountId: string,
  sends: readonly SharedSend[],
  context: BatchContext,
): Promise<(Sent | null)[]> {
  const customers = sends.map((send) => customerIn({ ...context, actor: send.actor }, send));
  const wanted = sends.map(({ input }, index) => ({
    sessionId: input.sessionId,
    customer: customers[index] ?? null,
  }));
  const [opened, sentBefore, hasFreeItem] = await Promise.all([
    openFreeSessions(tx, accountId, wanted),
    findSentBefore(tx, accountId, sends),
    lockItems(tx, accountId, sends),
  ]);
  const outcomes = sends.map((send, index) => {
    if (sentBefore.has(send) || !hasFreeItem(send)) return null;
    return inTrace(send.traceparent, () =>
      decide(send, opened[index] ?? null, customers[index] ?? null, context),
    );
  });
  const changes = outcomes.flatMap((outcome) => outcome?.change ?? []);
  if (changes.length > 0) await commitConversations(tx, accountId, changes, context.definitions.version);
  return outcomes.map((outcome) => outcome?.sent ?? null);
}

/** Those whose id the conversation has already: under its lock, sent after the statements that take it. */
async function findSentBefore(
  tx: Tx,
  accountId: string,
  sends: readonly SharedSend[],
): Promise<Set<SharedSend>> {
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

async function lockItems(
  tx: Tx,
  accountId: string,
  sends: readonly SharedSend[],
): Promise<(send: SharedSend) => boolean> {
  const items = sends.flatMap(({ details }) => details.item ?? []);
  const free = items.length > 0 ? await lockFreeItems(tx, accountId, items) : new Set();
  return ({ details: { item } }) => item === undefined || free.has(item.id);
}

interface Outcome {
  change: ConversationChange;
  sent: Sent;
}

/** Null also for a message that is rejected: sent alone it is rejected again, after a check of the configuration. */
function decide(
  { actor, input, details, traceparent }: SharedSend,
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
    const { change, sent } = outcome;
    change.traceparent = traceparent;
    change.item = details.item && { id: details.item.id, messageId: sent.accepted.userMessage.id };
    return change.sessionChange || change.cancelsScheduled ? null : outcome;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Null also where the channel does not exist: the message is rejected later. */
function customerIn(context: MoveContext, { input, details }: SharedSend): RequestCustomer | null {
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
