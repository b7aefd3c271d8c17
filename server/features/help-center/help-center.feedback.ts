/** What readers say of an article: counts per version, and one vote of an address for an article on a day. */
import type { Db } from '../../platform/db/db.ts';
import { hmac, type Secrets } from '../../platform/secrets/secrets.ts';
import { countVote, deleteVoters } from './help-center.feedback.sql.ts';

const dayMs = 86_400_000;
const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10);

/** The address is not stored: only a keyed hash of the day, the article and it, which differs on each day. */
export async function takeVote(
  { db, secrets }: { db: Db; secrets: Secrets },
  accountId: string,
  now: number,
  article: { id: string; version: number },
  vote: { address: string; helpful: boolean },
): Promise<void> {
  const day = dayOf(now);
  const voter = hmac(secrets.deriveKey('help-voters'), JSON.stringify([day, article.id, vote.address]));
  await countVote(db, accountId, article, { day, voter: voter.subarray(0, 16), helpful: vote.helpful });
}

/** Those of past days, also by a clock that is a day behind. */
export async function pruneVoters(db: Db, now: number, batch = 5_000): Promise<void> {
  const before = dayOf(now - dayMs);
  for (let deleted = batch; deleted === batch; )
    deleted = await db.transaction((tx) => deleteVoters(tx, before, batch));
}
