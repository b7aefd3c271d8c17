/** Runs of rules and their steps. */
import type {
  AutomationRun,
  CauseType,
  RunState,
  RunStep,
  RunSummary,
  StepState,
} from '../../../contract/automation/runs.ts';
import type { WaitCancel } from '../../../contract/automation/steps.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import type { ChainLink } from './automations.causes.sql.ts';

export interface RunRow {
  id: string;
  ruleId: string;
  ruleName: string;
  version: number;
  causeType: CauseType;
  causeId: string;
  subject: string;
  sessionId: string | null;
  recordId: string | null;
  messageId: string | null;
  state: RunState;
  reason: string | null;
  nextPath: string | null;
  stepsDone: number;
  dueAt: number | null;
  chain: ChainLink[];
  payload: unknown;
  leftOver: number | null;
  createdAt: number;
  endedAt: number | null;
}

const columns = sql`r.id, r.rule_id as "ruleId", r.rule_name as "ruleName", r.version, r.cause_type as "causeType",
  r.cause_id as "causeId", r.subject, r.session_id as "sessionId", r.record_id as "recordId",
  r.message_id as "messageId", r.state, r.reason, r.next_path as "nextPath", r.steps_done as "stepsDone",
  r.due_at as "dueAt", r.chain, r.payload, r.left_over as "leftOver", r.created_at as "createdAt",
  r.ended_at as "endedAt"`;

/** False: the rule has a run for this cause already. */
export async function insertRun(
  tx: Tx,
  accountId: string,
  run: Omit<RunRow, 'reason' | 'stepsDone' | 'dueAt' | 'endedAt' | 'state'>,
  causeRow: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into automation_runs (account_id, id, rule_id, rule_name, version, cause_row, cause_type, cause_id, subject,
      session_id, record_id, message_id, state, next_path, chain, payload, left_over, created_at)
    values (${accountId}, ${run.id}, ${run.ruleId}, ${run.ruleName}, ${run.version}, ${causeRow}, ${run.causeType},
      ${run.causeId}, ${run.subject}, ${run.sessionId}, ${run.recordId}, ${run.messageId}, 'running', ${run.nextPath},
      ${JSON.stringify(run.chain)}::jsonb,
      ${run.payload === undefined || run.payload === null ? null : JSON.stringify(run.payload)}::jsonb,
      ${run.leftOver}, ${run.createdAt})
    on conflict (account_id, rule_id, cause_row) do nothing
    returning 1`);
  return rows.length > 0;
}

/** Of one rule for one subject: when it last ran, and how often since. */
export async function selectEarlier(
  db: Reader,
  accountId: string,
  ruleId: string,
  subject: string,
  since: number,
): Promise<{ count: number; lastAt: number | null }> {
  const [row] = await db.query<{ count: number; lastAt: number | null }>(sql`
    select (select count(*)::int from automation_runs
        where account_id = ${accountId} and rule_id = ${ruleId} and subject = ${subject} and created_at > ${since}) as count,
      (select max(created_at) from automation_runs
        where account_id = ${accountId} and rule_id = ${ruleId} and subject = ${subject}) as "lastAt"`);
  return row!;
}

export async function lockRun(tx: Tx, accountId: string, id: string): Promise<RunRow | null> {
  const [row] = await tx.query<RunRow>(
    sql`select ${columns} from automation_runs r where r.account_id = ${accountId} and r.id = ${id} for update`,
  );
  return row ?? null;
}

/** What this transaction changes was caused by these rules; migrations/0123_automations.sql writes it with the causes. */
export async function setChain(tx: Tx, chain: readonly ChainLink[]): Promise<void> {
  await tx.query(sql`select set_config('talkboard.chain', ${JSON.stringify(chain)}, true)`);
}

/** A wait and a message of its conversation are one after the other, so that none is missed. */
export async function lockConversation(tx: Tx, accountId: string, sessionId: string): Promise<void> {
  await tx.query(
    sql`select from sessions where account_id = ${accountId} and session_id = ${sessionId} for update`,
  );
}

export interface StepMark {
  ordinal: number;
  stepId: string;
  path: string;
  type: string;
  state: StepState;
  reason: string | null;
  at: number;
  input: unknown;
  output: unknown;
  effects: readonly object[];
  dueAt: number | null;
  cancelOn: readonly WaitCancel[];
}

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

/** A step that is tried again replaces its failure. */
export async function markStep(tx: Tx, accountId: string, runId: string, mark: StepMark): Promise<void> {
  await tx.query(sql`
    insert into automation_run_steps (account_id, run_id, ordinal, step_id, path, type, state, reason, at, input, output,
      effects, due_at, cancel_on)
    values (${accountId}, ${runId}, ${mark.ordinal}, ${mark.stepId}, ${mark.path}, ${mark.type}, ${mark.state},
      ${mark.reason}, ${mark.at}, ${json(mark.input)}::jsonb, ${json(mark.output)}::jsonb,
      ${JSON.stringify(mark.effects)}::jsonb, ${mark.dueAt}, ${[...mark.cancelOn]}::text[])
    on conflict (account_id, run_id, ordinal) do update set state = excluded.state, reason = excluded.reason,
      at = excluded.at, input = excluded.input, output = excluded.output, effects = excluded.effects,
      due_at = excluded.due_at, cancel_on = excluded.cancel_on`);
}

/** The wait that the run is in has ended. False: it is in none. */
export async function endWait(tx: Tx, accountId: string, runId: string, at: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update automation_run_steps set state = 'done', at = ${at}
    where account_id = ${accountId} and run_id = ${runId} and state = 'waiting' returning 1`);
  return rows.length > 0;
}

