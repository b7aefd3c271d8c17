/** Commits a reply, or its failure: one transaction each, together with the permission to reply. */
import type { GuardRule, ToolCall } from '../../../contract/messaging/messages.ts';
import type { Tx } from '../../platform/db/db.ts';
import { noteLiveChange } from '../../platform/events/live-changes.ts';
import { newId } from '../../platform/ids.ts';
import { completeEachIf, type Job } from '../../platform/jobs/jobs.ts';
import type { AccountConfig, AgentDefinition } from '../channels/channels.ts';
import {
  noteCitations,
  noteUnanswered,
  type Unanswered,
  withCurrentAudience,
} from '../knowledge/knowledge.ts';
import {
  type ConversationChange,
  commitConversations,
  isWindowClosed,
  type NewMessage,
  outgoingChange,
  windowClosedIn,
} from '../messages/messages.ts';
import {
  logSuppressed,
  type PendingReply,
  passPermission,
  type ReplyLogEntry,
  suppressReplies,
  takePermissions,
} from '../pending-replies/pending-replies.ts';
import {
  applyAiPaused,
  changeLifecycle,
  openSession,
  type SessionState,
  sessionUpdated,
  system,
} from '../sessions/sessions.ts';
import type { ToolContext } from './ai-replies.actions.ts';
import { type Conversation, knownTexts, ModelError, type ReplyResult } from './ai-replies.conversation.ts';
import { failureMessage } from './ai-replies.failure.ts';
import { type CardTexts, hasHiddenFields, textsOfCards } from './ai-replies.fields.ts';
import { repeatsNote, repeatsValue } from './ai-replies.guard.ts';
import type { ReplyRefusal } from './ai-replies.quota.ts';
import { giveReplyBack, nothingPending, selectCards } from './ai-replies.sql.ts';
import type { UnansweredQuestion } from './knowledge/ai-replies.gaps.ts';

export interface Work {
  job: Job;
  accountId: string;
  sessionId: string;
  /** Answered by this one reply; it answers the last one. */
  pending: PendingReply[];
  agent: AgentDefinition;
}

export interface MadeReply extends ReplyResult {
  latencyMs: number;
  /** The limit that allowed no reply of the AI: this one only hands the conversation over. */
  refusal: ReplyRefusal | null;
  /** The question that it does not answer. */
  unanswered: UnansweredQuestion | null;
}

export function target({ pending }: Work): PendingReply {
  return pending[pending.length - 1]!;
}

/** Transferred without a reply: the conversation's new agent answers. */
export async function passOn({ db, clock }: ToolContext, work: Work): Promise<void> {
  const { accountId, sessionId, agent } = work;
  await db.transaction(async (tx) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId);
    if (!state) return;
    if (isBlocked()) {
      await suppressReplies(tx, accountId, sessionId, 'contact blocked', clock.now());
      return;
    }
    if (state.agentId === agent.id)
      throw new ModelError('the model returned an empty answer', { retryable: false });
    await passPermission(tx, accountId, sessionId, target(work).messageId, state.agentId);
  });
}

/** Whether this ended the job. */
export async function commitReply(
  { clock, accountConfig }: ToolContext,
  work: Work,
  conversation: Conversation,
  reply: MadeReply,
): Promise<boolean> {
  return accountConfig.runRule(work.accountId, (tx, config) =>
    writeReply(tx, clock.now(), config, work, conversation, reply),
  );
}

