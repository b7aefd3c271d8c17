/**
 * Takes causes from the queue. Most are missed by all rules: a batch of them is read, judged in memory and ended in one
 * transaction, so a crash takes all of it back. What remains is leased and worked on (automations.work.ts).
 */
import type { Tx } from '../../platform/db/db.ts';
import { isTemporary } from '../../platform/http/errors.ts';
import { type ConditionSubject, evaluate, loadSubjects } from '../conditions/conditions.ts';
import {
  type CauseRow,
  type DueCause,
  endMissed,
  leaseCauses,
  lockDue,
  type Missed,
} from './automations.causes.sql.ts';
import type { AccountRules, CompiledRule } from './automations.rules.ts';
import { armsTimers, spreadKey } from './automations.timers.ts';
import type { StoredVerdict } from './automations.verdicts.sql.ts';
import { listens, refusedBy, verdictOf, type WorkDeps } from './automations.work.ts';

/** Judged together at most, and for each one that may be leased: what is left over is judged again later. */
const mostAtOnce = 250;
const judgedPerLease = 4;

export interface Taken {
  leased: CauseRow[];
  /** With those that have ended. */
  count: number;
}

/** Leases at most so many. */
export async function takeCauses(deps: WorkDeps, token: string, atMost: number): Promise<Taken> {
  const leased: CauseRow[] = [];
  for (let count = 0; ; ) {
    const free = atMost - leased.length;
    const batch = await takeBatch(deps, token, Math.min(mostAtOnce, judgedPerLease * free), free);
    leased.push(...batch.leased);
    count += batch.count;
    if (!batch.isFull || batch.count === 0 || leased.length >= atMost) return { leased, count };
  }
}

interface Batch extends Taken {
  isFull: boolean;
}

async function takeBatch(deps: WorkDeps, token: string, most: number, free: number): Promise<Batch> {
  const take = (judge: typeof judgeAll) =>
    deps.db.transaction(async (tx) => {
      const due = await lockDue(tx, most);
      const isFull = due.length === most;
      const verdicts = await judge(deps, tx, due);
      const missed: Missed[] = [];
      const left: DueCause[] = [];
      for (const cause of due) {
        const misses = verdicts.get(cause);
        if (misses) missed.push({ cause, verdicts: misses });
        else left.push(cause);
      }
      const [leased] = await Promise.all([
        left.length > 0 ? leaseCauses(tx, token, left.slice(0, free)) : [],
        missed.length > 0 ? endMissed(tx, missed) : null,
      ]);
      return { leased, count: missed.length + leased.length, isFull };
    });
  try {
    return await take(judgeAll);
  } catch (error) {
    if (isTemporary(error)) throw error;
    // Worked on one by one, only the one that fails is tried again.
    deps.logger.warn({ err: error }, 'judging causes of rules together failed');
    return take(async () => new Map());
  }
}

type Verdicts = Map<DueCause, StoredVerdict[]>;

/** Of the causes that all rules miss. */
async function judgeAll(deps: WorkDeps, tx: Tx, due: readonly DueCause[]): Promise<Verdicts> {
  const verdicts: Verdicts = new Map();
  const byAccount = Map.groupBy(due.filter(mayMiss), ({ accountId }) => accountId);
  await Promise.all(
    [...byAccount].map(async ([accountId, causes]) => {
      const version = Math.max(...causes.map(({ rulesVersion }) => rulesVersion ?? 0));
      try {
        const account = await deps.rules.of(accountId, version, tx);
        await judgeThose(deps, tx, account, causes, verdicts);
      } catch (error) {
        if (isTemporary(error)) throw error;
        // Those of the account are worked on one by one. After an error of the database the transaction fails as a whole.
        deps.logger.warn({ err: error, accountId }, 'judging causes of rules of an account failed');
      }
    }),
  );
  return verdicts;
}

/** What is not a time or a run that goes on, and is new: one that failed is worked on alone. */
const mayMiss = ({ type, attempts, verdicts }: CauseRow) =>
  type !== 'run' && type !== 'timer' && attempts === 0 && verdicts.length === 0;

interface Judged {
  cause: DueCause;
  rules: CompiledRule[];
}

async function judgeThose(
  deps: WorkDeps,
  tx: Tx,
  account: AccountRules,
  causes: readonly DueCause[],
  verdicts: Verdicts,
): Promise<void> {
  const compared: Judged[] = [];
  for (const cause of causes) {
    if (armsTimers(account, cause)) continue;
    const rules = account.rules.filter((rule) => listens(rule, cause));
    const open = rules.filter((rule) => refusedBy(rule, cause) === null);
    if (open.length === 0) {
      const misses = await missesOf(deps, account, { cause, rules }, null);
      if (misses) verdicts.set(cause, misses);
      // One without conditions runs.
    } else if (open.every(({ compiled }) => compiled !== null)) compared.push({ cause, rules });
  }
  if (compared.length === 0) return;
  const conditions = new Set(compared.flatMap(({ rules }) => rules.map(({ compiled }) => compiled)));
  const keys = compared.map(({ cause }) => spreadKey(cause));
  const subjects = await loadSubjects(tx, account.accountId, account.config.definitions, keys, [
    ...conditions,
  ]);
  for (const [index, one] of compared.entries()) {
    const misses = await missesOf(deps, account, one, subjects[index]!);
    if (misses) verdicts.set(one.cause, misses);
  }
}

/** Null: a rule is met, or cannot be evaluated here. */
async function missesOf(
  { clock, logger }: WorkDeps,
  { context }: AccountRules,
  { cause, rules }: Judged,
  subject: ConditionSubject | null,
): Promise<StoredVerdict[] | null> {
  const at = clock.now();
  const misses: StoredVerdict[] = [];
  try {
    for (const rule of rules) {
      const refused = refusedBy(rule, cause);
      const unmet =
        refused === null ? await evaluate(rule.compiled, subject!, at, context) : { reason: refused };
      if (!('reason' in unmet)) return null;
      misses.push(verdictOf(at, rule, unmet));
    }
    return misses;
  } catch (error) {
    const { accountId, id } = cause;
    logger.warn({ err: error, accountId, cause: id }, 'judging a cause of rules failed');
    return null;
  }
}
