/** The limits of one agent, checked before each of its replies: in a conversation, and of what it costs in a day. */
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import { costOfAgent, countRepliesOf } from '../pending-replies/pending-replies.ts';
import type { ReplyRefusal } from './ai-replies.quota.ts';

const dayMs = 86_400_000;

/** Null: none is reached. */
export async function agentRefusal(
  { db, clock }: { db: Db; clock: Clock },
  {
    accountId,
    sessionId,
    agent: { id, limits },
  }: { accountId: string; sessionId: string; agent: Pick<AgentDefinition, 'id' | 'limits'> },
): Promise<ReplyRefusal | null> {
  const { repliesPerSession, costPerDay } = limits;
  if (repliesPerSession !== undefined) {
    const made = await countRepliesOf(db, accountId, sessionId, id);
    if (made >= repliesPerSession)
      return refusal(`the agent has reached its limit of replies in a conversation, ${repliesPerSession}`);
  }
  if (costPerDay !== undefined) {
    const now = clock.now();
    const spent = await costOfAgent(db, accountId, id, now - (now % dayMs));
    if (spent >= costPerDay)
      return refusal(`the agent has reached its limit of costs a day, ${costPerDay} US dollars`);
  }
  return null;
}

const refusal = (reason: string): ReplyRefusal => ({ reason, handsOver: true, isAgents: true });
