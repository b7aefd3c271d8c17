/**
 * Calls of tools that change something. Each is a row before it is made, so that it is made once: a call that was cut off
 * is unknown and never repeated. A pause, a transfer and a block take what has not begun, by the same rows.
 */
import { limits } from '../../../contract/limits.ts';
import type { ToolCallEntry } from '../../../contract/tool-calls.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Actor } from '../accounts/accounts.ts';
import {
  findSameCall,
  findToolCall,
  hasPermission,
  hasWaitingCall,
  insertToolCall,
  moveToolCall,
  type NewCall,
  type StoredCall,
} from '../pending-replies/pending-replies.ts';
import {
  openSession,
  requireOpenSession,
  type SessionState,
  stillNeedsAttention,
  updateSession,
} from '../sessions/sessions.ts';
import { callTool, checkCall, type StoredTool, shortened } from '../tools/tools.ts';
import { ReplySuppressed } from './ai-replies.actions.ts';
import {
  type OwnToolContext,
  type OwnToolPlace,
  outcomeText,
  serviceValues,
} from './ai-replies.tool-values.ts';

export const toolCallJobKind = jobKind('tool-call');
export const expiredCallJobKind = jobKind('expired-tool-call');

const { approvalMs } = limits.tools;
/** The clocks of the job and of the call may differ by a little. */
const expiryDelayMs = approvalMs + 1_000;

/** More than any call takes. */
const longestCallMs = 2 * limits.tools.timeoutMs.max;

/** A connection that takes longer would keep a pause waiting. */
const startMs = 2_000;

/** Asks a person, or makes the call if nobody has to approve it. Returns what the model reads. */
export async function requestCall(
  context: OwnToolContext,
  { accountId, sessionId, messageId, agent }: OwnToolPlace,
  tool: StoredTool,
  given: Record<string, unknown>,
): Promise<string> {
  const { db, clock, secrets } = context;
  // Wrong arguments are the model's to correct, not a person's to find.
  checkCall(secrets, tool, given, await serviceValues(context, accountId, sessionId));
  const needsApproval = tool.approval === 'always';
  const now = clock.now();
  const call: NewCall = {
    id: newId(now),
    ...{ sessionId, messageId, agentId: agent.id, toolId: tool.id, name: tool.name, arguments: given },
    state: needsApproval ? 'waiting' : 'claimed',
    requestedAt: now,
  };
  const { stored, isNew } = await db.transaction(async (tx) => {
    const { state } = await openSession(tx, accountId, sessionId);
    if (!state || !(await hasPermission(tx, accountId, sessionId, messageId))) throw new ReplySuppressed();
    const inserted = await insertToolCall(tx, accountId, call);
    if (!inserted) return { stored: await findSameCall(tx, accountId, call), isNew: false };
    if (needsApproval) await awaitDecision(tx, accountId, state, inserted, now);
    return { stored: inserted, isNew: true };
  });
  if (stored.state === 'waiting') {
    return 'This waits for a colleague and is not done yet. Say so, and do not call it again.';
  }
  if (!isNew) return stored.result ?? 'This was begun before; it is unknown whether it is done.';
  const ended = await perform(context, accountId, stored, tool);
  if (!ended) throw new ReplySuppressed();
  const { state, result } = ended;
  await db.transaction((tx) =>
    moveToolCall(tx, accountId, stored.id, ['claimed', 'running'], state, { result }),
  );
  return result;
}

/** The conversation needs attention until somebody decides, or the call expires. */
async function awaitDecision(
  tx: Tx,
  accountId: string,
  session: SessionState,
  { id: callId }: StoredCall,
  now: number,
): Promise<void> {
  const { sessionId, needsAttention } = session;
  // One that needs attention for another reason, too, still does when the call has expired.
  const asksForAttention =
    !needsAttention || (await hasWaitingCall(tx, accountId, sessionId, now - approvalMs, callId));
  const payload = { sessionId, callId, asksForAttention };
  await enqueue(tx, {
    accountId,
    kind: expiredCallJobKind,
    payload,
    dedupeKey: callId,
    delayMs: expiryDelayMs,
  });
  if (!needsAttention) {
    await updateSession(tx, accountId, { ...session, needsAttention: true, updatedAt: now });
  }
}

