/**
 * Leased work: rows that one process at a time works on. A claim gives a row the id of the process's row in `processes`.
 * Nothing is renewed for the row itself. What a process had is free again when its row is gone, and a result counts only
 * while the row still carries the id it was claimed with.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isWritableHere } from '../cells/move/served-here.ts';
import type { Db, Tx } from '../db/db.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Logger } from '../logger.ts';
import { rowOfProcess, takeLease } from './due-work.ts';
import type { Lease } from './process-row.ts';
import { type DueLoop, type RunningLoop, runWhenDue } from './run-when-due.ts';

/** A table whose rows are leased. In all expressions its name is `t`. */
export interface LeasedTable {
  name: Sql;
  /** The column with the id of the process. */
  holder: Sql;
  /** About rows that a process has, as an index knows them. */
  isHeld: Sql;
  /** What else a claim sets. */
  whenClaimed: readonly Sql[];
  /** What else is set when the work has not ended. */
  whenFreed: readonly Sql[];
}

/** A backlog may be long; nobody else waits for these statements. */
const long = { timeoutMs: 60_000 };
const lookEveryMs = 500;
/** What a backup, a failed stop or an older release leaves behind: claims of processes that have no row. */
const orphansEveryMs = 30_000;

/**
 * The end of a `with` list. `due` selects the `place` (ctid) of rows that it has locked; `claimed` has what the claim
 * returns. The process's row is locked first, until the commit: others that take the process for dead delete the row, and
 * then free what it has claimed. Either the claim is among it, or it comes too late and takes nothing. The lateral join
 * makes sure of the order.
 */
export function claimed(table: LeasedTable, token: string, due: Sql, returning: Sql): Sql {
  const values = [sql`${table.holder} = ${token}::uuid`, ...table.whenClaimed];
  return sql`
    living as materialized (select id from processes where id = ${token}::uuid for key share),
    due as (
      select found.place from living cross join lateral (
        select chosen.place from (${due}) chosen where living.id is not null) found),
    claimed as (
      update ${table.name} t set ${join(values, ', ')} from due where t.ctid = due.place
      returning ${returning})`;
}

async function free(db: Pick<Tx, 'query'>, table: LeasedTable, where: Sql): Promise<void> {
  const values = [sql`${table.holder} = null`, ...table.whenFreed];
  await db.query(
    sql`update ${table.name} t set ${join(values, ', ')} 
      where ${table.isHeld} and ${where} and ${isWritableHere(sql`t.account_id`)}`,
    long,
  );
}

/** What one loop has claimed and not ended yet. */
export interface Claims<Row> {
  /** Nobody knows what a claim that failed has taken: the next one frees what carries the token and is not known here. */
  claim(run: (token: string) => Promise<Row[]>): Promise<{ rows: Row[]; lease: Lease }>;
  /** `isInDoubt`: whether its row was ended or released is not known. */
  end(row: Row, isInDoubt?: boolean): void;
  /** For the loop: there may be something to free. */
  readonly isInDoubt: boolean;
  /** The loop stops: frees what it still has, but for some. Without the database the row of the process expires. */
  giveUp(but?: readonly Row[]): Promise<void>;
}

/** `own`: which rows of the table are this loop's. */
export function createClaims<Row extends { id: string }>(
  db: Db,
  table: LeasedTable,
  own: Sql = sql`true`,
): Claims<Row> {
  const tokens = new Map<Row, string>();
  let isInDoubt = false;
  const freeAllBut = async (token: string, rows: readonly Row[]) => {
    const ids = rows.map(({ id }) => id);
    // A claim whose response was lost may still be under way: it holds this lock.
    await db.transaction((tx) => tx.query(sql`select from processes where id = ${token} for update`));
    await db.transaction((tx) =>
      free(tx, table, sql`${own} and t.${table.holder} = ${token} and t.id <> all(${ids}::uuid[])`),
    );
  };
  return {
    get isInDoubt() {
      return isInDoubt;
    },
    async claim(run) {
      const lease = await takeLease(db);
      const { token } = lease;
      const known = [...tokens].filter(([, one]) => one === token).map(([row]) => row);
      const wasInDoubt = isInDoubt;
      isInDoubt = false;
      try {
        if (wasInDoubt) await freeAllBut(token, known);
        const rows = await run(token);
        for (const row of rows) tokens.set(row, token);
        return { rows, lease };
      } catch (error) {
        isInDoubt = true;
        throw error;
      }
    },
    end(row, doubt = false) {
      tokens.delete(row);
      isInDoubt ||= doubt;
    },
    async giveUp(but = []) {
      if (tokens.size === but.length && !isInDoubt) return;
      await freeAllBut(rowOfProcess(db).id, but).catch(() => {});
      for (const row of tokens.keys()) if (!but.includes(row)) tokens.delete(row);
    },
  };
}

