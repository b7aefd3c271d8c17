import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface Rating {
  score: number;
  comment: string;
}

export async function findRating(
  db: Reader,
  accountId: string,
  sessionId: string,
  resolvedAt: number,
): Promise<Rating | null> {
  const [row] = await db.query<Rating>(sql`
    select score, comment from session_ratings
    where account_id = ${accountId} and session_id = ${sessionId} and resolved_at = ${resolvedAt}`);
  return row ?? null;
}

export async function upsertRating(
  tx: Tx,
  accountId: string,
  rating: Rating & { sessionId: string; resolvedAt: number; userId: string | null; now: number },
): Promise<void> {
  const { sessionId, resolvedAt, score, comment, userId, now } = rating;
  await tx.query(sql`
    insert into session_ratings (account_id, session_id, resolved_at, score, comment, user_id, created_at, updated_at)
    values (${accountId}, ${sessionId}, ${resolvedAt}, ${score}, ${comment}, ${userId}, ${now}, ${now})
    on conflict (account_id, session_id, resolved_at) do update
      set score = excluded.score, comment = excluded.comment, user_id = excluded.user_id,
        updated_at = excluded.updated_at`);
}