async function writeReply(
  tx: Tx,
  startedAt: number,
  { version, definitions, directory }: AccountConfig,
  work: Work,
  conversation: Conversation,
  made: MadeReply,
): Promise<boolean> {
  const { accountId, sessionId, agent } = work;
  const { messageId } = target(work);
  const [{ state, isBlocked }, taken, cards, [reply = made]] = await Promise.all([
    openSession(tx, accountId, sessionId),
    takePermissions(tx, accountId, askedIn(work)),
    hasHiddenFields(definitions) ? selectCards(tx, accountId, sessionId) : [],
    // The model may have taken a while.
    withCurrentAudience(tx, [made], () => accountId),
  ]);
  if (!state) return false;
  const now = Math.max(startedAt, state.lastMessageAt);
  if (isBlocked()) {
    // A block revokes the permissions itself; this is the last check before sending.
    const mine = work.pending.filter((one) => taken.has(one.messageId));
    await logSuppressed(tx, accountId, sessionId, mine, 'contact blocked', now);
    await suppressReplies(tx, accountId, sessionId, 'contact blocked', now);
    return false;
  }
  if (!taken.has(messageId)) return false;
  // The agent's reply may take longer than the window is open.
  const isLate = isWindowClosed(directory, state, 'agent', startedAt);
  const leaks = leaksOf(reply.text, conversation, textsOfCards(definitions, cards));
  const heldBy: GuardRule[] = [
    ...leaks,
    ...(reply.isBlocked ? (['blocked_pattern'] as const) : []),
    ...(isLate ? (['window'] as const) : []),
  ];
  const held = heldBy.length > 0;
  const heldFor = held ? reasonsToHold[heldBy[0]!] : null;
  let session: SessionState = held ? { ...state, needsAttention: true } : state;
  if (reply.handover) {
    if (!session.aiPaused) {
      const changedBy = { id: agent.id, isAgent: true };
      session = await applyAiPaused(tx, accountId, now, session, true, changedBy);
    }
    session = { ...session, needsAttention: true };
  }
  const { refusal } = reply;
  const systemMessage = refusal && failureLine(session, refusal.reason, now);
  const message: NewMessage = {
    id: newId(now),
    position: (systemMessage?.position ?? session.messageCount) + 1,
    role: 'assistant',
    content: reply.text,
    timestamp: now,
    held,
    statusReason: isLate ? lateReason(windowClosedIn(directory, state.channelId), heldBy[0]!) : null,
    agentId: agent.id,
    inReplyTo: messageId,
    citations: reply.citations,
  };
  const outcome = refusal ? 'failed' : held ? 'held' : 'sent';
  const answered = [...taken].map((id) =>
    id === messageId
      ? replyEntry(work, reply, message, { outcome, reason: refusal?.reason ?? heldFor, heldBy })
      : mergedEntry(work, id, message, refusal?.reason ?? heldFor),
  );
  const open = session.needsAttention ? reopened(accountId, now, session) : { session };
  const outgoing = { ...open, message, systemMessage, agentId: agent.id, answered };
  const change = outgoingChange(accountId, now, directory, outgoing);
  const [ended] = await Promise.all([
    endJobs(tx, accountId, [{ work, change, reply }], version),
    refusal?.isAgents && noteAgentLimit(tx, accountId, agent.id, refusal.reason),
  ]);
  return ended.has(work.job.id);
}

/** Commits the replies. Usually nothing else waits in their conversations: then their jobs end in the same commit. */
export async function endJobs(
  tx: Tx,
  accountId: string,
  replies: readonly { work: Work; change: ConversationChange; reply: MadeReply }[],
  version: number,
): Promise<Set<string>> {
  const jobs = replies.map(({ work }) => work.job);
  const changes = replies.map(({ change }) => change);
  const cited = changes.flatMap(({ messages }) =>
    messages.map(({ id, timestamp, citations = [] }) => ({ messageId: id, at: timestamp, citations })),
  );
  const [ended] = await Promise.all([
    completeEachIf(tx, accountId, jobs, nothingPending),
    commitConversations(tx, accountId, changes, version),
    noteCitations(tx, accountId, cited),
    noteUnanswered(tx, accountId, replies.flatMap(unansweredIn)),
  ]);
  return ended;
}

const unansweredIn = ({
  work,
  change,
  reply,
}: {
  work: Work;
  change: ConversationChange;
  reply: MadeReply;
}): Unanswered[] =>
  reply.unanswered === null
    ? []
    : [
        {
          ...reply.unanswered,
          sessionId: work.sessionId,
          at: change.session.updatedAt,
        },
      ];

export const askedIn = ({ sessionId, pending }: Work) =>
  pending.map(({ messageId }) => ({ sessionId, messageId }));

/** Of the message that the reply answers. */
export function replyEntry(
  work: Work,
  reply: MadeReply,
  message: NewMessage,
  { outcome, reason, heldBy }: Pick<ReplyLogEntry, 'outcome' | 'reason' | 'heldBy'>,
): ReplyLogEntry {
  const { usage, latencyMs, cost, toolCalls, retrieved, citations, refusal } = reply;
  const { handover, handoverReason = 'requested' } = reply;
  const { inputTokens, outputTokens } = usage;
  const entry = mergedEntry(work, target(work).messageId, message, reason);
  return {
    ...entry,
    outcome,
    inputTokens,
    outputTokens,
    latencyMs,
    cost,
    toolCalls: toolCalls.length > 0 ? toolCalls : null,
    heldBy,
    // The agent's own knowledge is given whole to each reply: its text would be stored with every one.
    retrieved:
      retrieved.length > 0
        ? retrieved.map((one) => (one.documentId === null ? { ...one, excerpt: '' } : one))
        : null,
    citations: citations.length > 0 ? citations : null,
    handoverReason: refusal ? 'limit' : handover ? handoverReason : null,
  };
}

