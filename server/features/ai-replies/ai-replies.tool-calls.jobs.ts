/** The job of an approved call: one call, a line for the team, and the permission for the agent's follow-up; and that of one that nobody has decided on. */
import type { Tx } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { commitConversations, type NewMessage } from '../messages/messages.ts';
import {
  findToolCall,
  hasFailedReply,
  moveToolCall,
  type StoredCall,
} from '../pending-replies/pending-replies.ts';
import { openSession, type SessionState, stillNeedsAttention, updateSession } from '../sessions/sessions.ts';
import { selectOfferedTools } from '../tools/tools.ts';
import { type Ended, expiredCallJobKind, perform, toolCallJobKind } from './ai-replies.tool-calls.ts';
import type { OwnToolContext } from './ai-replies.tool-values.ts';

export { expiredCallJobKind, toolCallJobKind };

export function toolCallHandler(context: OwnToolContext): JobHandler {
  const { db } = context;
  return async (job) => {
    const { accountId } = job;
    const sessionId = String(job.payload.sessionId);
    const callId = String(job.payload.callId);
    const claimed = await db.transaction((tx) =>
      moveToolCall(tx, accountId, callId, ['approved'], 'claimed'),
    );
    // An earlier attempt was cut off, or a pause was faster.
    const ended = claimed
      ? await performClaimed(context, accountId, claimed)
      : ({ state: 'unknown', result: 'it was cut off' } as const);
    await db.transaction(async (tx) => {
      const { state: session, isBlocked } = await openSession(tx, accountId, sessionId);
      const call =
        ended &&
        (await moveToolCall(tx, accountId, callId, ['claimed', 'running'], ended.state, {
          result: ended.result,
        }));
      if (call && session) await tellOutcome(tx, context.clock.now(), accountId, session, call, isBlocked());
      await job.complete(tx);
    });
  };
}

/** The row says itself that it has expired. What is left is the attention that it has asked for. */
export function expiredCallHandler({ db, clock }: Pick<OwnToolContext, 'db' | 'clock'>): JobHandler {
  return async (job) => {
    const { accountId, payload } = job;
    await db.transaction(async (tx) => {
      const now = clock.now();
      const { state } = await openSession(tx, accountId, String(payload.sessionId));
      const call = state && (await findToolCall(tx, accountId, state.sessionId, String(payload.callId)));
      if (call?.state === 'waiting') {
        const isOver =
          payload.asksForAttention === true &&
          !(await hasFailedReply(tx, accountId, state!.sessionId, call.requestedAt));
        const needsAttention = isOver
          ? await stillNeedsAttention(tx, accountId, state!, now)
          : state!.needsAttention;
        await updateSession(tx, accountId, { ...state!, needsAttention, updatedAt: now });
      }
      await job.complete(tx);
    });
  };
}

async function performClaimed(
  context: OwnToolContext,
  accountId: string,
  call: StoredCall,
): Promise<Ended | null> {
  const [tool] = await selectOfferedTools(context.db, accountId, [call.toolId]);
  return tool
    ? perform(context, accountId, call, tool)
    : { state: 'failed', result: 'the tool was deleted or disabled' };
}

async function tellOutcome(
  tx: Tx,
  at: number,
  accountId: string,
  session: SessionState,
  call: StoredCall,
  isBlocked: boolean,
): Promise<void> {
  const now = Math.max(at, session.lastMessageAt);
  const line: NewMessage = {
    id: newId(now),
    position: session.messageCount + 1,
    role: 'system',
    content: lineOf(call),
    timestamp: now,
  };
  const answers = !session.aiPaused && !isBlocked && session.agentId === call.agentId;
  const reply = answers
    ? { messageId: line.id, position: line.position, agentId: call.agentId, delayMs: 0, address: null }
    : null;
  const state = { ...session, messageCount: line.position, lastMessageAt: now, updatedAt: now };
  const change = { session: state, isNewSession: false, messages: [line], record: null, reply, events: [] };
  await commitConversations(tx, accountId, [change], null);
}

const said: Readonly<Record<string, string>> = {
  done: 'was carried out',
  failed: 'failed',
  unknown: 'was cut off: it is unknown whether it was carried out',
};

const lineOf = ({ name, decidedBy, state, result }: StoredCall): string =>
  `The tool ${name}, approved by ${decidedBy ?? 'a colleague'}, ${said[state]}.${result ? `\n${result}` : ''}`;
