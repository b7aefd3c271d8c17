import type {
  AgentCheck,
  AgentRunState,
  AgentTestRun,
  AgentTestSide,
} from '../../../contract/agent-tests.ts';
import type { AgentContent } from '../../../contract/agent-versions.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import type { StoredCitation } from '../knowledge/knowledge.ts';
import { readable, type TestInput } from './agent-tests.sql.ts';

export interface StoredSide extends AgentTestSide {
  citations: StoredCitation[];
}

export interface StoredRun {
  id: string;
  agentId: string;
  kind: AgentTestRun['kind'];
  /** Null: the draft. */
  version: number | null;
  content: AgentContent;
  baselineVersion: number | null;
  baseline: AgentContent | null;
  by: string;
  createdAt: number;
}

export interface StoredResult {
  id: string;
  caseId: string | null;
  caseRevision: number | null;
  name: string;
  input: TestInput | null;
  checks: AgentCheck[];
  sessionId: string | null;
  messageId: string | null;
  subject: StoredSide | null;
  baseline: StoredSide | null;
  changed: boolean | null;
}

/** False: one is running already. */
export async function insertRun(tx: Tx, accountId: string, run: StoredRun): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into agent_test_runs (account_id, id, agent_id, kind, state, version, content, baseline_version, baseline,
      created_by, created_at)
    values (${accountId}, ${run.id}, ${run.agentId}, ${run.kind}, 'waiting', ${run.version},
      ${JSON.stringify(run.content)}, ${run.baselineVersion}, ${run.baseline && JSON.stringify(run.baseline)},
      ${run.by}, ${run.createdAt})
    on conflict (account_id, agent_id) where ended_at is null do nothing
    returning id`);
  return rows.length > 0;
}

/** All of the newest runs stay. */
export async function deleteOldRuns(tx: Tx, accountId: string, agentId: string, kept: number): Promise<void> {
  await tx.query(sql`
    delete from agent_test_runs where account_id = ${accountId} and id in (
      select id from agent_test_runs where account_id = ${accountId} and agent_id = ${agentId}
      order by id desc offset ${kept})`);
}

/** The cases as they are now: a later change is none of the run. */
export async function insertCaseResults(
  tx: Tx,
  accountId: string,
  run: { id: string; agentId: string },
  caseIds: readonly string[] | null,
): Promise<number> {
  const rows = await tx.query(sql`
    insert into agent_test_results (account_id, run_id, id, case_id, case_revision, name, input, checks, session_id,
      message_id)
    select account_id, ${run.id}, id, id, revision, name, input, checks, session_id, message_id from agent_test_cases
    where account_id = ${accountId} and agent_id = ${run.agentId}
      ${caseIds === null ? empty : sql`and id = any(${caseIds}::uuid[])`}
    returning id`);
  return rows.length;
}

const runColumns = sql`r.id, r.agent_id as "agentId", r.kind, r.version, r.content, r.baseline_version as "baselineVersion",
  r.baseline, r.created_by as by, r.created_at as "createdAt"`;

/** Null: it has ended, or is gone. */
export async function beginRun(tx: Tx, accountId: string, id: string): Promise<StoredRun | null> {
  const [row] = await tx.query<StoredRun>(sql`
    update agent_test_runs r set state = 'running'
    where account_id = ${accountId} and id = ${id} and ended_at is null returning ${runColumns}`);
  return row ?? null;
}

export async function endRun(
  tx: Tx,
  accountId: string,
  id: string,
  { state, failure, now }: { state: AgentRunState; failure: string | null; now: number },
): Promise<void> {
  await tx.query(sql`
    update agent_test_runs set state = ${state}, failure = ${failure}, ended_at = ${now}
    where account_id = ${accountId} and id = ${id} and ended_at is null`);
}

const resultColumns = sql`c.id, c.case_id as "caseId", c.case_revision as "caseRevision", c.name, c.input, c.checks,
  c.session_id as "sessionId", c.message_id as "messageId", c.subject, c.baseline, c.changed`;

export async function selectWaiting(db: Reader, accountId: string, runId: string): Promise<StoredResult[]> {
  return db.query<StoredResult>(sql`
    select ${resultColumns} from agent_test_results c
    where c.account_id = ${accountId} and c.run_id = ${runId} and c.subject is null order by c.id`);
}

export async function selectResults(
  db: Reader,
  accountId: string,
  runId: string,
  visible: string[] | null,
): Promise<StoredResult[]> {
  return db.query<StoredResult>(sql`
    select ${resultColumns} from agent_test_results c
    where c.account_id = ${accountId} and c.run_id = ${runId} ${readable(visible, sql`c.session_id`)}
    order by c.id`);
}

/** False: the run has ended meanwhile, or the result is gone. */
export async function saveResult(
  tx: Tx,
  accountId: string,
  runId: string,
  { id, subject, baseline, changed }: StoredResult,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update agent_test_results set subject = ${JSON.stringify(subject)},
      baseline = ${baseline && JSON.stringify(baseline)}, changed = ${changed}
    where account_id = ${accountId} and run_id = ${runId} and id = ${id} and exists (
      select from agent_test_runs where account_id = ${accountId} and id = ${runId} and ended_at is null)
    returning id`);
  return rows.length > 0;
}

