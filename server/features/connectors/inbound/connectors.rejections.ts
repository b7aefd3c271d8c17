/**
 * Counts requests whose signature is wrong, for the channel's page. Anybody can send them, so they are counted in memory
 * and written together, once in a few seconds at most. A process that ends before loses the last seconds of the count.
 */
import type { Db } from '../../../platform/db/db.ts';
import type { Link } from '../connectors.provider.ts';
import { addRejections, type Rejections } from '../connectors.sql.ts';

const writeEveryMs = 3_000;

/** By channel. Only channels with a connector have any. */
const waiting = new WeakMap<Db, Map<string, Rejections>>();

export function noteRejection(
  db: Db,
  { accountId, channelId }: Pick<Link, 'accountId' | 'channelId'>,
  now: number,
): void {
  let counts = waiting.get(db);
  if (!counts) {
    counts = new Map();
    waiting.set(db, counts);
    setTimeout(() => void write(db), writeEveryMs).unref();
  }
  const before = counts.get(channelId)?.count ?? 0;
  counts.set(channelId, { accountId, channelId, count: before + 1, at: now });
}

async function write(db: Db): Promise<void> {
  const counts = waiting.get(db);
  waiting.delete(db);
  // A note that is lost does no harm.
  await addRejections(db, [...(counts?.values() ?? [])]).catch(() => {});
}
