/** Ratings by customers: one for each time that their conversation was resolved. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { emitFrozen, freeze } from '../../../platform/events/outbox.ts';
import { conflict } from '../../../platform/http/errors.ts';
import { noteBadRating } from '../../knowledge/knowledge.ts';
import { customer } from '../sessions.lifecycle.ts';
import { recordRating } from '../sessions.person.ts';
import type { SessionState } from '../sessions.sql.ts';
import { findRating, type Rating, upsertRating } from './ratings.sql.ts';

export type { Rating } from './ratings.sql.ts';

/** Of the resolution that the conversation is in. */
export async function readRating(
  db: Reader,
  accountId: string,
  { sessionId, status, statusChangedAt }: Pick<SessionState, 'sessionId' | 'status' | 'statusChangedAt'>,
): Promise<Rating | null> {
  if (status !== 'resolved' || statusChangedAt === null) return null;
  return findRating(db, accountId, sessionId, statusChangedAt);
}

/**
 * Of a conversation that is open for writing. The customer may change the rating while the conversation is resolved; a
 * repeated one changes nothing. It counts for the owner, or without one for the user who resolved the conversation.
 */
export async function rate(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
  { score, comment }: Rating,
): Promise<void> {
  const { sessionId, channelId, kanbanId, status, statusChangedAt: resolvedAt, statusChangedBy } = state;
  if (status !== 'resolved' || resolvedAt === null) throw conflict('the conversation is not resolved');
  const before = await findRating(tx, accountId, sessionId, resolvedAt);
  if (before && before.score === score && before.comment === comment) return;
  const resolver = statusChangedBy?.type === 'user' ? statusChangedBy.id : null;
  const userId = state.assignedUserId ?? resolver;
  await upsertRating(tx, accountId, { sessionId, resolvedAt, score, comment, userId, now });
  if (score <= 2) await noteBadRating(tx, accountId, sessionId, now);
  const changes = [
    { field: 'rating', oldValue: before?.score ?? null, newValue: score },
    { field: 'ratingComment', oldValue: before?.comment || null, newValue: comment || null },
  ].filter(({ oldValue, newValue }) => oldValue !== newValue);
  const { eventSequence: sequence } = await recordRating(tx, accountId, now, state, {
    changedBy: customer,
    changes,
  });
  await emitFrozen(
    tx,
    freeze({
      event: 'session_rated',
      accountId,
      subjectId: sessionId,
      sequence,
      kanbanId,
      fieldId: null,
      data: {
        sessionId,
        channelId,
        score,
        comment: comment || null,
        previousScore: before?.score ?? null,
        userId,
        resolvedAt,
      },
      timestamp: now,
    }),
  );
}
