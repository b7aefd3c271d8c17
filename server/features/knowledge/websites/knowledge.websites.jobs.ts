/** The jobs that read a website when a sync was asked for, and that ask for one at its time. */
import type { RunCounts } from '../../../../contract/knowledge.ts';
import { createSemaphore, type Turns } from '../../../platform/concurrency/semaphore.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import { AppError } from '../../../platform/http/errors.ts';
import {
  type Job,
  type JobHandler,
  JobPostponed,
  JobReleased,
  LeaseLost,
} from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { checkQuota } from '../documents/knowledge.documents.ts';
import type { Extraction } from '../extraction/extraction.ts';
import { lockKnowledge, readKnowledge } from '../knowledge.state.sql.ts';
import { findWebsite, lockWebsite, type Website } from '../sources/knowledge.sources.sql.ts';
import { type CrawlChanges, crawl, RunFailed } from './crawl.ts';
import { createHostPaces, type HostPaces } from './host-pace.ts';
import { finishPublished } from './knowledge.ended-runs.ts';
import { PreparedTooEarly, prepareRun, publishPrepared } from './knowledge.prepare.ts';
import { publishRun } from './knowledge.publish.ts';
import {
  findLinks,
  findRunAtWork,
  holdRunning,
  lockRun,
  savePages,
  saveProgress,
  saveTexts,
  selectKnownPages,
  selectRunPages,
  selectTextSummaries,
  updateRun,
} from './knowledge.runs.sql.ts';
import { endRun, startScheduledSync } from './knowledge.runs.ts';
import { originsOf } from './page-addresses.ts';
import { createWebClient } from './web-client.ts';
import { openHeaders } from './website-settings.ts';

export interface SyncDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  secrets: Secrets;
  safeFetch: SafeFetch;
  config: { outboundAllow: OutboundAllow };
  extraction: Pick<Extraction, 'extract'>;
}

/** For tests and measurements. */
export interface SyncOptions {
  isPolite?: boolean;
  retryMs?: number;
  responseWithinMs?: number;
  hostSilenceMs?: number;
  /** Until a sync looks again whether others of its account have ended. */
  othersMs?: number;
}

/** Cancelled, or removed: there is nothing more to do. */
class RunEnded extends Error {}

/** Without progress in between. A page that ends the process fails the run after them. */
const maxAttempts = 5;
const progressEveryMs = 1_000;
/** Of an account in this process: the other accounts need its workers too. */
const maxOfAccount = 2;
/** Two for each job of a worker, so that slow hosts do not keep others from being read. */
const maxVisits = 16;
const usualOthersMs = 5_000;
/** Above this share of the published documents, a person decides whether they go. */
const reviewAbovePercent = 30;

export function scheduledSyncHandler({ db, clock }: Pick<SyncDeps, 'db' | 'clock'>): JobHandler {
  return async ({ accountId, payload }) => {
    const now = clock.now();
    const next = await db.transaction((tx) =>
      startScheduledSync(tx, accountId, String(payload.sourceId), now),
    );
    if (next !== null) throw new JobPostponed(next - now);
  };
}

export function syncHandler(deps: SyncDeps, options: SyncOptions = {}): JobHandler {
  const shared = { paces: createHostPaces(deps.db, options.isPolite), visits: createSemaphore(maxVisits) };
  const running = new Map<string, number>();
  const ofAccount = (accountId: string) => running.get(accountId) ?? 0;
  const run = syncOnce(deps, options, shared);
  return async (job) => {
    const { accountId } = job;
    if (ofAccount(accountId) >= maxOfAccount) {
      throw new JobPostponed(options.othersMs ?? usualOthersMs, false);
    }
    running.set(accountId, ofAccount(accountId) + 1);
    try {
      await run(job);
    } finally {
      if (ofAccount(accountId) > 1) running.set(accountId, ofAccount(accountId) - 1);
      else running.delete(accountId);
    }
  };
}

function syncOnce(deps: SyncDeps, options: SyncOptions, shared: Shared): JobHandler {
  return async (job) => {
    const runId = String(job.payload.runId);
    const stopped = new AbortController();
    const signal = AbortSignal.any([job.signal, stopped.signal]);
    try {
      if (job.attempt > maxAttempts) throw new Error('the worker died at every attempt');
      const reading = { ...deps, ...options, ...shared, signal, abort: () => stopped.abort() };
      await readWebsite(reading, job, runId);
    } catch (error) {
      if (job.signal.aborted) throw job.signal.reason;
      if (error instanceof RunEnded) return;
      if (error instanceof LeaseLost || error instanceof JobReleased) throw error;
      const isFinal = error instanceof RunFailed || (error instanceof AppError && error.status < 500);
      if (!isFinal && job.attempt < maxAttempts) throw error;
      if (!isFinal) deps.logger.error({ err: error, runId }, 'a sync of a website failed permanently');
      await fail(
        deps,
        job,
        runId,
        isFinal ? error.message : 'something went wrong on our side: start it again',
      );
    }
  };
}

