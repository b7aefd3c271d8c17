/**
 * Replies that are ready at the same time in different conversations of one account share a transaction: four round
 * trips and one commit for all of them. A reply goes alone if it does more than add a message (a handover, a held
 * reply, a message that a connector sends, several answered messages), or would have to wait for a conversation that
 * somebody else has locked.
 */

import type { Tx } from '../../platform/db/db.ts';
import { createBatchedWrite } from '../../platform/db/shared/batched-writes.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { currentTrace, inTrace } from '../../platform/telemetry/tracing.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { withCurrentAudience } from '../knowledge/knowledge.ts';
import { isWindowClosed, outgoingChange } from '../messages/messages.ts';
import { takePermissions } from '../pending-replies/pending-replies.ts';
import { type OpenedSession, openFreeSessions } from '../sessions/sessions.ts';
import type { ToolContext } from './ai-replies.actions.ts';
import {
  askedIn,
  endJobs,
  leaksOf,
  type MadeReply,
  replyEntry,
  target,
  type Work,
} from './ai-replies.commit.ts';
import type { Conversation } from './ai-replies.conversation.ts';
import { hasHiddenFields } from './ai-replies.fields.ts';

/** Whether it ended the job; null: the reply must be committed alone, and nothing was written. */
export type CommitShared = (
  work: Work,
  conversation: Conversation,
  reply: MadeReply,
) => Promise<boolean | null>;

interface Ready {
  work: Work;
  reply: MadeReply;
  traceparent: string | null;
}

/** Each holds two or more advisory locks, of which a server has a few thousand. */
const maxReplies = 25;
const nothingHidden = { hidden: [], visible: [] };

export function createCommitShared({
  clock,
  logger,
  accountConfig,
}: Omit<ToolContext, 'db'> & { logger: Logger }): CommitShared {
  const share = createBatchedWrite<Ready, boolean>({
    what: 'replies',
    logger,
    maxItems: maxReplies,
    write(ready) {
      const [{ work }] = ready as readonly [Ready];
      return accountConfig.runRule(work.accountId, (tx, config) =>
        writeAll(tx, work.accountId, ready, config, clock.now()),
      );
    },
  });
  return async (work, conversation, reply) => {
    const isPlain =
      !reply.handover &&
      !reply.isBlocked &&
      work.pending.length === 1 &&
      leaksOf(reply.text, conversation, nothingHidden).length === 0;
    return isPlain ? share(work.accountId, { work, reply, traceparent: currentTrace() }) : null;
  };
}

async function writeAll(
  tx: Tx,
  accountId: string,
  ready: readonly Ready[],
  config: AccountConfig,
  now: number,
): Promise<(boolean | null)[]> {
  if (hasHiddenFields(config.definitions)) return ready.map(() => null);
  const wanted = ready.map(({ work }) => ({ sessionId: work.sessionId }));
  const opened = await openFreeSessions(tx, accountId, wanted);
  const plain = new Map(
    ready.flatMap((one, index) => {
      const session = opened[index] ?? null;
      return isPlainIn(config, session, now) ? [[one, session!] as const] : [];
    }),
  );
  if (plain.size === 0) return ready.map(() => null);
  const asked = [...plain.keys()].flatMap(({ work }) => askedIn(work));
  const made = [...plain.keys()].map(({ reply }) => reply);
  const [permitted, current] = await Promise.all([
    takePermissions(tx, accountId, asked),
    // The model may have taken a while.
    withCurrentAudience(tx, made, () => accountId),
  ]);
  const replies = [...plain]
    .map(([one, session], index) => ({ ...one, reply: current[index]!, session }))
    .filter(({ work }) => permitted.has(target(work).messageId))
    .map(({ session, ...one }) => ({ ...one, change: changeOf(accountId, config, now, one, session) }));
  const ended = replies.length > 0 ? await endJobs(tx, accountId, replies, config.version) : new Set();
  return ready.map((one) => (plain.has(one) ? ended.has(one.work.job.id) : null));
}

function changeOf(
  accountId: string,
  { directory }: AccountConfig,
  now: number,
  { work, reply, traceparent }: Ready,
  { state }: OpenedSession,
) {
  const at = Math.max(now, state!.lastMessageAt);
  const message = {
    id: newId(at),
    position: state!.messageCount + 1,
    role: 'assistant' as const,
    content: reply.text,
    timestamp: at,
    agentId: work.agent.id,
    inReplyTo: target(work).messageId,
    citations: reply.citations,
  };
  const answered = [replyEntry(work, reply, message, { outcome: 'sent', reason: null, heldBy: [] })];
  const outgoing = { session: state!, before: state, message, agentId: work.agent.id, answered };
  return inTrace(traceparent, () => outgoingChange(accountId, at, directory, outgoing));
}

/** What the rest decides alone: a blocked contact, a closed window, a conversation that is or will be changed in more than its messages. */
function isPlainIn({ directory }: AccountConfig, opened: OpenedSession | null, now: number): boolean {
  const state = opened?.state;
  return (
    !!state &&
    !opened.isBlocked() &&
    !state.needsAttention &&
    !directory.connectedIds.has(state.channelId) &&
    !isWindowClosed(directory, state, 'agent', now)
  );
}
