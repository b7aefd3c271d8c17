/**
 * Works on one cause: evaluates the rules that listen to it in their order, each after the one before has ended or waits.
 * A crash at any moment repeats nothing: the verdict of a match commits with its run, and each step with its mark.
 */
import type { MissedCondition } from '../../../contract/automation/conditions.ts';
import { limits } from '../../../contract/limits.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { type ConditionSubject, evaluate, loadSubjects, type SubjectKey } from '../conditions/conditions.ts';
import {
  addVerdicts,
  type CauseRow,
  type ChainLink,
  closeCause,
  keepCause,
} from './automations.causes.sql.ts';
import { eventWords, isAbout } from './automations.match.ts';
import { firstPath } from './automations.paths.ts';
import type { AccountRules, CompiledRule } from './automations.rules.ts';
import { advance, type RunDeps, resume } from './automations.run.ts';
import { insertRun, selectEarlier } from './automations.runs.sql.ts';
import { findPlace } from './automations.subjects.sql.ts';
import { armAll, armTimers, expandSchedule, hasEnded, spreadKey } from './automations.timers.ts';
import type { StoredVerdict } from './automations.verdicts.sql.ts';

export type WorkDeps = RunDeps;

const hourMs = 3_600_000;
const minuteMs = 60_000;
const loadedAtOnce = 200;

/** Ends the cause. False: another worker has it by now. */
export async function workOn(deps: WorkDeps, cause: CauseRow, signal: AbortSignal): Promise<boolean> {
  if (cause.type === 'run') {
    await resume(deps, cause, cause.runId!, signal);
    return closeCause(deps.db, { cause, verdicts: [] });
  }
  const account = await deps.rules.of(cause.accountId, cause.rulesVersion ?? 0);
  if (cause.triggers.includes('arm')) {
    await armAll(deps, account, cause);
    return closeCause(deps.db, { cause, verdicts: [] });
  }
  if (cause.triggers.includes('schedule')) {
    await expandSchedule(deps, account, cause);
    return true;
  }
  if (cause.type !== 'timer' && cause.type !== 'hook') await armTimers(deps, account, cause);
  const verdicts = await evaluateRules(deps, account, cause, signal);
  return closeCause(deps.db, { cause, verdicts });
}

/** Returns the verdicts that are not stored yet. */
async function evaluateRules(
  deps: WorkDeps,
  account: AccountRules,
  cause: CauseRow,
  signal: AbortSignal,
): Promise<StoredVerdict[]> {
  // What a crash has left in the middle comes first.
  for (const { runId } of cause.verdicts) if (runId !== null) await advance(deps, cause, runId, signal);
  const judged = new Set(cause.verdicts.map(({ ruleId }) => ruleId));
  const rules = account.rules.filter((rule) => !judged.has(rule.id) && listens(rule, cause));
  if (rules.length === 0) return [];
  if (cause.type === 'timer' && (await hasEnded(deps.db, rules[0]!, cause))) return [];
  let verdicts: StoredVerdict[] = [];
  let subject: ConditionSubject | null = null;
  for (const rule of rules) {
    const refused = refusedBy(rule, cause);
    const unmet = refused === null ? await missedBy(rule) : { reason: refused };
    if (unmet !== null) {
      verdicts.push(verdictOf(deps.clock.now(), rule, unmet));
      continue;
    }
    const begun = await begin(deps, cause, rule, verdicts);
    verdicts = [];
    if (begun === null) continue;
    await advance(deps, cause, begun, signal);
    // The next rule sees what this one has changed.
    subject = null;
  }
  return verdicts;

  async function missedBy({ compiled }: CompiledRule): Promise<Unmet | null> {
    if (compiled === null) return null;
    subject ??= await load(deps.db, account, cause);
    const result = await evaluate(compiled, subject, deps.clock.now(), account.context);
    return result.matched ? null : result;
  }
}

/** Why a rule does not run. */
export interface Unmet {
  reason: string;
  missed?: MissedCondition;
}

/** Whether the rule is evaluated for the cause. */
export function listens(rule: CompiledRule, cause: CauseRow): boolean {
  if (rule.enabledAt > cause.at) return false;
  return cause.ruleId === null ? isAbout(rule.trigger, cause) : rule.id === cause.ruleId;
}

