/**
 * The reply job: one per conversation that waits for answers. It takes the unanswered messages in their order, makes a
 * reply outside any transaction, and commits it together with the permission to reply. A pause, a transfer or a block
 * that committed before took the permission away, and the reply is dropped.
 */
import { newId } from '../../platform/ids.ts';
import { enqueue, type Job, type JobHandler } from '../../platform/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type AgentDefinition, freshDirectory } from '../channels/channels.ts';
import { commitConversation, commitOutgoing, type NewMessage, replyJobKind } from '../messages/messages.ts';
import { applyAiPaused, openSession, type SessionState, suppressReplies } from '../sessions/sessions.ts';
import { createAgentTools, ReplySuppressed, type ToolContext } from './ai-replies.actions.ts';
import { type Conversation, knownTexts, ModelError, type ReplyResult } from './ai-replies.conversation.ts';
import { repeatsNote } from './ai-replies.guard.ts';
import { readConversation } from './ai-replies.history.ts';
import { generateReply } from './ai-replies.model.ts';
import { offlineReply } from './ai-replies.offline.ts';
import { withTries } from './ai-replies.retry.ts';
import {
  insertReplyLog,
  nothingPending,
  type PendingReply,
  passPermission,
  selectPendingReplies,
  takePermissions,
} from './ai-replies.sql.ts';

/** Of the job, when something other than the model fails; by then some 15 s have passed. */
const mostAttempts = 5;
const failureText =
  'The assistant could not answer: the model did not respond. A colleague needs to take over this conversation.';

export interface ReplyContext extends ToolContext {
  secrets: Secrets;
  logger: Logger;
  safeFetch: SafeFetch;
}

interface Work {
  job: Job;
  accountId: string;
  sessionId: string;
  /** Answered by this one reply; the last is the one that it answers. */
  pending: PendingReply[];
  agent: AgentDefinition;
}

export function replyHandler(context: ReplyContext): JobHandler {
  return async (job) => {
    const { accountId } = job;
    const sessionId = String(job.payload.sessionId);
    for (;;) {
      const waiting = await selectPendingReplies(context.db, accountId, sessionId);
      const [first] = waiting;
      if (!first?.due) {
        if (await finish(context, job, sessionId)) return;
        continue;
      }
      const people = await freshDirectory(context.definitions, context.directory, accountId);
      const agent = people.agents.get(first.agentId);
      if (!agent) throw new Error(`agent ${first.agentId} does not exist`);
      const pending = agent.batchWindowMs > 0 ? burst(waiting) : [first];
      const work = { job, accountId, sessionId, pending, agent };
      if (await answer(context, work, job.attempt >= mostAttempts)) return;
    }
  };
}

/** What one reply answers: all that wait, up to a voice message that is still being listened to. */
function burst(waiting: PendingReply[]): PendingReply[] {
  const end = waiting.findIndex(({ awaitsTranscript, due }) => awaitsTranscript && !due);
  return end < 0 ? waiting : waiting.slice(0, end);
}

/** Ends the job unless a message came in meanwhile: its sender found the job still there and enqueued none. */
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

/** Whether the job has ended with it. */
async function answer(context: ReplyContext, work: Work, isLast: boolean): Promise<boolean> {
  const begun = performance.now();
  try {
    const conversation = await readConversation(context, { ...work, position: target(work).position });
    const reply = await makeReply(context, work, conversation);
    return await commitReply(context, work, conversation, reply, Math.round(performance.now() - begun));
  } catch (error) {
    if (error instanceof ReplySuppressed) return false;
    if (!(error instanceof ModelError) && !isLast) throw error;
    // Of an error that is not ours to word only the log gets to know.
    const reason = error instanceof ModelError ? error.message : 'the reply could not be made';
    context.logger.warn(
      { agent: work.agent.id, reason, ...(!(error instanceof ModelError) && { err: error }) },
      'a reply could not be made',
    );
    await commitFailure(context, work, reason, Math.round(performance.now() - begun));
    return false;
  }
}

function target({ pending }: Work): PendingReply {
  return pending[pending.length - 1]!;
}

async function makeReply(
  context: ReplyContext,
  work: Work,
  conversation: Conversation,
): Promise<ReplyResult> {
  const { accountId, sessionId, agent } = work;
  if (agent.provider === 'offline') return offlineReply(conversation);
  const tools = createAgentTools(context, { accountId, sessionId, messageId: target(work).messageId, agent });
  const stop = new AbortController();
  return withTries(
    ({ timeoutMs, signal }) =>
      generateReply(conversation, tools, { fetch: context.safeFetch.fetch, signal, timeoutMs }),
    { signal: stop.signal },
  );
}