/** By all runs of the process. */
interface Shared {
  paces: HostPaces;
  visits: Turns;
}

type Reading = SyncDeps & SyncOptions & Shared & { signal: AbortSignal; abort(): void };

async function readWebsite(deps: Reading, job: Job, runId: string): Promise<void> {
  const { db, secrets, signal } = deps;
  const { accountId } = job;
  const run = await findRunAtWork(db, accountId, runId);
  if (run?.state !== 'running') throw new RunEnded();
  const website = await findWebsite(db, accountId, run.sourceId);
  if (!website) throw new RunEnded();
  const { settings } = website;
  await finishPublished(db, accountId, website.id, (tx) => job.keep(tx));
  const quota = await readKnowledge(db, accountId);
  const known = await selectKnownPages(db, accountId, website.id);
  const { outboundAllow } = deps.config;
  const counts = await crawl({
    ...deps,
    accountId,
    settings,
    known,
    pages: await selectRunPages(db, accountId, runId),
    texts: await selectTextSummaries(db, accountId, runId),
    isSeeded: run.isSeeded,
    isRepeated: job.attempt > 1,
    client: createWebClient({
      ...deps,
      headers: openHeaders(secrets, website.id, website.headers),
      origins: originsOf(settings.startUrls),
      signal,
    }),
    save: saver(db, job, runId),
    linksOf: (documentId) => findLinks(db, accountId, documentId),
    // Without a look-up: only an address that is written as a private one.
    isPrivate: async (url) => (await checkOutboundUrl(url, outboundAllow, async () => [])) !== null,
    // Texts that replace others count when the run publishes.
    checkQuota: (documents, bytes) => checkQuota({ ...quota, bytes: 0 }, documents, bytes),
  });
  const published = known.filter(({ state }) => state === 'published').length;
  const prepare = async () => {
    const now = deps.clock.now();
    const current = await findWebsite(db, accountId, website.id);
    if (!current) throw new RunEnded();
    if (reviewReason(current.settings, counts, published) !== null) return null;
    return prepareRun(db, {
      accountId,
      runId,
      state: 'running',
      website: current,
      by: run.startedBy,
      now,
      keep: (tx) => job.keep(tx),
    });
  };
  await publishPrepared(prepare, (prepared) =>
    db.transaction(async (tx) => {
      const now = deps.clock.now();
      await job.complete(tx);
      const state = await lockKnowledge(tx, accountId);
      // Its settings may have changed while it was read.
      const current = await lockWebsite(tx, accountId, website.id);
      const open = await lockRun(tx, accountId, runId);
      if (!current || open?.state !== 'running') throw new RunEnded();
      await saveProgress(tx, accountId, runId, counts, true);
      const review = reviewReason(current.settings, counts, published);
      if (review !== null)
        return updateRun(tx, accountId, runId, { state: 'review', reason: review, endedAt: null });
      if (!prepared) throw new PreparedTooEarly();
      return publishRun(tx, accountId, state, open, current, prepared, now);
    }),
  );
}

/** Null: it publishes without one. */
function reviewReason(
  { publish }: Website['settings'],
  { added, changed, gone }: RunCounts,
  published: number,
): string | null {
  if (gone * 100 > published * reviewAbovePercent) {
    return `${gone} of ${published} published documents would go`;
  }
  return publish === 'review' && added + changed + gone > 0 ? 'the settings ask for a review' : null;
}

async function fail({ db, clock }: SyncDeps, job: Job, runId: string, reason: string): Promise<void> {
  await db.transaction(async (tx) => {
    await job.complete(tx);
    const run = await lockRun(tx, job.accountId, runId);
    if (run?.state === 'running') await endRun(tx, job.accountId, runId, 'failed', reason, clock.now());
  });
}

/** A cancelled run ends at the next page. Clients hear of the progress of the others once in a while. */
function saver(db: Db, job: Job, runId: string): (changes: CrawlChanges) => Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let wasSeeded = false;
  return async ({ pages, texts, counts, isSeeded, isProgress }) => {
    const now = performance.now();
    const isReported = now - reportedAt >= progressEveryMs || isSeeded !== wasSeeded;
    await db.transaction(async (tx) => {
      await job.keep(tx, isProgress);
      if (!(await holdRunning(tx, job.accountId, runId))) throw new RunEnded();
      await savePages(tx, job.accountId, runId, pages);
      await saveTexts(tx, job.accountId, runId, texts);
      if (isReported) await saveProgress(tx, job.accountId, runId, counts(), isSeeded);
    });
    if (isReported) reportedAt = now;
    wasSeeded = isSeeded;
  };
}
