/** The lock of the process that changes the schema, held by a transaction, and who blocks a migration. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Db } from './db.ts';
import { type Sql, sql } from './sql.ts';

export const schemaLockKey = 7_231_001;
const pollMs = 200;
const sayEveryMs = 10_000;
/** A migration of a large table takes longer than a request may. */
const longestMs = 3_600_000;
const shownQueryLength = 200;

export type Run = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

export function runOnClient(client: pg.PoolClient): Run {
  return (text, values) =>
    client.query({ text, values, query_timeout: longestMs } as never) as unknown as ReturnType<Run>;
}

/** `work` runs in a transaction that holds the lock. Waits for it between transactions, so that none stays open. */
export async function withSchemaLock<T>(
  db: Db,
  onWait: (message: string) => void,
  work: (run: Run) => Promise<T>,
  { reconnect = false } = {},
): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const client = await db.connect();
    const run = runOnClient(client);
    let isUsable = !reconnect;
    try {
      await run('begin');
      const { rows } = await run('select pg_try_advisory_xact_lock($1) as locked', [schemaLockKey]);
      if (rows[0]?.locked) {
        // While indexes are built, this transaction waits.
        await run('set local idle_in_transaction_session_timeout = 0');
        const result = await work(run);
        await run('commit');
        return result;
      }
      if (waitedMs % sayEveryMs === pollMs) onWait(await describeHolder(run));
      await run('rollback');
    } catch (error) {
      isUsable = await run('rollback').then(
        () => isUsable,
        () => false,
      );
      throw error;
    } finally {
      client.release(!isUsable);
    }
    await delay(pollMs);
  }
}

async function describeHolder(run: Run): Promise<string> {
  const { rows } = await run(
    `select a.pid, a.application_name, a.state, a.query from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objid = $1 and l.classid = 0
       and l.database = (select oid from pg_database where datname = current_database())`,
    [schemaLockKey],
  );
  return `waiting for another process that changes the schema: ${describeActivity(rows)}`;
}

interface Watch {
  stop(): void;
}

interface WatchOptions {
  everyMs: number;
  /** Called again only when the blockers are others. */
  onBlocked(blockers: string): void;
  /** Called at every look, with how long the same wait has lasted. */
  onStillBlocked?(forMs: number): void;
}

/** `pids`: selects the backend that may be blocked. */
export function watchBlockers(db: Db, pids: Sql, options: WatchOptions): Watch {
  let blockers: string | null = null;
  let since = 0;
  const timer = setInterval(() => {
    void findBlockers(db, pids)
      .then((found) => {
        if (found === null) {
          since = 0;
          return;
        }
        since ||= performance.now();
        options.onStillBlocked?.(performance.now() - since);
        if (found === blockers) return;
        blockers = found;
        options.onBlocked(found);
      })
      .catch(() => {});
  }, options.everyMs);
  return { stop: () => clearInterval(timer) };
}

/** Null: nothing blocks it. */
async function findBlockers(db: Db, pids: Sql): Promise<string | null> {
  const rows = await db.query<Record<string, unknown>>(sql`
    select pid, application_name, state, query from pg_stat_activity
    where pid in (select unnest(pg_blocking_pids(blocked.pid)) from (${pids}) as blocked (pid))`);
  return rows.length === 0 ? null : describeActivity(rows);
}

function describeActivity(rows: readonly Record<string, unknown>[]): string {
  const each = rows.map(({ pid, application_name, state, query }) => {
    const text = String(query ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, shownQueryLength);
    return `pid ${pid} (${application_name || 'unnamed application'}, ${state ?? 'unknown state'}): ${text}`;
  });
  return each.join('; ') || 'a connection that has just ended';
}