async function commitReply(
  { db, clock, definitions, directory }: ReplyContext,
  work: Work,
  conversation: Conversation,
  reply: ReplyResult,
  latencyMs: number,
): Promise<boolean> {
  const { accountId, sessionId, agent } = work;
  const { messageId } = target(work);
  const people = await freshDirectory(definitions, directory, accountId);
  return db.transaction(async (tx) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId);
    if (!state) return false;
    const now = Math.max(clock.now(), state.lastMessageAt);
    if (isBlocked()) {
      // The block took the permissions itself; this is the same question at the last way out.
      await suppressReplies(tx, accountId, sessionId, 'contact blocked', now);
      return false;
    }
    if (!reply.text.trim() && !reply.handover) {
      // Transferred without a word: the agent that has the conversation now answers.
      if (state.agentId === agent.id)
        throw new ModelError('the model gave an empty answer', { retryable: false });
      await passPermission(tx, accountId, sessionId, messageId, state.agentId);
      return false;
    }
    const taken = await takePermissions(
      tx,
      accountId,
      sessionId,
      work.pending.map((one) => one.messageId),
    );
    if (!taken.includes(messageId)) return false;
    const notes = conversation.notes.map((note) => note.content);
    const held = repeatsNote(reply.text, notes, knownTexts(conversation));
    let session: SessionState = held ? { ...state, needsAttention: true } : state;
    if (reply.handover) {
      if (!session.aiPaused) {
        const changedBy = { id: agent.id, isAgent: true };
        session = await applyAiPaused(tx, accountId, now, session, true, changedBy);
      }
      session = { ...session, needsAttention: true };
    }
    const message: NewMessage = {
      id: newId(now),
      position: session.messageCount + 1,
      role: 'assistant',
      content: reply.text,
      timestamp: now,
      held,
      agentId: agent.id,
      inReplyTo: messageId,
    };
    for (const id of taken) {
      const merged = id !== messageId;
      insertReplyLog(
        tx,
        accountId,
        {
          sessionId,
          messageId: id,
          replyId: message.id,
          agentId: agent.id,
          outcome: merged ? 'merged' : held ? 'held' : 'sent',
          reason: held ? 'repeats a note' : null,
          provider: agent.provider,
          model: agent.model,
          inputTokens: merged ? null : reply.usage.inputTokens,
          outputTokens: merged ? null : reply.usage.outputTokens,
          latencyMs: merged ? null : latencyMs,
        },
        now,
      );
    }
    // Mostly this was the only one that waited: the job ends with the reply, in the same commit.
    const [ended] = await Promise.all([
      work.job.completeIf(tx, nothingPending(accountId, sessionId)),
      commitOutgoing(tx, accountId, now, people, { session, message, agentId: agent.id }),
    ]);
    return ended;
  });
}

/** Never silence, never an invented answer: a line in the chat, and a person is called. */
async function commitFailure(
  { db, clock }: ReplyContext,
  work: Work,
  reason: string,
  latencyMs: number,
): Promise<void> {
  const { accountId, sessionId, agent } = work;
  await db.transaction(async (tx) => {
    const now = clock.now();
    const { state } = await openSession(tx, accountId, sessionId);
    const taken = await takePermissions(
      tx,
      accountId,
      sessionId,
      work.pending.map((one) => one.messageId),
    );
    if (!state || taken.length === 0) return;
    for (const messageId of taken) {
      insertReplyLog(
        tx,
        accountId,
        {
          sessionId,
          messageId,
          replyId: null,
          agentId: agent.id,
          outcome: 'failed',
          reason: reason.slice(0, 1_000),
          provider: agent.provider,
          model: agent.model,
          inputTokens: null,
          outputTokens: null,
          latencyMs,
        },
        now,
      );
    }
    const position = state.messageCount + 1;
    await commitConversation(tx, accountId, {
      session: { ...state, messageCount: position, needsAttention: true, lastMessageAt: now, updatedAt: now },
      isNewSession: false,
      messages: [{ id: newId(now), position, role: 'system', content: failureText, timestamp: now }],
      record: null,
      reply: null,
      events: [],
      definitionsVersion: null,
    });
  });
}
