/**
 * Limits of AI replies: per account and UTC day (`aiRepliesPerDay`), and per visitor of the widget and hour. A reply
 * is counted before the model is called. A failed one is returned; one that was suppressed afterwards is not, because
 * the model was called.
 */
import { visitorLimits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { utcDay } from '../../platform/limits/account-usage.ts';
import { admitAiReply } from './ai-replies.sql.ts';

/** Not an error of the model: a person has to answer, and a retry does not help. */
export class ReplyLimitReached extends Error {}

export interface RepliedMessages {
  accountId: string;
  sessionId: string;
  pending: readonly { messageId: string }[];
}

/** Throws ReplyLimitReached with the reason for the reply log. */
export async function requireReplyQuota(
  { db, clock }: { db: Db; clock: Clock },
  { accountId, sessionId, pending }: RepliedMessages,
): Promise<void> {
  const { refusedBy, limit } = await admitAiReply(db, accountId, {
    sessionId,
    messageIds: pending.map(({ messageId }) => messageId),
    day: utcDay(clock.now()),
    visitorLimit: visitorLimits.aiRepliesPerHour,
  });
  if (refusedBy === 'visitor') {
    throw new ReplyLimitReached(`the visitor has reached the limit of ${limit} AI replies an hour`);
  }
  if (refusedBy === 'account') {
    throw new ReplyLimitReached(
      `the account has reached its limit of ${limit} AI replies a day (aiRepliesPerDay)`,
    );
  }
}
