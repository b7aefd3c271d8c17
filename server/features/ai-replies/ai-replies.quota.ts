/**
 * Limits of AI replies: per account and UTC day (`aiRepliesPerDay`), and against floods per hour of the account, and
 * per visitor, network address and channel of the widget. A reply is counted before the model is called. A failed one
 * is returned to the day; one that was suppressed afterwards is not, because the model was called.
 */
import { visitorLimits } from '../../../contract/limits.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { utcDay } from '../../platform/limits/account-usage.ts';
import { admitAiReply, admitEachReply, type ReplyAdmission, type ReplyLimits } from './ai-replies.sql.ts';

/** Not an error of the model: a person has to answer, and a retry does not help. */
export interface ReplyRefusal {
  /** For the reply log and the team. */
  reason: string;
  /** The customer is told that a person will answer, and the AI is paused. Otherwise it answers when the limit allows it. */
  handsOver: boolean;
  /** A limit of the agent itself: those who manage agents are notified. */
  isAgents?: true;
}

export interface RepliedMessages {
  accountId: string;
  sessionId: string;
  pending: readonly { messageId: string }[];
}

/** Null: the reply may be made. */
export type CountReply = (work: RepliedMessages) => Promise<ReplyRefusal | null>;

export interface QuotaDeps {
  db: Db;
  clock: Clock;
  config: { aiReplies: Pick<ReplyLimits, 'perAddress' | 'perChannel' | 'hourlyPercent'> };
}

const hourMs = 3_600_000;

/** Replies of one account wait for each other at its counter: those that wait are counted together. */
export function createReplyQuota({ db, clock, config: { aiReplies } }: QuotaDeps): CountReply {
  const limits = (): ReplyLimits => {
    const now = clock.now();
    return {
      ...aiReplies,
      day: utcDay(now),
      hour: Math.floor(now / hourMs),
      perVisitor: visitorLimits.aiRepliesPerHour,
    };
  };
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
    return refusalOf(
      admission ?? (await admitAiReply(db, accountId, { sessionId, messageIds }, limits())),
      aiReplies.hourlyPercent,
    );
  };
}

function refusalOf({ refusedBy, limit }: ReplyAdmission, hourlyPercent: number): ReplyRefusal | null {
  switch (refusedBy) {
    case null:
      return null;
    case 'visitor':
      return {
        reason: `the visitor has reached the limit of ${limit} AI replies an hour`,
        handsOver: false,
      };
    case 'account':
      return {
        reason: `the account has reached its limit of ${limit} AI replies a day (aiRepliesPerDay)`,
        handsOver: false,
      };
    case 'address':
      return {
        reason: `the visitor's network address has reached the limit of ${limit} AI replies an hour (AI_REPLIES_PER_ADDRESS)`,
        handsOver: true,
      };
    case 'channel':
      return {
        reason: `the channel has reached its limit of ${limit} AI replies an hour (AI_REPLIES_PER_CHANNEL)`,
        handsOver: true,
      };
    case 'hour':
      return {
        reason: `the account has reached its limit of ${limit} AI replies an hour, ${hourlyPercent} % of its day (AI_REPLIES_HOURLY_PERCENT)`,
        handsOver: true,
      };
  }
}