export async function cancelWaitingStep(
  tx: Tx,
  accountId: string,
  runId: string,
  reason: string,
  at: number,
): Promise<void> {
  await tx.query(sql`
    update automation_run_steps set state = 'cancelled', reason = ${reason}, at = ${at}
    where account_id = ${accountId} and run_id = ${runId} and state = 'waiting'`);
}

export interface RunChange {
  state: RunState;
  reason?: string | null;
  nextPath: string | null;
  stepsDone: number;
  dueAt?: number | null;
  cancelOn?: readonly WaitCancel[];
  endedAt?: number | null;
}

export async function updateRun(tx: Tx, accountId: string, id: string, change: RunChange): Promise<void> {
  const { state, reason = null, nextPath, stepsDone, dueAt = null, cancelOn = [], endedAt = null } = change;
  await tx.query(sql`
    update automation_runs set state = ${state}, reason = ${reason}, next_path = ${nextPath}, steps_done = ${stepsDone},
      due_at = ${dueAt}, cancel_on = ${[...cancelOn]}::text[], ended_at = ${endedAt}
    where account_id = ${accountId} and id = ${id}`);
}

/** The outputs of the steps so far, by their ids. */
export async function selectOutputs(
  db: Reader,
  accountId: string,
  runId: string,
): Promise<{ [stepId: string]: unknown }> {
  const rows = await db.query<{ stepId: string; output: unknown }>(sql`
    select step_id as "stepId", output from automation_run_steps
    where account_id = ${accountId} and run_id = ${runId} and output is not null`);
  return Object.fromEntries(rows.map(({ stepId, output }) => [stepId, output]));
}

/** The wait that is over continues as a cause, in the order of its subject. */
export async function moveDueRuns(db: Db, now: number, limit: number): Promise<number> {
  const rows = await db.autocommit(
    sql`
    with due as (
      select account_id, id from automation_runs where state = 'waiting' and due_at <= ${now}
      order by due_at limit ${limit} for update skip locked
    ), moved as (
      update automation_runs r set state = 'running', due_at = null, cancel_on = '{}'
      from due where r.account_id = due.account_id and r.id = due.id
      returning r.account_id, r.id, r.subject, r.session_id, r.record_id)
    insert into automation_causes (account_id, type, source_id, subject, session_id, record_id, triggers, run_id)
    select account_id, 'run', id, subject, session_id, record_id, '{}', id from moved
    returning 1`,
    { isSilent: true },
  );
  return rows.length;
}

