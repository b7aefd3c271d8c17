/**
 * Messages that come at the same time for different conversations of one account share a transaction: two round trips
 * and one commit for all of them. On two cores a send alone takes three times the processor time of one in a group.
 * Whatever needs more than its own conversation as it stands (a new one, a transfer, a file), is refused, or would have
 * to wait for someone else's conversation goes alone, so that one conversation cannot hold up others.
 */
import type { MessageAccepted, MessageSend } from '../../../contract/messages.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { DirectoryCache } from '../channels/channels.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { type OpenedSession, openFreeSessions } from '../sessions/sessions.ts';
import type { ConversationChange } from './messages.commit.sql.ts';
import { conclude, receive, requireChannel } from './messages.send.ts';
import { commitPlain } from './messages.together.sql.ts';
import type { MoveContext } from './messages.transfer.ts';

/** Null: it must be sent alone. */
export type SendTogether = (actor: Actor, input: MessageSend) => Promise<MessageAccepted | null>;

interface Send {
  actor: Actor;
  input: MessageSend & { sessionId: string };
}

/** Each holds two or more advisory locks, of which a server has a few thousand. */
const maxSends = 25;

export function createSendTogether(context: {
  db: Db;
  clock: Clock;
  definitions: DefinitionsCache;
  directory: DirectoryCache;
}): SendTogether {
  const { db, clock, definitions, directory } = context;
  const group = createBatcher<Send, MessageAccepted | null>({
    maxItems: maxSends,
    async run(accountId, sends) {
      try {
        const accepted = await db.transaction(
          (tx) =>
            definitions.withDefinitions(
              tx,
              accountId,
              async (current) => {
                const people = await directory.of(accountId, current, tx);
                const now = clock.now();
                return sendAll(tx, accountId, sends, { now, definitions: current, directory: people });
              },
              { checkedAtEnd: true },
            ),
          { endsWithRule: true },
        );
        return accepted.map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        // A statement failed, so nothing was written: each may try alone. After a lost connection nobody knows.
        if (error instanceof AppError) throw error;
        return sends.map(() => ({ status: 'fulfilled', value: null }));
      }
    },
  });
  return async (actor, input) => {
    const { sessionId } = input;
    if (sessionId === undefined || input.attachments?.length) return null;
    return group(actor.accountId, { actor, input: { ...input, sessionId } });
  };
}

async function sendAll(
  tx: Tx,
  accountId: string,
  sends: readonly Send[],
  context: Omit<MoveContext, 'actor'>,
): Promise<(MessageAccepted | null)[]> {
  const opened = await openFreeSessions(
    tx,
    accountId,
    sends.map(({ input }) => input),
  );
  const outcomes = sends.map((send, index) => decide(send, opened[index] ?? null, context));
  const changes = outcomes.flatMap((outcome) => outcome?.change ?? []);
  if (changes.length > 0) await commitPlain(tx, accountId, changes, context.definitions.version);
  return outcomes.map((outcome) => outcome?.accepted ?? null);
}

/** Null also for what is refused: sent alone it is refused again, and with more care. */
function decide(
  { actor, input }: Send,
  opened: OpenedSession | null,
  context: Omit<MoveContext, 'actor'>,
): { change: ConversationChange; accepted: MessageAccepted } | null {
  if (!opened?.state) return null;
  const sending = { ...context, actor };
  try {
    const arrival = receive(sending, input, requireChannel(sending, input), input.sessionId, opened);
    const { before, target } = arrival;
    if (before!.agentId !== target.agentId || before!.kanbanId !== target.kanban.id) return null;
    return conclude(sending, input, arrival, nothingMoved);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const nothingMoved = { messages: [], events: [], record: null, attachments: [] };
