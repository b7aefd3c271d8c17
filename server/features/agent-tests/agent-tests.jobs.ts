/**
 * Does a run: asks for the reply to each case, four at a time, and keeps nothing but the results. What is done is stored
 * one by one, so that another worker continues where this one was stopped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/db/clock.ts';
import type { Job, JobHandler } from '../../platform/jobs/jobs.ts';
import { ModelError } from '../ai-replies/ai-replies.ts';
import { type AccountConfigCache, agentWith, type OtherVersion } from '../channels/channels.ts';
import {
  beginRun,
  endRun,
  type StoredResult,
  type StoredRun,
  saveResult,
  selectWaiting,
} from './agent-tests.runs.sql.ts';
import { makeSide, type SideContext } from './agent-tests.side.ts';

const callsAtOnce = 4;
/** After a failure that is no model's. */
const maxAttempts = 5;
/** A provider that has too much to do is asked again, later and later, and then not any more. */
const longestWaitMs = 600_000;
const firstWaitMs = 2_000;

export interface TestRunContext extends SideContext {
  clock: Clock;
  accountConfig: AccountConfigCache;
}

/** The run is over, or is given up. */
class RunEnded extends Error {
  readonly failure: string | null;

  constructor(failure: string | null) {
    super('the run has ended');
    this.failure = failure;
  }
}

export function testRunHandler(context: TestRunContext): JobHandler {
  return async (job) => {
    const { accountId } = job;
    const runId = String(job.payload.runId);
    const run = await context.db.transaction((tx) => beginRun(tx, accountId, runId));
    if (!run) return;
    const end = (state: 'done' | 'failed', failure: string | null) =>
      context.db.transaction(async (tx) => {
        await endRun(tx, accountId, runId, { state, failure, now: context.clock.now() });
        await job.complete(tx);
      });
    if (job.attempt > maxAttempts) return end('failed', 'the run could not be finished');
    try {
      await answerAll(context, job, run);
    } catch (error) {
      if (!(error instanceof RunEnded)) throw error;
      if (error.failure !== null) await end('failed', error.failure);
      return;
    }
    await end('done', null);
  };
}

async function answerAll(context: TestRunContext, job: Job, run: StoredRun): Promise<void> {
  const { accountId } = job;
  const { directory } = await context.accountConfig.fresh(accountId);
  const agent = directory.agents.get(run.agentId);
  if (!agent) throw new RunEnded(null);
  const { db, secrets } = context;
  const subject = await agentWith(db, secrets, accountId, agent, run.content);
  const baseline = run.baseline && (await agentWith(db, secrets, accountId, agent, run.baseline));
  const waiting = await selectWaiting(db, accountId, run.id);
  const stopped = new AbortController();
  const signal = AbortSignal.any([job.signal, stopped.signal]);
  const patiently = createPatience(signal);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      signal.throwIfAborted();
      await answer({ context, job, run, subject, baseline, signal, patiently }, next);
    }
  };
  const ended = await Promise.allSettled(
    Array.from({ length: callsAtOnce }, () =>
      work().catch((error: unknown) => {
        // The others would only cost money.
        stopped.abort(error);
        throw error;
      }),
    ),
  );
  // The first reason: the others have stopped because of it.
  if (stopped.signal.aborted) throw stopped.signal.reason;
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

interface Answering {
  context: TestRunContext;
  job: Job;
  run: StoredRun;
  subject: OtherVersion;
  baseline: OtherVersion | null;
  signal: AbortSignal;
  patiently: Patience;
}

async function answer(
  { context, job, run, subject, baseline, signal, patiently }: Answering,
  one: StoredResult,
): Promise<void> {
  const { accountId } = job;
  const sideOf = (version: OtherVersion) =>
    patiently(() => makeSide(context, accountId, version, one, signal));
  const made = await sideOf(subject);
  const before = baseline ? await sideOf(baseline) : one.baseline;
  const changed =
    made.text === null || before === null || before.text === null
      ? null
      : made.text.trim() !== before.text.trim() || made.handover !== before.handover;
  const isStored = await context.db.transaction(async (tx) => {
    await job.keep(tx);
    return saveResult(tx, accountId, run.id, { ...one, subject: made, baseline: before, changed });
  });
  if (!isStored && (await hasEnded(context, accountId, run))) throw new RunEnded(null);
}

const hasEnded = async ({ db }: TestRunContext, accountId: string, { id }: StoredRun): Promise<boolean> =>
  !(await db.transaction((tx) => beginRun(tx, accountId, id)));

type Patience = <T>(call: () => Promise<T>) => Promise<T>;

/** All calls of the run wait together. */
function createPatience(signal: AbortSignal): Patience {
  let until = 0;
  return async (call) => {
    for (let wait = firstWaitMs, waited = 0; ; wait *= 2) {
      while (until > Date.now()) {
        await delay(until - Date.now(), undefined, { signal }).catch((error) => {
          signal.throwIfAborted();
          throw error;
        });
      }
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof ModelError) || !error.isBusy) throw error;
        const ms = Math.max(error.retryAfterMs ?? 0, wait);
        waited += ms;
        if (waited > longestWaitMs) throw new RunEnded(error.details);
        until = Math.max(until, Date.now() + ms);
      }
    }
  };
}
