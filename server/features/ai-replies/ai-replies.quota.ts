/**
 * Limits of AI replies: per account and UTC day (`aiRepliesPerDay`), and per visitor of the widget and hour. A reply
 * is counted before the model is called. A failed one is returned; one that was suppressed afterwards is not, because
 * the model was called.
 */
import { visitorLimits } from '../../../contract/limits.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { utcDay } from '../../platform/limits/account-usage.ts';
import { admitAiReply, admitEachReply, type ReplyAdmission } from './ai-replies.sql.ts';

/** Not an error of the model: a person has to answer, and a retry does not help. */
export class ReplyLimitReached extends Error {}

export interface RepliedMessages {
  accountId: string;
  sessionId: string;
  pending: readonly { messageId: string }[];
}

/** Throws ReplyLimitReached with the reason for the reply log. */
export type RequireReplyQuota = (work: RepliedMessages) => Promise<void>;

/** Replies of one account wait for each other at its counter: those that wait are counted together. */
export function createReplyQuota({ db, clock }: { db: Db; clock: Clock }): RequireReplyQuota {
  const limits = () => ({ day: utcDay(clock.now()), visitorLimit: visitorLimits.aiRepliesPerHour });
  const admit = createBatcher<{ sessionId: string; messageId: string }, ReplyAdmission | undefined>({
    maxItems: 32,
    run: async (accountId, messages) =>
      (await admitEachReply(db, accountId, messages, limits())).map((value) => ({
        status: 'fulfilled',
        value,
      })),
  });
  return async ({ accountId, sessionId, pending }) => {
    const messageIds = pending.map(({ messageId }) => messageId);
    const admission =
      messageIds.length === 1 ? await admit(accountId, { sessionId, messageId: messageIds[0]! }) : undefined;
    refuse(admission ?? (await admitAiReply(db, accountId, { sessionId, messageIds, ...limits() })));
  };
}

function refuse({ refusedBy, limit }: ReplyAdmission): void {
  if (refusedBy === 'visitor') {
    throw new ReplyLimitReached(`the visitor has reached the limit of ${limit} AI replies an hour`);
  }
  if (refusedBy === 'account') {
    throw new ReplyLimitReached(
      `the account has reached its limit of ${limit} AI replies a day (aiRepliesPerDay)`,
    );
  }
}
