/** What rules would have done in an invented past: verdicts and runs are written, and no step is taken. */
import type { Automation } from '../../../contract/automation/automations.ts';
import type { StepEffect } from '../../../contract/automation/runs.ts';
import type { Tx } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { evaluate, loadSubjects } from '../conditions/conditions.ts';
import { insertVerdicts, type PastVerdict } from './automations.past.sql.ts';
import { compile, evaluationOf } from './automations.rules.ts';
import { insertRun, markStep, updateRun } from './automations.runs.sql.ts';

export interface PastCause {
  type: 'message' | 'session_change';
  /** Of the message or the change. */
  id: string;
  at: number;
  sessionId: string;
  recordId: string | null;
  /** What the only step of the rule did it with, and what it did, if the conditions are met. */
  input: unknown;
  effects: readonly StepEffect[];
}

/** The values that conditions compare are those of now. */
export async function insertPastCauses(
  tx: Tx,
  accountId: string,
  config: AccountConfig,
  past: readonly { rule: Automation; causes: readonly PastCause[] }[],
): Promise<void> {
  const verdicts: PastVerdict[] = [];
  for (const { rule, causes } of past) verdicts.push(...(await judge(tx, accountId, config, rule, causes)));
  await insertVerdicts(tx, accountId, verdicts);
}

async function judge(
  tx: Tx,
  accountId: string,
  config: AccountConfig,
  { id: ruleId, name, version, conditions, steps }: Automation,
  causes: readonly PastCause[],
): Promise<PastVerdict[]> {
  const compiled = compile(config, conditions, 'conditions');
  const keys = causes.map(({ type, id, sessionId }) => ({
    sessionId,
    messageId: type === 'message' ? id : null,
  }));
  const subjects = await loadSubjects(tx, accountId, config.definitions, keys, [compiled]);
  const verdicts: PastVerdict[] = [];
  for (const [index, cause] of causes.entries()) {
    const { at, type, sessionId } = cause;
    const result = compiled && (await evaluate(compiled, subjects[index]!, at, evaluationOf(config)));
    const miss = result && !result.matched ? result : null;
    const reason = miss?.reason ?? null;
    const runId = reason === null ? newId(at) : null;
    const row = newId(at);
    const verdict = {
      ruleId,
      version,
      matched: reason === null,
      reason,
      ...(miss && { missed: miss.missed }),
      runId,
      at,
    };
    verdicts.push({ row, type, sourceId: cause.id, sessionId, at, verdict });
    if (runId === null) continue;
    await insertRun(
      tx,
      accountId,
      {
        id: runId,
        ruleId,
        ruleName: name,
        version,
        causeType: type,
        causeId: cause.id,
        subject: `s:${sessionId}`,
        sessionId,
        recordId: cause.recordId,
        messageId: type === 'message' ? cause.id : null,
        nextPath: null,
        chain: [{ ruleId, name, event: null }],
        payload: null,
        leftOver: null,
        createdAt: at,
      },
      row,
    );
    const [step] = steps;
    await markStep(tx, accountId, runId, {
      ordinal: 0,
      stepId: step!.id,
      path: 'steps[0]',
      type: step!.type,
      state: 'done',
      reason: null,
      at,
      input: cause.input,
      output: null,
      effects: cause.effects,
      dueAt: null,
      cancelOn: [],
    });
    await updateRun(tx, accountId, runId, { state: 'done', nextPath: null, stepsDone: 1, endedAt: at });
  }
  return verdicts;
}