export async function cancelRunsOfRule(
  tx: Tx,
  accountId: string,
  ruleId: string,
  now: number,
): Promise<void> {
  const reason = 'The rule was deleted.';
  await tx.query(sql`
    with cancelled as (
      update automation_runs set state = 'cancelled', reason = ${reason}, due_at = null, ended_at = ${now}
      where account_id = ${accountId} and rule_id = ${ruleId} and state in ('running', 'waiting')
      returning id)
    update automation_run_steps s set state = 'cancelled', reason = ${reason}, at = ${now}
    from cancelled c where s.account_id = ${accountId} and s.run_id = c.id and s.state = 'waiting'`);
}

type ShownRun = RunRow & { steps?: RunStep[] };

const toSummary = (row: RunRow): RunSummary => ({
  id: row.id,
  ruleId: row.ruleId,
  ruleName: row.ruleName,
  version: row.version,
  cause: { type: row.causeType, id: row.causeId },
  sessionId: row.sessionId,
  recordId: row.recordId,
  state: row.state,
  reason: row.reason,
  waitsUntil: row.dueAt,
  left: row.leftOver,
  createdAt: row.createdAt,
  endedAt: row.endedAt,
});

const isVisible = (visible: readonly string[] | null) =>
  visible === null
    ? empty
    : sql`
  and (r.session_id is null or exists (select from sessions s
    where s.account_id = r.account_id and s.session_id = r.session_id and s.kanban_id = any(${visible}::uuid[])))
  and (r.record_id is null or exists (select from records c
    where c.account_id = r.account_id and c.id = r.record_id and c.kanban_id = any(${visible}::uuid[])))`;

/** Newest first. `visible`: boards; null: all. */
export async function selectRuns(
  db: Reader,
  accountId: string,
  { ruleId, state }: { ruleId: string; state?: RunState },
  visible: readonly string[] | null,
  before: { createdAt: number; id: string } | null,
  limit: number,
): Promise<RunSummary[]> {
  const rows = await db.query<RunRow>(sql`
    select ${columns} from automation_runs r
    where r.account_id = ${accountId} and r.rule_id = ${ruleId}
      ${state === undefined ? empty : sql`and r.state = ${state}`}
      ${before === null ? empty : sql`and (r.created_at, r.id) < (${before.createdAt}, ${before.id}::uuid)`}
      ${isVisible(visible)}
    order by r.created_at desc, r.id desc limit ${limit}`);
  return rows.map(toSummary);
}

export async function findShownRun(
  db: Reader,
  accountId: string,
  id: string,
  visible: readonly string[] | null,
): Promise<AutomationRun | null> {
  const [row] = await db.query<ShownRun>(sql`
    select ${columns}, (
      select coalesce(json_agg(json_build_object('id', s.step_id, 'path', s.path, 'type', s.type, 'state', s.state,
        'at', s.at, 'reason', s.reason, 'input', s.input, 'output', s.output, 'effects', s.effects,
        'waitsUntil', s.due_at, 'cancelOn', s.cancel_on) order by s.ordinal), '[]')
      from automation_run_steps s where s.account_id = r.account_id and s.run_id = r.id) as steps
    from automation_runs r where r.account_id = ${accountId} and r.id = ${id} ${isVisible(visible)}`);
  return row ? { ...toSummary(row), steps: row.steps! } : null;
}

export async function deleteOldRuns(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from automation_runs where ctid = any(array(
      select ctid from automation_runs where ended_at < ${before} limit ${limit}))
    returning 1`,
    { timeoutMs: 60_000 },
  );
  return rows.length;
}
