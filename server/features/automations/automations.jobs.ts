/** The worker of rules: works on causes, and makes causes of waits and timers whose time has come. */
import { isTemporary } from '../../platform/http/errors.ts';
import { backoffMs } from '../../platform/jobs/backoff.ts';
import { JobPostponed } from '../../platform/jobs/job.ts';
import { type LeasedTable, runLeased } from '../../platform/jobs/leases.ts';
import { LeaseLost } from '../../platform/jobs/process-row.ts';
import { runWhenDue } from '../../platform/jobs/run-when-due.ts';
import {
  type CauseRow,
  type CauseWork,
  causeTable,
  causeWork,
  closeCause,
  hasClaimable,
  releaseCause,
} from './automations.causes.sql.ts';
import { takeCauses } from './automations.judge.ts';
import { createRuleCache } from './automations.rules.ts';
import { moveDueRuns } from './automations.runs.sql.ts';
import { fireTimers, nextDue } from './automations.timers.sql.ts';
import { onAutomations, wakeAutomations } from './automations.wake.ts';
import { type WorkDeps, workOn } from './automations.work.ts';

export type AutomationsDeps = Omit<WorkDeps, 'rules'>;

const atOnce = 64;
const movedAtOnce = 500;
const lookEveryMs = 250;
/**
 * After a commit of this process, which may have made causes: many commits share a look. Under load, and when causes are
 * rare, more of them do: a look costs hardly more for a hundred causes than for one.
 */
const lookAfterMs = 20;
const manyCauses = 8;
const mostLookAfterMs = { rare: 100, many: 250 };
/** After so long without a commit the next one is looked at soon. */
const quietMs = 500;
/** Then a cause is given up, so that it holds up nothing. */
const lastAttempt = 12;

export interface Automations {
  leased: LeasedTable;
  stop(): Promise<void>;
}

export function startAutomations(deps: AutomationsDeps): Automations {
  const { db, clock, logger } = deps;
  const work: WorkDeps = { ...deps, rules: createRuleCache(deps) };
  const stopping = new AbortController();
  let isListening = true;
  const soon = createSoon(() => causes.wake());
  const causes = runLeased<CauseWork, CauseRow>(db, {
    table: causeTable,
    atOnce,
    look: { name: 'causes of rules', value: causeWork },
    isDue(found) {
      isListening = found.isListening;
      return found.isDue;
    },
    async claim(token, atMost) {
      const taken = (await hasClaimable(db))
        ? await takeCauses(work, token, atMost)
        : { leased: [], count: 0 };
      soon.found(taken.count);
      return taken.leased;
    },
    async work(cause, lease) {
      const signal = AbortSignal.any([lease.signal, stopping.signal]);
      const isKnown = await settle(work, cause, signal);
      // Others of its subject may have waited for it. Causes that end together share the next claim.
      soon.look();
      return isKnown;
    },
    onError: (error) => {
      if (!isTemporary(error)) logger.warn({ err: error }, 'claiming causes of rules failed; retrying');
    },
    lookEveryMs,
    stopWithinMs: 10_000,
  });
  const times = runWhenDue<number | null>(db, {
    look: { name: 'times of rules', value: nextDue },
    isDue: (due) => due !== null && due <= clock.now(),
    async run() {
      const now = clock.now();
      const moved = await moveDueRuns(db, now, movedAtOnce);
      const fired = await fireTimers(db, now, movedAtOnce);
      if (moved + fired > 0) wakeAutomations(db);
      return moved === movedAtOnce || fired === movedAtOnce;
    },
    onError: (error) => logger.warn({ err: error }, 'looking for times of rules failed; retrying'),
    everyMs: lookEveryMs,
  });
  const endWakes = onAutomations(db, () => {
    isListening = true;
    causes.wake();
  });
  const endCommits = db.onCommit(() => isListening && soon.look());
  return {
    leased: causeTable,
    async stop() {
      stopping.abort();
      endWakes();
      endCommits();
      soon.stop();
      await Promise.all([causes.stop(), times.stop()]);
    },
  };
}

interface Soon {
  look(): void;
  /** How many causes a look has found. */
  found(count: number): void;
  stop(): void;
}

/** What is asked for within a moment is one look. */
function createSoon(look: () => void): Soon {
  let timer: NodeJS.Timeout | null = null;
  let afterMs = lookAfterMs;
  let askedAt = 0;
  return {
    look() {
      const now = performance.now();
      if (now - askedAt > quietMs) afterMs = lookAfterMs;
      askedAt = now;
      timer ??= setTimeout(() => {
        timer = null;
        look();
      }, afterMs).unref();
    },
    found(count) {
      const isFew = count > 0 && count < manyCauses;
      const most = count === 0 ? mostLookAfterMs.rare : mostLookAfterMs.many;
      afterMs = isFew ? lookAfterMs : Math.min(afterMs * 2, most);
    },
    stop() {
      if (timer) clearTimeout(timer);
    },
  };
}

/** False: nobody knows whether the cause has ended or was released. */
async function settle(deps: WorkDeps, cause: CauseRow, signal: AbortSignal): Promise<boolean> {
  const { db, logger } = deps;
  try {
    await workOn(deps, cause, signal);
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return true;
    const { accountId, id, type, attempts } = cause;
    const isStopped = signal.aborted;
    const isPostponed = error instanceof JobPostponed;
    if (!isStopped && !isPostponed && !isTemporary(error)) {
      logger.warn({ err: error, accountId, cause: id, type, attempts }, 'working on a cause of rules failed');
    }
    const waitMs = isStopped ? 0 : isPostponed ? error.delayMs : backoffMs(Math.min(attempts, 6));
    const isGivenUp = attempts >= lastAttempt && !isStopped && !isPostponed && !isTemporary(error);
    const ending = isGivenUp
      ? closeCause(db, { cause, verdicts: [] })
      : releaseCause(db, cause, waitMs, !isStopped && !isPostponed);
    return ending.then(
      () => true,
      () => false,
    );
  }
}
