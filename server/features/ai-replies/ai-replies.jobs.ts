/**
 * The reply job: one per conversation that waits for answers. It takes the unanswered messages in order, makes a
 * reply outside any transaction, and commits it together with the permission to reply. An earlier pause, transfer or
 * block has revoked the permission, and the reply is dropped. A stop aborts the call of the model: the job is
 * released unchanged, and the next worker makes the reply.
 */
import { enqueue, type Job, type JobHandler, JobReleased } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Signals } from '../connectors/connectors.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import type { KnowledgeSearch } from '../knowledge/knowledge.ts';
import { replyJobKind } from '../messages/messages.ts';
import { type PendingReply, selectPendingReplies } from '../pending-replies/pending-replies.ts';
import { openSession } from '../sessions/sessions.ts';
import { createAgentTools, ReplySuppressed } from './ai-replies.actions.ts';
import { type CommitShared, createCommitShared } from './ai-replies.batch.ts';
import { makeReply } from './ai-replies.build.ts';
import { commitFailure, commitReply, passOn, target, type Work } from './ai-replies.commit.ts';
import { type Conversation, ModelError, type ReplyResult } from './ai-replies.conversation.ts';
import { readConversation } from './ai-replies.history.ts';
import { agentRefusal } from './ai-replies.limits.ts';
import { callNow, ownTools } from './ai-replies.own-tools.ts';
import { type CountReply, createReplyQuota, type QuotaDeps, type ReplyRefusal } from './ai-replies.quota.ts';
import type { OwnToolContext } from './ai-replies.tool-values.ts';
import { questionWords, unansweredQuestion } from './knowledge/ai-replies.gaps.ts';
import { compilePatterns } from './model/ai-replies.offline.phrases.ts';
import { handoverReply } from './model/ai-replies.offline.ts';

export { compilePatterns, questionWords };

/** For the job, if something other than the model fails; by then some 15 s have passed. */
const maxAttempts = 5;

export interface ReplyContext extends OwnToolContext {
  config: QuotaDeps['config'];
  definitions: DefinitionsCache;
  logger: Logger;
  knowledgeSearch: KnowledgeSearch;
  signals: Signals;
}

/** What replies of several conversations share. */
interface Answering extends ReplyContext {
  countReply: CountReply;
  commitShared: CommitShared;
}

export function replyHandler(deps: ReplyContext): JobHandler {
  const context = {
    ...deps,
    countReply: createReplyQuota(deps),
    commitShared: createCommitShared(deps),
  };
  return async (job) => {
    const { accountId } = job;
    const sessionId = String(job.payload.sessionId);
    for (;;) {
      const [waiting, { directory }] = await context.db.readPipelined((reader) =>
        Promise.all([
          selectPendingReplies(reader, accountId, sessionId),
          context.accountConfig.fresh(accountId, reader),
        ]),
      );
      const [first] = waiting;
      if (!first?.due) {
        if (await finish(context, job, sessionId)) return;
        continue;
      }
      const agent = directory.agents.get(first.agentId);
      if (!agent) throw new Error(`agent ${first.agentId} does not exist`);
      const pending = agent.batchWindowMs > 0 ? burst(waiting) : [first];
      const work = { job, accountId, sessionId, pending, agent };
      const stopTyping =
        directory.connectedIds.size > 0 ? context.signals.thinking(accountId, sessionId) : () => {};
      const ended = await answer(context, work, job.attempt >= maxAttempts).finally(stopTyping);
      if (ended) return;
    }
  };
}

/** What one reply answers: all waiting messages, up to a voice message that is still being transcribed. */
function burst(waiting: PendingReply[]): PendingReply[] {
  const end = waiting.findIndex(({ awaitsTranscript, due }) => awaitsTranscript && !due);
  return end < 0 ? waiting : waiting.slice(0, end);
}

/** Ends the job unless a message arrived meanwhile: its sender found the job still there and enqueued none. */
async function finish({ db }: ReplyContext, job: Job, sessionId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await openSession(tx, job.accountId, sessionId);
    const left = await selectPendingReplies(tx, job.accountId, sessionId);
    if (left[0]?.due) return false;
    await job.complete(tx);
    if (left[0]) {
      const payload = { sessionId };
      await enqueue(tx, {
        accountId: job.accountId,
        kind: replyJobKind,
        payload,
        dedupeKey: sessionId,
        delayMs: left[0].waitMs,
      });
    }
    return true;
  });
}

/** Whether this ended the job. */
async function answer(context: Answering, work: Work, isLast: boolean): Promise<boolean> {
  const begun = performance.now();
  try {
    const { conversation, refusal } = await prepare(context, work);
    if (refusal && !refusal.handsOver) {
      const latencyMs = millisecondsSince(begun);
      await commitFailure(context, work, { reason: refusal.reason, toolCalls: [], latencyMs });
      return false;
    }
    const reply = refusal ? handoverReply(conversation) : await replyTo(context, work, conversation);
    if (!reply.text.trim() && !reply.handover) {
      await passOn(context, work);
      return false;
    }
    const unanswered = refusal ? null : unansweredQuestion(work.agent, conversation, reply);
    const made = { ...reply, refusal, unanswered, latencyMs: millisecondsSince(begun) };
    return (
      (await context.commitShared(work, conversation, made)) ??
      (await commitReply(context, work, conversation, made))
    );
  } catch (error) {
    if (error instanceof ReplySuppressed) return false;
    if (error instanceof JobReleased) throw error;
    if (!(error instanceof ModelError) && !isLast) throw error;
    // The log gets no text of the provider, which may quote the conversation; the team gets no text of other errors.
    const isModels = error instanceof ModelError;
    context.logger.warn(
      { agent: work.agent.id, ...(isModels ? { reason: error.message } : { err: error }) },
      'a reply could not be made',
    );
    const reason = isModels ? error.details : 'the reply could not be made';
    const toolCalls = isModels ? error.toolCalls : [];
    await commitFailure(context, work, { reason, toolCalls, latencyMs: millisecondsSince(begun) });
    return false;
  }
}

const millisecondsSince = (begun: number): number => Math.round(performance.now() - begun);

/**
 * Runs both in parallel. Both have ended when this throws: a failure returns the reply to the quota, so it must have
 * been counted.
 */
async function prepare(
  context: Answering,
  work: Work,
): Promise<{ conversation: Conversation; refusal: ReplyRefusal | null }> {
  const [quota, conversation] = await Promise.allSettled([
    countUnlessLimited(context, work),
    readConversation(context, { ...work, position: target(work).position }),
  ]);
  if (quota.status === 'rejected') throw quota.reason;
  if (conversation.status === 'rejected') throw conversation.reason;
  return { conversation: conversation.value, refusal: quota.value };
}

/** What an agent may not answer is not counted for the account. */
async function countUnlessLimited(context: Answering, work: Work): Promise<ReplyRefusal | null> {
  return (await agentRefusal(context, work)) ?? context.countReply(work);
}

function replyTo(context: ReplyContext, work: Work, conversation: Conversation): Promise<ReplyResult> {
  const { accountId, sessionId, agent } = work;
  const place = { accountId, sessionId, messageId: target(work).messageId, agent };
  const builtIn = createAgentTools(context, place);
  return makeReply(conversation, {
    fetch: context.safeFetch.fetch,
    signal: work.job.signal,
    toolsFor: async (signal) => ({
      ...builtIn,
      own: await ownTools(context.db, accountId, agent, (tool, named) =>
        callNow(context, place, signal, tool, named),
      ),
    }),
  });
}