/** Why a rule does not run whatever its conditions say; null: it may. */
export function refusedBy(rule: CompiledRule, { chain, detail }: CauseRow): string | null {
  if (detail?.isSubjectMissing) return 'no_subject';
  if (!chain) return null;
  const words = () => [...wordsOf(chain, rule), rule.name].join(' -> ');
  if (chain.some(({ ruleId }) => ruleId === rule.id)) return `would repeat itself: ${words()}`;
  if (chain.length >= limits.automation.chain) {
    return `the chain would be longer than ${limits.automation.chain} rules: ${words()}`;
  }
  return null;
}

/** "rule A", "label added", "rule B", …: up to what this rule listens to. */
function wordsOf(chain: readonly ChainLink[], rule: CompiledRule): string[] {
  return chain.flatMap(({ name, event }) => [name, event ?? eventWords(rule.trigger)]);
}

export function verdictOf(
  at: number,
  { id, version }: CompiledRule,
  unmet: Unmet | null,
  runId: string | null = null,
): StoredVerdict {
  const { reason = null, missed } = unmet ?? {};
  return { ruleId: id, version, matched: unmet === null, reason, ...(missed && { missed }), runId, at };
}

/** Returns the id of the run, which commits with its verdict and the misses before it; null: it may not run now. */
async function begin(
  deps: WorkDeps,
  cause: CauseRow,
  rule: CompiledRule,
  misses: readonly StoredVerdict[],
): Promise<string | null> {
  const { accountId } = cause;
  const now = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    await keepCause(tx, cause);
    const earlier = await selectEarlier(tx, accountId, rule.id, cause.subject, now - hourMs);
    const refused = tooSoon(rule, earlier, now);
    if (refused !== null) {
      await addVerdicts(tx, cause, [...misses, verdictOf(now, rule, { reason: refused })]);
      return null;
    }
    const { sessionId, recordId } = await findPlace(tx, accountId, cause);
    const id = newId(now);
    const before = (cause.chain ?? []).map((link) => ({
      ...link,
      event: link.event ?? eventWords(rule.trigger),
    }));
    await insertRun(
      tx,
      accountId,
      {
        id,
        ruleId: rule.id,
        ruleName: rule.name,
        version: rule.version,
        causeType: cause.type === 'run' ? 'timer' : cause.type,
        causeId: cause.sourceId,
        subject: cause.subject,
        sessionId,
        recordId,
        messageId: cause.type === 'message' ? cause.sourceId : null,
        nextPath: firstPath,
        chain: [...before, { ruleId: rule.id, name: rule.name, event: null }],
        payload: cause.payload,
        leftOver: cause.detail?.left ?? null,
        createdAt: now,
      },
      cause.id,
    );
    await addVerdicts(tx, cause, [...misses, verdictOf(now, rule, null, id)]);
    return id;
  });
}

function tooSoon(
  { cooldownMinutes }: CompiledRule,
  { count, lastAt }: { count: number; lastAt: number | null },
  now: number,
): string | null {
  if (lastAt !== null && now < lastAt + cooldownMinutes * minuteMs) {
    return `cooldown: it ran less than ${cooldownMinutes} minutes ago`;
  }
  return count >= limits.automation.runsPerHour ? 'too_often' : null;
}

interface Loading {
  account: AccountRules;
  key: SubjectKey;
}

const loaders = new WeakMap<Db, ReturnType<typeof createLoader>>();

/** What several causes of an account need at the same time is read in one statement. */
function createLoader(db: Db) {
  return createBatcher<Loading, ConditionSubject>({
    maxItems: loadedAtOnce,
    pipelineFrom: loadedAtOnce,
    async run(accountId, items) {
      const rules = new Set(items.flatMap(({ account }) => account.rules));
      const subjects = await loadSubjects(
        db,
        accountId,
        items[0]!.account.config.definitions,
        items.map(({ key }) => key),
        [...rules].map(({ compiled }) => compiled),
      );
      return subjects.map((value) => ({ status: 'fulfilled', value }));
    },
  });
}

async function load(db: Db, account: AccountRules, cause: CauseRow): Promise<ConditionSubject> {
  let loader = loaders.get(db);
  if (!loader) {
    loader = createLoader(db);
    loaders.set(db, loader);
  }
  return loader(cause.accountId, { account, key: spreadKey(cause) });
}