/** As people see it. A call that nobody has decided on expires without a write. */
export function toEntry({ state, requestedAt, ...call }: StoredCall, now: number): ToolCallEntry {
  const { id, toolId, agentId, name, decidedBy, result } = call;
  const isOver = state === 'waiting' && requestedAt <= now - approvalMs;
  const isBegun = state === 'claimed' || state === 'running';
  // One that nobody had to approve ends with the process that makes it.
  const isCutOff = isBegun && decidedBy === null && requestedAt <= now - longestCallMs;
  const shown = isCutOff ? 'unknown' : state === 'approved' || isBegun ? 'running' : state;
  return {
    id,
    toolId,
    agentId,
    name,
    arguments: call.arguments,
    state: isOver ? 'expired' : shown,
    requestedAt,
    decidedBy,
    result,
  };
}

export async function decideCall(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  { sessionId, callId }: { sessionId: string; callId: string },
  decision: 'approved' | 'rejected',
): Promise<ToolCallEntry> {
  const { accountId } = actor;
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  const found = isId(callId) ? await findToolCall(tx, accountId, state.sessionId, callId) : null;
  if (!found) throw notFound('tool call');
  const entry = toEntry(found, now);
  const by = { decidedBy: actor.name };
  const moved =
    entry.state === 'waiting' ? await moveToolCall(tx, accountId, found.id, ['waiting'], decision, by) : null;
  if (!moved) throw conflict(`the call is ${entry.state}, not waiting`);
  if (decision === 'approved') {
    const payload = { sessionId: state.sessionId, callId: found.id };
    await enqueue(tx, { accountId, kind: toolCallJobKind, payload, dedupeKey: found.id });
  }
  const needsAttention = await stillNeedsAttention(tx, accountId, state, now);
  await updateSession(tx, accountId, { ...state, needsAttention, updatedAt: now });
  return toEntry(moved, now);
}

export interface Ended {
  state: 'done' | 'failed' | 'unknown';
  result: string;
}

/** Of a claimed call. Null: it was cancelled before it began. */
export async function perform(
  context: OwnToolContext,
  accountId: string,
  call: StoredCall,
  tool: StoredTool,
): Promise<Ended | null> {
  const { db } = context;
  const values = await serviceValues(context, accountId, call.sessionId);
  const tooLong = new AbortController();
  const started = Promise.withResolvers<void>();
  let isSent = false;
  let made: Promise<Ended> | null = null;
  const make = async (): Promise<Ended> => {
    const timer = setTimeout(() => isSent || tooLong.abort(new Error('no connection')), startMs);
    try {
      const outcome = await callTool(context, tool, call.arguments, values, {
        signal: tooLong.signal,
        idempotencyKey: call.id,
        onStart() {
          isSent = true;
          started.resolve();
        },
      });
      const failure = outcome.mayHaveHappened && isUncertain(outcome.status) ? 'unknown' : 'failed';
      return { state: outcome.error === null ? 'done' : failure, result: shortened(outcomeText(outcome)) };
    } catch (error) {
      if (tooLong.signal.aborted)
        return { state: 'failed', result: `no connection within ${startMs / 1000} s` };
      if (error instanceof AppError && error.status < 500) return { state: 'failed', result: error.message };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  const mayBegin = await db.transaction(async (tx) => {
    const begun = await moveToolCall(tx, accountId, call.id, ['claimed'], 'running');
    if (!begun) return made !== null;
    // Sent while the row is locked: a pause waits for it. A transaction that is repeated does not send it again.
    made ??= make();
    await Promise.race([started.promise, made.catch(() => {})]);
    return true;
  });
  return mayBegin ? made : null;
}

/** Without an answer nobody knows what became of it. */
const isUncertain = (status: number | null): boolean => status === null;
