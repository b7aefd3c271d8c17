/**
 * Runs that read a website. A run is `running` until its job has read everything; then it publishes, or waits for a person.
 * A change of more than a run locks the account's knowledge first, then the source, then the run.
 */
import type {
  KnowledgeRun,
  KnowledgeRunPage,
  KnowledgeSource,
  RunCounts,
  WebsiteSettings,
} from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound, syncRunning } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue, expediteJob } from '../../../platform/jobs/jobs.ts';
import { type Actor, audit } from '../../accounts/accounts.ts';
import { findSource, lockWebsite, setNextSync } from '../sources/knowledge.sources.sql.ts';
import { countCitations } from './knowledge.cited-pages.sql.ts';
import {
  countPages,
  deleteRuns,
  findRun,
  insertRun,
  lockOpenRuns,
  lockRun,
  selectPages,
  selectRuns,
  updateRun,
} from './knowledge.runs.sql.ts';

export { findReview, selectRunsByKeys } from './knowledge.runs.sql.ts';

export const syncJobKind = jobKind('knowledge_sync');
export const endedRunJobKind = jobKind('knowledge_ended_run');
export const scheduledSyncJobKind = jobKind('knowledge_scheduled_sync');
/** In the place of a user or token. */
const bySchedule = 'schedule';

export const noCounts: RunCounts = {
  found: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  gone: 0,
  skipped: 0,
  failed: 0,
};

interface PageQuery {
  limit?: number;
  nextToken?: string;
}

export async function listRuns(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  sourceId: string,
  query: PageQuery,
): Promise<Page<KnowledgeRun>> {
  if (!isId(sourceId) || !(await findSource(db, accountId, sourceId))) throw notFound('knowledge source');
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['knowledge-runs', accountId, sourceId];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectRuns(db, accountId, sourceId, before, size + 1);
  return cutPage(rows, size, ({ id }) => tokens.issue([id], scope));
}

export async function requireRun(db: Reader, accountId: string, id: string): Promise<KnowledgeRun> {
  const run = isId(id) ? await findRun(db, accountId, id) : null;
  if (!run) throw notFound('knowledge run');
  return run;
}

