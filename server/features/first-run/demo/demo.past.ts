/** Writes conversations with their past, many rows at once. */
import type { Tx } from '../../../platform/db/db.ts';
import { emitAllFrozen, type FrozenEvent } from '../../../platform/events/outbox.ts';
import { insertPastMessages } from '../../messages/messages.ts';
import { insertPastReplies } from '../../pending-replies/pending-replies.ts';
import {
  insertPastPauses,
  insertPastSessions,
  insertSessionChanges,
  searchTextOf,
} from '../../sessions/sessions.ts';
import type { SettledConversation } from './demo.lifecycle.ts';

const rowsAtATime = 500;

export async function insertConversations(
  tx: Tx,
  accountId: string,
  conversations: readonly SettledConversation[],
  versionAt: (agentId: string, at: number) => number,
): Promise<void> {
  const sessions = conversations.map(({ session }) => ({ ...session, searchText: searchTextOf(session) }));
  for (const some of inParts(sessions)) await insertPastSessions(tx, accountId, some);

  const messages = conversations.flatMap(({ session, messages: said }) =>
    said.map((message) => ({ ...message, sessionId: session.sessionId })),
  );
  for (const some of inParts(messages)) await insertPastMessages(tx, accountId, some);

  const replies = conversations.flatMap(({ session, replies: made }) =>
    made.map((reply) => ({
      ...reply,
      sessionId: session.sessionId,
      agentId: session.agentId,
      agentVersion: reply.outcome === 'suppressed' ? null : versionAt(session.agentId, reply.at),
      provider: reply.outcome === 'suppressed' ? null : 'offline',
    })),
  );
  for (const some of inParts(replies)) await insertPastReplies(tx, accountId, some);

  const pauses = conversations.flatMap(({ session: { sessionId, agentId }, pauses: made }) =>
    made.map(({ at, aiPaused, changedBy, sequence }) => ({
      sessionId,
      sequence,
      at,
      paused: aiPaused,
      byAgent: changedBy === agentId,
    })),
  );
  for (const some of inParts(pauses)) await insertPastPauses(tx, accountId, some);

  const changes = conversations.flatMap(({ session: { sessionId }, changes: made }) =>
    made.map(({ change }) => ({ sessionId, ...change })),
  );
  for (const some of inParts(changes)) await insertSessionChanges(tx, accountId, some);
}

export async function insertPastEvents(tx: Tx, events: readonly FrozenEvent[]): Promise<void> {
  for (const some of inParts(events)) await emitAllFrozen(tx, some);
}

function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let i = 0; i < items.length; i += rowsAtATime) yield items.slice(i, i + rowsAtATime);
}
