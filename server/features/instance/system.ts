/** The state of the instance: what waits, what failed, how much is stored, what is slow, which versions run. */
import type { FailedJob, SystemOverview } from '../../../contract/instance/system.ts';
import { version } from '../../../contract/version.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { conflict, notFound } from '../../platform/http/errors.ts';
import type { QueueDepth } from '../../platform/http/metrics.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { type DiskSettings, freeBytes } from '../../platform/http/ready-checks.ts';
import { isId } from '../../platform/ids.ts';
import {
  discardFailedJob,
  type FailedJobRow,
  findFailedJob,
  retryFailedJob,
  selectFailedJobs,
} from '../../platform/jobs/failed-jobs.sql.ts';
import { withoutQuoted } from '../../platform/jobs/job-error.ts';
import { instanceAccountId } from '../../platform/jobs/jobs.ts';
import { selectNodes } from '../../platform/nodes/nodes.sql.ts';
import { aliveSeconds } from '../../platform/nodes/nodes.ts';
import { slowMs } from '../../platform/telemetry/slow-statements.ts';
import { type AccountHomes, type Actor, audit, findInHomes, runAt } from '../accounts/accounts.ts';
import {
  hasStatementStatistics,
  selectAccountNames,
  selectPostgresVersion,
  selectQueues,
  selectSlowStatements,
  selectStorage,
} from './system.sql.ts';

export const readQueues: (db: Db, timeoutMs: number) => Promise<QueueDepth[]> = selectQueues;

interface SystemDeps {
  config: DiskSettings;
  instanceDb: Db;
  accountHomes: AccountHomes;
}

const readWithinMs = 4_000;
const slowShown = 20;
const errorLength = 500;
const megabyte = 1024 * 1024;

export async function readSystem({ config, instanceDb, accountHomes }: SystemDeps): Promise<SystemOverview> {
  const homes = accountHomes.each();
  const databases = homes.flatMap((home) => (home ? [home.db] : []));
  const [postgres, nodes, free, queues, storage, slowQueries] = await Promise.all([
    selectPostgresVersion(instanceDb),
    selectNodes(instanceDb, aliveSeconds),
    freeBytes(config.dataDir),
    Promise.all(databases.map((db) => selectQueues(db, readWithinMs))),
    Promise.all(databases.map((db) => selectStorage(db))),
    readSlowQueries(databases),
  ]);
  const sum = (of: (one: { databaseBytes: number; fileBytes: number }) => number) =>
    storage.reduce((total, one) => total + of(one), 0);
  return {
    versions: {
      service: version,
      node: process.versions.node,
      postgres,
      nodes: nodes.map(({ url, release }) => ({ url, version: release })),
    },
    queues: sumQueues(queues) as SystemOverview['queues'],
    storage: {
      databaseBytes: sum((one) => one.databaseBytes),
      fileBytes: sum((one) => one.fileBytes),
      freeDiskBytes: free,
      isDiskLow: free !== null && config.minFreeDiskMb > 0 && free < config.minFreeDiskMb * megabyte,
    },
    slowQueries,
    unreachableDatabases: homes.length - databases.length,
  };
}

/** Of all databases. */
function sumQueues(queues: readonly QueueDepth[][]): QueueDepth[] {
  const [first = [], ...others] = queues;
  return first.map((depth) =>
    others
      .flatMap((list) => list.filter(({ queue }) => queue === depth.queue))
      .reduce(
        (total, one) => ({
          queue: total.queue,
          waiting: total.waiting + one.waiting,
          oldestSeconds: Math.max(total.oldestSeconds, one.oldestSeconds),
          failed: total.failed === null ? null : total.failed + (one.failed ?? 0),
        }),
        depth,
      ),
  );
}

