/**
 * Replies that are ready at the same time in different conversations of one account share a transaction: four round
 * trips and one commit for all of them. A reply goes alone if it does more than add a message (a handover, a held
 * reply, a message that a connector sends, several answered messages), or would have to wait for a conversation that
 * somebody else has locked.
 */
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { completeEachIf } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { currentTrace, inTrace } from '../../platform/telemetry/tracing.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { commitConversations, isWindowClosed, outgoingChange } from '../messages/messages.ts';
import { insertReplyLogs, takeEachPermission } from '../pending-replies/pending-replies.ts';
import { type OpenedSession, openFreeSessions } from '../sessions/sessions.ts';
import type { ToolContext } from './ai-replies.actions.ts';
import { type MadeReply, reasonToHold, target, type Work } from './ai-replies.commit.ts';
import type { Conversation } from './ai-replies.conversation.ts';
import { hasHiddenFields } from './ai-replies.fields.ts';
import { nothingPendingOf } from './ai-replies.sql.ts';

/** Whether it ended the job; null: the reply must be committed alone, and nothing was written. */
export type CommitBatched = (
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

export function createCommitBatched({
  clock,
  logger,
  accountConfig,
}: Omit<ToolContext, 'db'> & { logger: Logger }): CommitBatched {
  const batch = createBatcher<Ready, boolean | null>({
    maxItems: maxReplies,
    async run(accountId, ready) {
      try {
        const ended = await accountConfig.runRule(accountId, (tx, config) =>
          writeAll(tx, accountId, ready, config, clock.now()),
        );
        return ended.map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        // A statement failed, so nothing was written: each may try alone. After a lost connection nobody knows.
        if (error instanceof AppError) throw error;
        logger.warn(
          { err: error, accountId, count: ready.length },
          'a batch of replies failed; each is written alone',
        );
        return ready.map(() => ({ status: 'fulfilled', value: null }));
      }
    },
  });
  return async (work, conversation, reply) => {
    const isPlain =
      !reply.handover &&
      work.pending.length === 1 &&
      reasonToHold(reply.text, conversation, nothingHidden) === null;
    return isPlain ? batch(work.accountId, { work, reply, traceparent: currentTrace() }) : null;
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
  const plain = ready.filter((_, index) => isPlainIn(config, opened[index] ?? null, now));
  if (plain.length === 0) return ready.map(() => null);
  const permitted = await takeEachPermission(
    tx,
    accountId,
    plain.map(({ work }) => ({ sessionId: work.sessionId, messageId: target(work).messageId })),
  );
  const kept = plain.filter(({ work }) => permitted.has(target(work).messageId));
  const ended = kept.length > 0 ? await writeKept(kept) : new Set<string>();
  return ready.map((one) => (plain.includes(one) ? ended.has(one.work.job.id) : null));

  async function writeKept(kept: readonly Ready[]): Promise<Set<string>> {
    const made = kept.map((one) => changeOf(one, opened[ready.indexOf(one)]!));
    await insertReplyLogs(
      tx,
      accountId,
      made.map(({ entry }) => entry),
    );
    const [ended] = await Promise.all([
      completeEachIf(
        tx,
        accountId,
        kept.map(({ work }) => work.job),
        nothingPendingOf,
      ),
      commitConversations(
        tx,
        accountId,
        made.map(({ change }) => change),
        config.version,
      ),
    ]);
    return ended;
  }

  function changeOf({ work, reply, traceparent }: Ready, { state }: OpenedSession) {
    const { sessionId, agent } = work;
    const { messageId } = target(work);
    const at = Math.max(now, state!.lastMessageAt);
    const message = {
      id: newId(at),
      position: state!.messageCount + 1,
      role: 'assistant' as const,
      content: reply.text,
      timestamp: at,
      agentId: agent.id,
      inReplyTo: messageId,
    };
    const outgoing = { session: state!, message, agentId: agent.id };
    const { inputTokens, outputTokens } = reply.usage;
    const { provider, model } = agent;
    return {
      change: inTrace(traceparent, () => outgoingChange(accountId, at, config.directory, outgoing)),
      entry: {
        at,
        sessionId,
        messageId,
        replyId: message.id,
        agentId: agent.id,
        outcome: 'sent' as const,
        reason: null,
        provider,
        model,
        inputTokens,
        outputTokens,
        latencyMs: reply.latencyMs,
      },
    };
  }
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
