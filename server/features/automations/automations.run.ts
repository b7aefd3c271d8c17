/**
 * Goes on with a run, step by step. A step's change and its mark commit together; a call is made first, with the same key
 * however often, and marked then.
 */
import type { RuleStep } from '../../../contract/automation/steps.ts';
import { limits } from '../../../contract/limits.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { endpointKey } from '../../platform/events/endpoints.ts';
import { AppError, isTemporary } from '../../platform/http/errors.ts';
import { JobPostponed } from '../../platform/jobs/job.ts';
import type { Logger } from '../../platform/logger.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import { audit, type RuleActor, systemActor } from '../accounts/accounts.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { evaluate, loadSubjects } from '../conditions/conditions.ts';
import type { Registry } from '../connectors/connectors.ts';
import {
  type CallOutcome,
  keptAnswer,
  performCall,
  performStep,
  type Scene,
  type StepOutcome,
  withScene,
} from '../steps/steps.ts';
import { type CauseRow, keepCause } from './automations.causes.sql.ts';
import { branchPath, nextPath, stepAt } from './automations.paths.ts';
import { compile, evaluationOf, type RuleCache } from './automations.rules.ts';
import {
  cancelWaitingStep,
  endWait,
  lockConversation,
  lockRun,
  markStep,
  type RunRow,
  type StepMark,
  selectOutputs,
  setChain,
  updateRun,
} from './automations.runs.sql.ts';
import { findSecret, noteEnd, type RuleContent } from './automations.sql.ts';
import { waitEnd } from './automations.waits.ts';

export interface RunDeps extends CallDeps {
  db: Db;
  logger: Logger;
  rules: RuleCache;
  accountConfig: AccountConfigCache;
  providers: Registry;
}

type CallDeps = Parameters<typeof performCall>[0];

/** From this attempt on, a step that cannot be performed for a reason of the service fails instead of being tried again. */
const lastAttempt = 5;

/** Of a run whose wait has ended, or whose failed step is tried again. */
export async function resume(
  deps: RunDeps,
  cause: CauseRow,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { accountId } = cause;
  await deps.db.transaction(async (tx) => {
    await keepCause(tx, cause);
    const run = await lockRun(tx, accountId, runId);
    if (run?.state !== 'running') return;
    const now = deps.clock.now();
    if (!(await endWait(tx, accountId, runId, now))) return;
    const content = await deps.rules.content(tx, accountId, run.ruleId, run.version);
    if (!content) return;
    const reason = await missedNow(deps, tx, accountId, run, content.conditions, 'conditions');
    if (reason === null) return;
    await endRun(deps, tx, accountId, run, { state: 'cancelled', reason });
  });
  await advance(deps, cause, runId, signal);
}

/** Until it ends or waits. */
export async function advance(
  deps: RunDeps,
  cause: CauseRow,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { accountId } = cause;
  for (;;) {
    signal.throwIfAborted();
    const next = await takeStep(deps, cause, runId);
    if (next === 'ended') return;
    if (next === 'taken') continue;
    const { run, content, scene, step, path } = next;
    const outcome = await call(deps, scene, run, step, signal);
    await deps.db.transaction(async (tx) => {
      await keepCause(tx, cause);
      const locked = await lockRun(tx, accountId, runId);
      // Cancelled meanwhile: the call has been made, the rest is not.
      if (locked?.state !== 'running' || locked.nextPath !== path) return;
      await setChain(tx, locked.chain);
      await markCall(deps, tx, accountId, locked, content, step, path, outcome);
    });
  }
}

interface PendingCall {
  run: RunRow;
  content: RuleContent;
  scene: Scene;
  step: RuleStep;
  path: string;
}

/** One transaction. A call is prepared in it, and made outside. */
async function takeStep(
  deps: RunDeps,
  cause: CauseRow,
  runId: string,
): Promise<'taken' | 'ended' | PendingCall> {
  const { accountId } = cause;
  return deps.db.transaction(async (tx) => {
    const [, run] = await Promise.all([keepCause(tx, cause), lockRun(tx, accountId, runId)]);
    if (run?.state !== 'running') return 'ended';
    const content = await deps.rules.content(tx, accountId, run.ruleId, run.version);
    if (!content) {
      await endRun(deps, tx, accountId, run, { state: 'cancelled', reason: 'The rule was deleted.' });
      return 'ended';
    }
    const path = run.nextPath;
    const step = path === null ? null : stepAt(content.steps, path);
    if (path === null || step === null) {
      await endRun(deps, tx, accountId, run, { state: 'done', reason: null });
      return 'ended';
    }
    await setChain(tx, run.chain);
    const going = { deps, tx, accountId, run, content, step, path };
    try {
      // What the step wrote is undone when it throws, so that its failure can be marked.
      return await tx.savepoint(() => performOne(going));
    } catch (error) {
      if (!mayFail(error, cause)) throw error;
      if (!(error instanceof AppError)) {
        deps.logger.error({ err: error, accountId, runId, path }, 'a step of a rule failed');
      }
      const reason =
        error instanceof AppError
          ? error.message
          : 'The service could not take this step because of an error.';
      await fail(going, reason);
      return 'ended';
    }
  });
}