/** Those of the database where it counts them, which has those of every process; else those of this one. */
async function readSlowQueries(databases: readonly Db[]): Promise<SystemOverview['slowQueries']> {
  const counted = await Promise.all(databases.map((db) => hasStatementStatistics(db).catch(() => false)));
  const hasStatistics = counted.length > 0 && counted.every((there) => there);
  const lists = hasStatistics
    ? await Promise.all(
        databases.map(async (db) => {
          const rows = await selectSlowStatements(db, slowMs, slowShown);
          return rows.map((row) => ({ ...row, isHousekeeping: null, lastAt: null }));
        }),
      )
    : databases.map((db) => db.slowStatements());
  const items = lists
    .flat()
    .sort((a, b) => b.totalMs - a.totalMs)
    .slice(0, slowShown)
    .map((one) => ({ ...one, text: one.text.replaceAll(/\s+/g, ' ').trim() }));
  return { source: hasStatistics ? 'pg_stat_statements' : 'process', items };
}

/** Newest first, of all databases that answer. */
export async function listFailedJobs(
  homes: AccountHomes,
  tokens: PageTokens,
  { limit, nextToken }: { limit: number; nextToken?: string | undefined },
): Promise<Page<FailedJob>> {
  const scope = ['failed-jobs'];
  const cursor = nextToken === undefined ? null : tokens.read(nextToken, scope);
  const after = cursor && { failedAt: Number(cursor[0]), id: String(cursor[1]) };
  const databases = (await homes.all()).map(({ db }) => db);
  const lists = await Promise.all(
    databases.map(async (db) => {
      const rows = await selectFailedJobs(db, after, limit + 1);
      const names = await selectAccountNames(db, [...new Set(rows.map(({ accountId }) => accountId))]);
      return rows.map((row) => ({ row, name: names.find(({ id }) => id === row.accountId)?.name ?? null }));
    }),
  );
  const sorted = lists
    .flat()
    .sort((a, b) => b.row.failedAt - a.row.failedAt || (a.row.id < b.row.id ? 1 : -1))
    .slice(0, limit + 1);
  const page = cutPage(sorted, limit, ({ row }) => tokens.issue([row.failedAt, row.id], scope));
  return { ...page, items: page.items.map(({ row, name }) => toFailedJob(row, name)) };
}

function toFailedJob(row: FailedJobRow, accountName: string | null): FailedJob {
  const { id, accountId, kind, attempts, error, failedAt, createdAt } = row;
  return {
    id,
    accountId: accountId === instanceAccountId ? null : accountId,
    accountName,
    kind,
    attempts,
    error: error === null ? null : withoutQuoted(error).slice(0, errorLength),
    createdAt,
    failedAt: Math.floor(failedAt / 1000),
  };
}

interface Change {
  homes: AccountHomes;
  db: Db;
  actor: Actor;
  now: number;
}

export async function retryJob(tx: Tx, { homes, db, actor, now }: Change, id: string): Promise<void> {
  const { home, found } = await requireFailed(homes, id);
  const outcome = await runAt(home, { db, tx }, (own) => retryFailedJob(own, found));
  if (outcome === 'gone') throw notFound('job');
  if (outcome === 'waiting')
    throw conflict('another job for the same is waiting already; this one can be discarded');
  const target = { type: 'job', id };
  await audit(tx, actor, now, { action: 'job.retried', target, changes: { kind: found.kind } });
}

export async function discardJob(tx: Tx, { homes, db, actor, now }: Change, id: string): Promise<void> {
  const { home, found } = await requireFailed(homes, id);
  if (!(await runAt(home, { db, tx }, (own) => discardFailedJob(own, found)))) throw notFound('job');
  const target = { type: 'job', id };
  await audit(tx, actor, now, { action: 'job.discarded', target, changes: { kind: found.kind } });
}

async function requireFailed(homes: AccountHomes, id: string) {
  const found = isId(id) ? await findInHomes(homes, (db) => findFailedJob(db, id)) : null;
  if (!found) throw notFound('job');
  return found;
}
