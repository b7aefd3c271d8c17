/** Migrations of nothing but indexes, which are built concurrently: outside a transaction, beside the writers. */
import type { Db } from './db.ts';
import { runOnClient, watchBlockers } from './migrate-lock.ts';
import { sql } from './sql.ts';

interface Index {
  name: string;
  build: string;
}

/** The part of a statement that PostgreSQL shows in its activity at least. */
const shownLength = 500;

/** Null: the migration does something else too. */
export function indexesOf(text: string): Index[] | null {
  const statements = text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const indexes = statements.flatMap((one) => {
    const [, unique = '', name, on] = /^create (unique )?index (\w+) (on .*)$/is.exec(one) ?? [];
    return name ? [{ name, build: `create ${unique}index concurrently ${name} ${on}` }] : [];
  });
  return indexes.length === statements.length && indexes.length > 0 ? indexes : null;
}

export interface BuildOptions {
  everyMs: number;
  /** How long one statement may wait for others. */
  waitMs: number;
  onBlocked(blockers: string): void;
}

/**
 * On a separate connection, because the caller's transaction holds the schema lock. `lock_timeout` cannot be set here:
 * it would stay on a pooler's connection. So a statement that waits too long is cancelled from outside.
 */
export async function buildIndexes(db: Db, indexes: readonly Index[], options: BuildOptions): Promise<void> {
  const client = await db.connect();
  let isUsable = true;
  try {
    const run = runOnClient(client);
    for (const { name, build } of indexes) {
      // One that was interrupted has left an invalid index.
      for (const text of [`drop index concurrently if exists ${name}`, build]) {
        await watched(db, text, options, () => run(text));
      }
    }
  } catch (error) {
    isUsable = false;
    throw error;
  } finally {
    client.release(!isUsable);
  }
}

async function watched(
  db: Db,
  text: string,
  options: BuildOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  // By its text: behind a pooler the backend is not known before.
  const pids = sql`
    select pid from pg_stat_activity where datname = current_database() and state = 'active'
      and left(query, ${shownLength}) = ${text.slice(0, shownLength)}`;
  let isCancelled = false;
  const watch = watchBlockers(db, pids, {
    ...options,
    onStillBlocked(forMs) {
      if (forMs < options.waitMs || isCancelled) return;
      isCancelled = true;
      void db.query(sql`select pg_cancel_backend(pid) from (${pids}) as waiting`).catch(() => {});
    },
  });
  try {
    await work();
  } catch (error) {
    if (isCancelled) throw Object.assign(new Error('the index waited too long'), { code: '55P03' });
    throw error;
  } finally {
    watch.stop();
  }
}