/** Temporary errors and those of the service are tried again first. */
function mayFail(error: unknown, { attempts }: CauseRow): boolean {
  if (error instanceof AppError && error.status < 500) return true;
  return !isTemporary(error) && attempts >= lastAttempt;
}

interface Going {
  deps: RunDeps;
  tx: Tx;
  accountId: string;
  run: RunRow;
  content: RuleContent;
  step: RuleStep;
  path: string;
}

async function performOne(going: Going): Promise<'taken' | 'ended' | PendingCall> {
  const { deps, tx, accountId, run, content, step, path } = going;
  switch (step.type) {
    case 'stop':
      await mark(going, { state: 'done' });
      await endRun(
        deps,
        tx,
        accountId,
        { ...run, stepsDone: run.stepsDone + 1 },
        { state: 'done', reason: null },
      );
      return 'ended';
    case 'if': {
      const missed = await missedNow(deps, tx, accountId, run, step.condition, `${path}.condition`);
      await mark(going, {
        state: 'done',
        reason: missed,
        input: { branch: missed === null ? 'then' : 'else' },
      });
      return goOn(going, branchPath(content.steps, path, missed === null ? 'then' : 'else'));
    }
    case 'wait':
      return wait(going);
    default:
  }
  try {
    return await inScene<'taken' | 'ended' | PendingCall>(going, async (scene) =>
      step.type === 'call' ? { run, content, scene, step, path } : act(going, scene),
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    const reason = 'What the rule ran for no longer exists.';
    await endRun(deps, tx, accountId, run, { state: 'cancelled', reason });
    return 'ended';
  }
}

async function act(going: Going, scene: Scene): Promise<'taken' | 'ended'> {
  const outcome = await performStep(going.tx, scene, going.step);
  if (outcome.state === 'failed') {
    await fail(going, outcome.reason ?? 'The step failed.', inputOf(outcome));
    return 'ended';
  }
  await mark(going, {
    state: outcome.state === 'skipped' ? 'skipped' : 'done',
    reason: outcome.state === 'unchanged' ? 'It was like this already.' : outcome.reason,
    input: inputOf(outcome),
    effects: outcome.effects,
  });
  return goOn(going, nextPath(going.content.steps, going.path));
}

/** What the step did it with: at most 4 KB. */
function inputOf({ filled }: Pick<StepOutcome, 'filled'>): unknown {
  const { id: _id, type: _type, ...input } = filled.step;
  return shortened(input);
}

function shortened(value: unknown): unknown {
  const max = limits.automation.shownBytes;
  const text = JSON.stringify(value) ?? 'null';
  if (Buffer.byteLength(text) <= max) return value;
  return {
    truncated: Buffer.from(text)
      .subarray(0, max - 100)
      .toString('utf8')
      .replace(/\uFFFD$/, ''),
  };
}

async function goOn({ tx, deps, accountId, run }: Going, next: string | null): Promise<'taken' | 'ended'> {
  const stepsDone = run.stepsDone + 1;
  if (next === null) {
    await endRun(deps, tx, accountId, { ...run, stepsDone }, { state: 'done', reason: null });
    return 'ended';
  }
  await updateRun(tx, accountId, run.id, { state: 'running', nextPath: next, stepsDone });
  return 'taken';
}

async function mark(going: Going, change: Pick<StepMark, 'state'> & Partial<StepMark>): Promise<void> {
  const { deps, tx, accountId, run, step, path } = going;
  await markStep(tx, accountId, run.id, {
    ordinal: run.stepsDone,
    stepId: step.id,
    path,
    type: step.type,
    reason: null,
    at: deps.clock.now(),
    input: null,
    output: null,
    effects: [],
    dueAt: null,
    cancelOn: [],
    ...change,
  });
}

async function fail(
  going: Going,
  reason: string,
  input: unknown = null,
  output: unknown = null,
): Promise<void> {
  const { deps, tx, accountId, run } = going;
  await mark(going, { state: 'failed', reason, input, output });
  await endRun(deps, tx, accountId, run, { state: 'failed', reason });
}

async function wait(going: Going): Promise<'taken' | 'ended'> {
  const { deps, tx, accountId, run, content, step, path } = going;
  const now = deps.clock.now();
  const { sessionId } = run;
  const cancelOn = step.cancelOn ?? [];
  if (sessionId !== null && cancelOn.length > 0) await lockConversation(tx, accountId, sessionId);
  const config = await deps.accountConfig.fresh(accountId, tx);
  const dueAt = await waitEnd(tx, accountId, config, run, step, now);
  const next = nextPath(content.steps, path);
  if (dueAt === null || dueAt <= now) {
    const reason = dueAt === null ? 'There is no time to wait for.' : 'The time had passed already.';
    await mark(going, { state: dueAt === null ? 'skipped' : 'done', reason });
    return goOn(going, next);
  }
  await mark(going, { state: 'waiting', dueAt, cancelOn });
  await updateRun(tx, accountId, run.id, {
    state: 'waiting',
    nextPath: next,
    stepsDone: run.stepsDone + 1,
    dueAt,
    cancelOn,
  });
  return 'ended';
}

/** Why the conditions are not met now; null: they are. */
async function missedNow(
  deps: RunDeps,
  tx: Tx,
  accountId: string,
  { sessionId, recordId, messageId }: RunRow,
  value: unknown,
  path: string,
): Promise<string | null> {
  if (value === null || value === undefined) return null;
  const config = await deps.accountConfig.fresh(accountId, tx);
  const compiled = compile(config, value, path);
  const keys = [{ sessionId, recordId, messageId }];
  const [subject] = await loadSubjects(tx, accountId, config.definitions, keys, [compiled]);
  const result = await evaluate(compiled, subject!, deps.clock.now(), evaluationOf(config));
  return result.matched ? null : result.reason;
}

const actorOf = (accountId: string, { ruleId, ruleName }: RunRow): RuleActor => ({
  kind: 'rule',
  accountId,
  id: ruleId,
  name: ruleName,
});

async function inScene<T>(
  { deps, tx, accountId, run }: Going,
  use: (scene: Scene) => Promise<T>,
): Promise<T> {
  const { accountConfig, providers, clock } = deps;
  return withScene(
    tx,
    {
      accountConfig,
      providers,
      actor: actorOf(accountId, run),
      now: clock.now(),
      visible: null,
      values: { payload: run.payload ?? undefined, steps: await selectOutputs(tx, accountId, run.id) },
    },
    // The card of a conversation may have changed since the run began.
    run.subject.startsWith('r:')
      ? { sessionId: run.sessionId, recordId: run.recordId }
      : { sessionId: run.sessionId },
    use,
  );
}

async function call(
  deps: RunDeps,
  scene: Scene,
  run: RunRow,
  step: RuleStep,
  signal: AbortSignal,
): Promise<Exclude<CallOutcome, { state: 'later' }>> {
  const { accountId } = scene.actor;
  const sealed = step.url === undefined ? null : await findSecret(deps.db, accountId, run.ruleId);
  const secrets =
    sealed === null ? [] : [endpointKey(deps.secrets.open(sealed, sealedFor.automation(run.ruleId)))];
  const key = `${run.id}:${step.id}`;
  const outcome = await performCall(deps, scene, step, {
    key,
    secrets,
    runId: run.id,
    stepId: step.id,
    signal,
  });
  // The cause goes back, and the call is made a little later.
  if (outcome.state === 'later') throw new JobPostponed(outcome.waitMs, false);
  return outcome;
}

async function markCall(
  deps: RunDeps,
  tx: Tx,
  accountId: string,
  run: RunRow,
  content: RuleContent,
  step: RuleStep,
  path: string,
  outcome: Exclude<CallOutcome, { state: 'later' }>,
): Promise<void> {
  const going = { deps, tx, accountId, run, content, step, path };
  const output = keptAnswer(content.steps, step.id, outcome.answer);
  if (outcome.state === 'failed') {
    await fail(going, outcome.reason ?? 'The call failed.', inputOf(outcome), output);
    return;
  }
  await mark(going, {
    state: 'done',
    input: inputOf(outcome),
    output,
    effects: [{ kind: 'call', id: `${run.id}:${step.id}` }],
  });
  await goOn(going, nextPath(content.steps, path));
}

/** With what it means for the rule: too many failures in a row switch it off. */
async function endRun(
  { clock, logger }: Pick<RunDeps, 'clock' | 'logger'>,
  tx: Tx,
  accountId: string,
  run: RunRow,
  { state, reason }: { state: 'done' | 'failed' | 'cancelled'; reason: string | null },
): Promise<void> {
  const now = clock.now();
  // A failed run can go on from its failed step.
  const next = state === 'failed' ? run.nextPath : null;
  await updateRun(tx, accountId, run.id, {
    state,
    reason,
    nextPath: next,
    stepsDone: run.stepsDone,
    endedAt: now,
  });
  if (state === 'cancelled') {
    await cancelWaitingStep(tx, accountId, run.id, reason ?? '', now);
    return;
  }
  const isOff = await noteEnd(tx, accountId, run.ruleId, state === 'failed' ? reason : null, now);
  if (!isOff) return;
  logger.warn({ accountId, ruleId: run.ruleId, reason }, 'a rule was switched off: it failed too often');
  await audit(tx, systemActor(accountId), now, {
    action: 'automation.disabled',
    target: { type: 'automation', id: run.ruleId },
    changes: { enabled: { from: true, to: false }, disabledReason: { from: null, to: reason } },
  });
}