/** Of one that is answered with another one. */
function mergedEntry(
  { sessionId, agent }: Work,
  messageId: string,
  { id, timestamp }: NewMessage,
  reason: string | null,
): ReplyLogEntry {
  const { provider, model } = agent;
  return {
    at: timestamp,
    sessionId,
    messageId,
    replyId: id,
    agentId: agent.id,
    agentVersion: agent.version,
    outcome: 'merged',
    reason,
    provider,
    model,
    inputTokens: null,
    outputTokens: null,
    latencyMs: null,
    ...unexplained,
    handoverReason: null,
  };
}

/** Of a message without a reply of its own. */
const unexplained = { cost: null, toolCalls: null, heldBy: null, retrieved: null, citations: null };

/** What needs a person must be in the list of open conversations: it may have been resolved or snoozed meanwhile. */
function reopened(accountId: string, now: number, state: SessionState) {
  const { state: session, change } = changeLifecycle(state, now, system, { status: 'open' });
  const events = change ? [sessionUpdated(accountId, session, change)] : [];
  return { session, sessionChange: change, events };
}

const reasonsToHold: Readonly<Record<GuardRule, string>> = {
  note: 'repeats a note',
  hidden_field: 'repeats a field that is hidden from the AI',
  blocked_pattern: 'says what the agent must never say',
  window: 'the window is closed',
};

/** What a reply tells that must not be sent before a person has read it. */
export function leaksOf(
  text: string,
  conversation: Conversation,
  { hidden, visible }: CardTexts,
): ('note' | 'hidden_field')[] {
  const known = knownTexts(conversation);
  const notes = conversation.notes.map((note) => note.content);
  return [
    ...(repeatsNote(text, notes, known) ? (['note'] as const) : []),
    ...(repeatsValue(text, hidden, [...known, ...visible]) ? (['hidden_field'] as const) : []),
  ];
}

/** Those who manage agents are notified of it. */
const noteAgentLimit = (tx: Tx, accountId: string, agentId: string, reason: string): Promise<void> =>
  noteLiveChange(tx, accountId, { type: 'agent.limited', subjectId: agentId, detail: reason });

/** Both are told: after the next message of the customer only the first is over. */
const lateReason = (windowReason: string, rule: GuardRule): string =>
  rule === 'window' ? windowReason : `${windowReason} This reply also ${reasonsToHold[rule]}.`;

const failureLine = ({ messageCount }: SessionState, reason: string, now: number): NewMessage => ({
  id: newId(now),
  position: messageCount + 1,
  role: 'system',
  content: failureMessage(reason),
  timestamp: now,
});

/** Never silence, never an invented answer: writes a line in the chat for the team and requests a person. */
export async function commitFailure(
  { db, clock }: ToolContext,
  work: Work,
  { reason, toolCalls, latencyMs }: { reason: string; toolCalls: readonly ToolCall[]; latencyMs: number },
): Promise<void> {
  const { accountId, sessionId, agent } = work;
  const messageIds = work.pending.map((one) => one.messageId);
  const { provider, model } = agent;
  await db.transaction(async (tx) => {
    const now = clock.now();
    const { state } = await openSession(tx, accountId, sessionId);
    await giveReplyBack(tx, accountId, sessionId, messageIds);
    const taken = await takePermissions(tx, accountId, askedIn(work));
    if (!state || taken.size === 0) return;
    const answered = [...taken].map((messageId) => ({
      at: now,
      sessionId,
      messageId,
      replyId: null,
      agentId: agent.id,
      agentVersion: agent.version,
      outcome: 'failed' as const,
      reason: reason.slice(0, 1_000),
      provider,
      model,
      inputTokens: null,
      outputTokens: null,
      latencyMs,
      ...unexplained,
      toolCalls: messageId === target(work).messageId && toolCalls.length > 0 ? [...toolCalls] : null,
      handoverReason: null,
    }));
    const line = failureLine(state, reason, now);
    const { session, ...opened } = reopened(accountId, now, { ...state, needsAttention: true });
    await commitConversations(
      tx,
      accountId,
      [
        {
          ...opened,
          session: { ...session, messageCount: line.position, lastMessageAt: now, updatedAt: now },
          isNewSession: false,
          messages: [line],
          record: null,
          reply: null,
          answered,
        },
      ],
      null,
    );
  });
}