export interface LeasedLoop<T, Row> extends Pick<DueLoop<T>, 'look' | 'isDue' | 'onError' | 'lookEveryMs'> {
  table: LeasedTable;
  own?: Sql;
  atOnce: number;
  claim(token: string, atMost: number): Promise<Row[]>;
  /** Ends or releases the row. False: nobody knows whether it has. */
  work(row: Row, lease: Lease): Promise<boolean>;
  /** What still runs is then done again by another process. */
  stopWithinMs?: number;
}

/** Claims what is due and works on it, so many at once. */
export function runLeased<T, Row extends { id: string }>(db: Db, options: LeasedLoop<T, Row>): RunningLoop {
  const { table, own, atOnce, stopWithinMs, isDue, lookEveryMs = 0 } = options;
  const claims = createClaims<Row>(db, table, own);
  const works = new Set<Promise<void>>();
  /** The last claim took as many as it could: the end of one makes room for the next. */
  let isFull = false;
  const loop = runWhenDue<T>(db, {
    ...options,
    isDue: (found) => isDue(found) || claims.isInDoubt,
    async run(signal) {
      const free = atOnce - works.size;
      if (signal.aborted || free <= 0) return false;
      const { rows, lease } = await claims.claim((token) => options.claim(token, free));
      for (const row of rows) {
        const work = options.work(row, lease).then((isKnown) => {
          works.delete(work);
          claims.end(row, !isKnown);
          if (isFull) loop.wake();
        });
        works.add(work);
      }
      isFull = rows.length === free;
      return isFull;
    },
    everyMs: 0,
    afterErrorMs: lookEveryMs,
    async settle() {
      const ended = Promise.all(works);
      await (stopWithinMs ? Promise.race([ended, delay(stopWithinMs, undefined, { ref: false })]) : ended);
      await claims.giveUp();
    },
  });
  return loop;
}

/** An expression. */
const hasDead = sql`exists (select from processes where alive_until < now())`;

/** Frees what processes had claimed that have vanished. `tables`: all that have leased rows. */
export function startTakeOver(
  { db, logger }: { db: Db; logger: Logger },
  tables: readonly LeasedTable[],
): { stop(): Promise<void> } {
  let orphansFreedAt = Number.NEGATIVE_INFINITY;
  const hasWaitedForOrphans = () => performance.now() - orphansFreedAt > orphansEveryMs;
  return runWhenDue<boolean>(db, {
    look: { name: 'dead processes', value: hasDead },
    isDue: (isAnyDead) => isAnyDead || hasWaitedForOrphans(),
    async run() {
      if (!rowOfProcess(db).mayJudge) return false;
      await freeDead(db, tables);
      if (hasWaitedForOrphans()) {
        orphansFreedAt = performance.now();
        for (const table of tables) await freeOrphans(db, table);
      }
      return false;
    },
    onError: (error) => logger.warn({ err: error }, 'taking over the work of vanished processes failed'),
    everyMs: lookEveryMs,
  });
}

/** A process that renews its row or claims at this moment has locked it and is therefore skipped; it is not dead. */
async function freeDead(db: Db, tables: readonly LeasedTable[]): Promise<void> {
  await db.transaction(async (tx) => {
    const dead = await tx.query<{ id: string }>(sql`
      delete from processes where id in (
        select id from processes where alive_until < now() for update skip locked)
      returning id`);
    if (dead.length === 0) return;
    const ids = dead.map(({ id }) => id);
    for (const table of tables) await free(tx, table, sql`t.${table.holder} = any(${ids}::uuid[])`);
  });
}

/** `holder`: a column with the id of a process. */
export const hasNoProcess = (holder: Sql): Sql =>
  sql`not exists (select from processes p where p.id = ${holder})`;

async function freeOrphans(db: Db, table: LeasedTable): Promise<void> {
  const { name, holder, isHeld } = table;
  // First the ids, which are never used again: a row may be freed and claimed anew meanwhile.
  const gone = await db.query<{ id: string }>(
    sql`select distinct t.${holder} as id from ${name} t
      where ${isHeld} and ${hasNoProcess(sql`t.${holder}`)}`,
    long,
  );
  if (gone.length === 0) return;
  const ids = gone.map(({ id }) => id);
  await db.transaction((tx) => free(tx, table, sql`t.${holder} = any(${ids}::uuid[])`));
}