interface RunFilter {
  agentId: string;
  id?: string;
  before?: number | string | null;
  limit: number;
}

/** The newest first. */
export async function selectRuns(
  db: Reader,
  accountId: string,
  { agentId, id, before = null, limit }: RunFilter,
): Promise<AgentTestRun[]> {
  return db.query<AgentTestRun>(sql`
    select r.id, r.kind, r.state, r.failure, r.version, r.baseline_version as baseline, r.created_by as by,
      r.created_at as "createdAt", r.ended_at as "endedAt", counted.counts, counted.cost
    from agent_test_runs r cross join lateral (
      select json_build_object('total', count(*), 'done', count(subject), 'passed', count(*) filter (where passed),
          'failed', count(*) filter (where not passed), 'changed', count(*) filter (where changed)) as counts,
        sum(cost) as cost
      from (select subject, changed, (subject ->> 'passed')::boolean as passed,
          case when subject ->> 'cost' is not null or paid ->> 'cost' is not null then
            coalesce((subject ->> 'cost')::float8, 0) + coalesce((paid ->> 'cost')::float8, 0) end as cost
        from agent_test_results
        -- What was sent was paid before.
        cross join lateral (select case r.kind when 'run' then baseline end as paid) p
        where account_id = r.account_id and run_id = r.id) results) counted
    where r.account_id = ${accountId} and r.agent_id = ${agentId}
      ${id === undefined ? empty : sql`and r.id = ${id}::uuid`}
      ${before === null ? empty : sql`and r.id < ${String(before)}::uuid`}
    order by r.id desc limit ${limit}`);
}

export interface RunForGate {
  /** Its baseline has the published settings. */
  isBesidePublished: boolean;
  results: { caseId: string; revision: number; passed: boolean; passedBefore: boolean | null }[];
}

/** Those that ended with these settings, the newest first. */
export async function selectRunsOfContent(
  db: Reader,
  accountId: string,
  agentId: string,
  { content, published }: { content: AgentContent; published: AgentContent },
): Promise<RunForGate[]> {
  return db.query<RunForGate>(sql`
    select coalesce(r.baseline = ${JSON.stringify(published)}::jsonb, false) as "isBesidePublished",
      (select coalesce(json_agg(json_build_object('caseId', t.case_id, 'revision', t.case_revision,
          'passed', (t.subject ->> 'passed')::boolean, 'passedBefore', (t.baseline ->> 'passed')::boolean)), '[]')
        from agent_test_results t where t.account_id = r.account_id and t.run_id = r.id and t.subject is not null) as results
    from agent_test_runs r
    where r.account_id = ${accountId} and r.agent_id = ${agentId} and r.kind = 'run' and r.state = 'done'
      and r.content = ${JSON.stringify(content)}::jsonb
    order by r.id desc`);
}

export interface ReplayedReplies {
  since: number;
  limit: number;
  channelIds: readonly string[] | null;
  visible: string[] | null;
}

/** The newest replies that the agent has sent, with what was sent as the baseline. */
export async function insertReplayResults(
  tx: Tx,
  accountId: string,
  run: { id: string; agentId: string },
  { since, limit, channelIds, visible }: ReplayedReplies,
): Promise<void> {
  await tx.query(sql`
    insert into agent_test_results (account_id, run_id, id, name, checks, session_id, message_id, baseline)
    select l.account_id, ${run.id}::uuid, l.id, left(q.content, 100), '[]', l.session_id, l.message_id,
      jsonb_build_object('text', a.content, 'failure', null, 'handover', l.handover_reason is not null,
        'heldBy', '[]'::jsonb, 'verdicts', '[]'::jsonb, 'passed', true, 'citations', coalesce(l.citations, '[]'),
        'toolCalls', coalesce(l.tool_calls, '[]'), 'cost', l.cost, 'latencyMs', l.latency_ms)
    from reply_log l
    join sessions s on s.account_id = l.account_id and s.session_id = l.session_id
    join messages q on q.account_id = l.account_id and q.session_id = l.session_id and q.id = l.message_id
    join messages a on a.account_id = l.account_id and a.session_id = l.session_id and a.id = l.reply_id
    where l.account_id = ${accountId} and l.agent_id = ${run.agentId} and l.outcome = 'sent'
      and l.created_at >= ${since} and a.content <> '' and q.content <> ''
      ${channelIds === null ? empty : sql`and s.channel_id = any(${channelIds}::uuid[])`}
      ${visible === null ? empty : sql`and s.kanban_id = any(${visible}::uuid[])`}
    order by l.id desc limit ${limit}`);
}