/** In the order in which the run found them. */
export async function listRunPages(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  visible: string[] | null,
  runId: string,
  query: PageQuery,
): Promise<Page<KnowledgeRunPage>> {
  await requireRun(db, accountId, runId);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['knowledge-run-pages', accountId, runId];
  const after = query.nextToken === undefined ? 0 : Number(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectPages(db, accountId, runId, after, size + 1);
  const { items, nextToken } = cutPage(rows, size, ({ number }) => tokens.issue([number], scope));
  const cited = items.flatMap(({ documentId, verdict }) =>
    documentId !== null && (verdict === 'changed' || verdict === 'gone') ? [documentId] : [],
  );
  const citations = await countCitations(db, accountId, visible, cited);
  return {
    items: items.map(({ number: _number, ...page }) => ({
      ...page,
      citedBy: citations.get(page.documentId ?? '') ?? 0,
    })),
    nextToken,
  };
}

/** A run that waits for a review is cancelled by it. */
export async function startSync(
  tx: Tx,
  actor: Actor,
  now: number,
  sourceId: string,
): Promise<{ runId: string }> {
  const source = isId(sourceId) ? await findSource(tx, actor.accountId, sourceId) : null;
  if (!source) throw notFound('knowledge source');
  if (source.kind !== 'website') throw badRequest('only a source of the kind website can be synced');
  const runId = await beginRun(tx, actor.accountId, sourceId, actor.id, now);
  if (runId === null) throw syncRunning();
  await audit(tx, actor, now, {
    action: 'knowledge_run.started',
    target: { type: 'knowledge_source', id: sourceId },
    changes: { runId: { from: null, to: runId } },
  });
  return { runId };
}

/** At its time. Returns when the next one is due; null: the schedule has ended. */
export async function startScheduledSync(
  tx: Tx,
  accountId: string,
  sourceId: string,
  now: number,
): Promise<number | null> {
  const website = await lockWebsite(tx, accountId, sourceId);
  if (!website || website.nextSyncAt === null) return null;
  if (website.nextSyncAt > now) return website.nextSyncAt;
  await beginRun(tx, accountId, sourceId, bySchedule, now);
  const next = nextSyncOf(website.settings, now)!;
  await setNextSync(tx, accountId, sourceId, next);
  return next;
}

/** Null: there is one. */
async function beginRun(
  tx: Tx,
  accountId: string,
  sourceId: string,
  startedBy: string,
  now: number,
): Promise<string | null> {
  if (!(await lockWebsite(tx, accountId, sourceId))) throw notFound('knowledge source');
  const open = await lockOpenRuns(tx, accountId, sourceId);
  if (open.some(({ state }) => state === 'running')) return null;
  await cancelRuns(tx, accountId, sourceId, now, 'another sync was started');
  await deleteRuns(tx, accountId, sourceId, limits.website.runsKept - 1);
  const id = newId(now);
  await insertRun(tx, accountId, { id, sourceId, startedAt: now, startedBy, counts: noCounts });
  await enqueue(tx, {
    accountId,
    kind: syncJobKind,
    payload: { runId: id },
    dedupeKey: id,
    maxAttempts: endlessAttempts,
  });
  return id;
}

/** Those that run or wait for a review. */
export async function cancelRuns(
  tx: Tx,
  accountId: string,
  sourceId: string,
  now: number,
  reason: string,
): Promise<void> {
  for (const { id } of await lockOpenRuns(tx, accountId, sourceId)) {
    await endRun(tx, accountId, id, 'cancelled', reason, now);
  }
}

export async function cancelRun(tx: Tx, actor: Actor, now: number, id: string): Promise<KnowledgeRun> {
  const { accountId } = actor;
  const run = isId(id) ? await lockRun(tx, accountId, id) : null;
  if (!run) throw notFound('knowledge run');
  if (run.state !== 'running' && run.state !== 'review') throw conflict(`the run is ${run.state}`);
  await endRun(tx, accountId, id, 'cancelled', `cancelled by ${actor.name}`, now);
  await audit(tx, actor, now, {
    action: 'knowledge_run.cancelled',
    target: { type: 'knowledge_source', id: run.sourceId },
    changes: { runId: { from: id, to: null } },
  });
  return requireRun(tx, accountId, id);
}

/** A job removes what is left of it. */
export async function endRun(
  tx: Tx,
  accountId: string,
  id: string,
  state: 'published' | 'cancelled' | 'failed',
  reason: string | null,
  now: number,
): Promise<void> {
  if (state !== 'published') await countPages(tx, accountId, id);
  await updateRun(tx, accountId, id, { state, reason, endedAt: now });
  await enqueue(tx, {
    accountId,
    kind: endedRunJobKind,
    payload: { runId: id },
    dedupeKey: id,
    maxAttempts: endlessAttempts,
  });
}

const dayMs = 86_400_000;

export function nextSyncOf({ schedule }: Pick<WebsiteSettings, 'schedule'>, now: number): number | null {
  if (schedule === 'never') return null;
  return now + (schedule === 'daily' ? dayMs : 7 * dayMs);
}

/** One job for each source. If it comes too early, it waits; if there is no schedule any more, it ends. */
export async function scheduleSync(
  tx: Tx,
  accountId: string,
  { id, nextSyncAt }: Pick<KnowledgeSource, 'id' | 'nextSyncAt'>,
  now: number,
): Promise<void> {
  if (nextSyncAt === null) return;
  const job = { accountId, kind: scheduledSyncJobKind, dedupeKey: id, delayMs: nextSyncAt - now };
  await enqueue(tx, { ...job, payload: { sourceId: id }, maxAttempts: endlessAttempts });
  await expediteJob(tx, job);
}
