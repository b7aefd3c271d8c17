/**
 * Messages that arrive at the same time for different conversations of one account share a transaction: two round trips
 * and one commit for all of them. On two cores a send alone takes three times the processor time of one in a batch.
 * A message goes alone if it changes more than its conversation (a new one, a transfer, a file), is rejected, or would
 * have to wait for a conversation that somebody else has locked. So one conversation cannot hold up others.
 */
import type { MessageSend } from '../../../contract/messaging/messages.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { currentTrace, inTrace } from '../../platform/telemetry/tracing.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type AccountConfigCache, findChannel } from '../channels/channels.ts';
import { customerOf } from '../contacts/contacts.ts';
import { type OpenedSession, openFreeSessions, type RequestCustomer } from '../sessions/sessions.ts';
import { commitPlain } from './messages.batch.sql.ts';
import type { ConversationChange } from './messages.commit.sql.ts';
import { conclude, receive, requireChannel, type SendDetails, type Sent } from './messages.send.ts';
import type { MoveContext } from './messages.transfer.ts';

/** Null: it must be sent alone. */
type SendBatched = (actor: Actor, input: MessageSend, details: SendDetails) => Promise<Sent | null>;

interface Send {
  actor: Actor;
  input: MessageSend & { sessionId: string };
  /** Of its request: a batch has messages of several. */
  traceparent: string | null;
}

/** Each holds two or more advisory locks, of which a server has a few thousand. */
const maxSends = 25;

export function createSendBatched(deps: { clock: Clock; accountConfig: AccountConfigCache }): SendBatched {
  const { clock, accountConfig } = deps;
  const batch = createBatcher<Send, Sent | null>({
    maxItems: maxSends,
    async run(accountId, sends) {
      try {
        const sent = await accountConfig.runRule(accountId, (tx, config) =>
          sendAll(tx, accountId, sends, { ...config, now: clock.now() }),
        );
        return sent.map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        // A statement failed, so nothing was written: each may try alone. After a lost connection nobody knows.
        if (error instanceof AppError) throw error;
        return sends.map(() => ({ status: 'fulfilled', value: null }));
      }
    },
  });
  return async (actor, input, details) => {
    const { sessionId } = input;
    if (sessionId === undefined || input.attachments?.length || input.replyToMessageId || isSpecial(details))
      return null;
    return batch(actor.accountId, {
      actor,
      input: { ...input, sessionId },
      traceparent: currentTrace(),
    });
  };
}

/** A name for a new conversation does not count: new ones are sent alone. */
function isSpecial(details: SendDetails): boolean {
  for (const name in details) {
    const value = details[name as keyof SendDetails];
    if (name !== 'nameNew' && value !== undefined && value !== false) return true;
  }
  return false;
}

async function sendAll(
  tx: Tx,
  accountId: string,
  sends: readonly Send[],
  context: Omit<MoveContext, 'actor'>,
): Promise<(Sent | null)[]> {
  const customers = sends.map(({ actor, input }) => customerIn({ ...context, actor }, input));
  const opened = await openFreeSessions(
    tx,
    accountId,
    sends.map(({ input }, index) => ({ sessionId: input.sessionId, customer: customers[index] ?? null })),
  );
  const outcomes = sends.map((send, index) =>
    inTrace(send.traceparent, () => decide(send, opened[index] ?? null, customers[index] ?? null, context)),
  );
  const changes = outcomes.flatMap((outcome) => outcome?.change ?? []);
  if (changes.length > 0) await commitPlain(tx, accountId, changes, context.definitions.version);
  return outcomes.map((outcome) => outcome?.sent ?? null);
}

/** Null also for a message that is rejected: sent alone it is rejected again, after a check of the configuration. */
function decide(
  { actor, input, traceparent }: Send,
  opened: OpenedSession | null,
  customer: RequestCustomer | null,
  context: Omit<MoveContext, 'actor'>,
): { change: ConversationChange; sent: Sent } | null {
  if (!opened?.state || changesContact(opened, customer, input)) return null;
  const sending = { ...context, actor };
  try {
    const arrival = receive(sending, input, requireChannel(sending, input), input.sessionId, opened);
    const { before, target } = arrival;
    if (before!.agentId !== target.agentId || before!.kanbanId !== target.kanban.id) return null;
    const outcome = conclude(sending, input, arrival, nothingMoved);
    outcome.change.traceparent = traceparent;
    return outcome.change.sessionChange || outcome.change.cancelsScheduled ? null : outcome;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Null also where the channel does not exist: the message is rejected later. */
function customerIn(context: MoveContext, input: Send['input']): RequestCustomer | null {
  const { fromChannelIdentifier, channelType = 'api' } = input;
  const channel = findChannel(context.directory, fromChannelIdentifier, channelType);
  return channel ? customerOf(channel, input) : null;
}

/** Also where it may: contacts are not looked up for a batch. */
function changesContact(
  { state, contactKey }: OpenedSession,
  customer: RequestCustomer | null,
  { sessionName }: MessageSend,
): boolean {
  if (state!.contactId === null) return customer !== null || state!.externalUserId !== null;
  if (sessionName !== undefined && sessionName !== state!.sessionName) return true;
  return customer !== null && contactKey !== state!.contactKey;
}

const nothingMoved = { messages: [], events: [], record: null, attachments: [] };
