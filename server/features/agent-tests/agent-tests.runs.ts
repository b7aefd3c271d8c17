/** Runs of test cases: starting, reading and cancelling them. A job does the work: see agent-tests.jobs.ts. */
import type { Static } from 'typebox';
import type {
  AgentReplayCreate,
  AgentTestResult,
  AgentTestRun,
  AgentTestRunCreate,
  AgentTestRunDetails,
  AgentTestSide,
} from '../../../contract/agent-tests.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, notFound, runRunning } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { endlessAttempts, enqueue } from '../../platform/jobs/jobs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Actor } from '../accounts/accounts.ts';
import { agentOfVersion, contentOf, loadDirectory, requireAgent } from '../channels/channels.ts';
import { citationsShown, withCurrentAudience } from '../knowledge/knowledge.ts';
import {
  deleteOldRuns,
  endRun,
  insertCaseResults,
  insertReplayResults,
  insertRun,
  type StoredResult,
  type StoredRun,
  type StoredSide,
  selectResults,
  selectRuns,
} from './agent-tests.runs.sql.ts';
import { selectCases } from './agent-tests.sql.ts';
import { type CasePlace, testRunJobKind } from './agent-tests.ts';

const { agentTests } = limits;

export async function startRun(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  { agentId, visible }: CasePlace,
  { version, baseline, caseIds }: AgentTestRunCreate,
): Promise<AgentTestRun> {
  const { accountId } = actor;
  const agent = requireAgent(await loadDirectory(tx, accountId), agentId);
  const settingsOf = async (of: number | 'draft') =>
    contentOf((await agentOfVersion(tx, secrets, accountId, agent, of)).agent);
  const content = await settingsOf(version);
  const baselineVersion = baseline === 'published' ? agent.version : (baseline ?? null);
  if (caseIds) {
    const ids = caseIds.filter(isId);
    const known = await selectCases(tx, accountId, agentId, visible, { ids, limit: agentTests.cases });
    if (known.length < caseIds.length) throw notFound('test case');
  }
  const run: StoredRun = {
    ...{ id: newId(now), agentId, kind: 'run', content, baselineVersion },
    version: version === 'draft' ? null : version,
    baseline:
      baseline === undefined
        ? null
        : baseline === 'published'
          ? contentOf(agent)
          : await settingsOf(baseline),
    by: actor.name,
    createdAt: now,
  };
  await addRun(tx, accountId, run);
  const count = await insertCaseResults(tx, accountId, run, caseIds ?? null);
  if (count === 0) throw badRequest('the agent has no test cases');
  return requireRun(tx, accountId, agentId, run.id);
}

/** What the draft would have answered to real conversations, beside what was sent. */
export async function startReplay(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  { agentId, visible }: CasePlace,
  { days, limit, channelIds = [] }: AgentReplayCreate,
): Promise<AgentTestRun> {
  const { accountId } = actor;
  const directory = await loadDirectory(tx, accountId);
  const agent = requireAgent(directory, agentId);
  if (!channelIds.every((id) => directory.channels.has(id))) throw notFound('channel');
  const draft = await agentOfVersion(tx, secrets, accountId, agent, 'draft');
  const run: StoredRun = {
    ...{ id: newId(now), agentId, kind: 'replay', version: null, content: contentOf(draft.agent) },
    ...{ baselineVersion: null, baseline: null, by: actor.name, createdAt: now },
  };
  await addRun(tx, accountId, run);
  const since = now - days * 86_400_000;
  const asked = { since, limit, visible, channelIds: channelIds.length > 0 ? channelIds : null };
  await insertReplayResults(tx, accountId, run, asked);
  return requireRun(tx, accountId, agentId, run.id);
}

async function addRun(tx: Tx, accountId: string, run: StoredRun): Promise<void> {
  await deleteOldRuns(tx, accountId, run.agentId, agentTests.runsKept - 1);
  if (!(await insertRun(tx, accountId, run))) throw runRunning();
  await enqueue(tx, {
    accountId,
    kind: testRunJobKind,
    payload: { runId: run.id },
    dedupeKey: run.id,
    maxAttempts: endlessAttempts,
  });
}

export async function listRuns(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  agentId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<AgentTestRun>> {
  requireAgent(await loadDirectory(db, accountId), agentId);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['agent-test-runs', accountId, agentId];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectRuns(db, accountId, { agentId, before, limit: size + 1 });
  return cutPage(rows, size, (last) => tokens.issue([last.id], scope));
}

export async function readRun(
  db: Reader,
  accountId: string,
  { agentId, visible }: CasePlace,
  id: string,
  seesInternal: boolean,
): Promise<Static<typeof AgentTestRunDetails>> {
  const run = await requireRun(db, accountId, agentId, id);
  const stored = await selectResults(db, accountId, id, visible);
  const sides = stored.flatMap(({ subject, baseline }) =>
    [subject, baseline].filter((side) => side !== null),
  );
  const current = seesInternal ? sides : await withCurrentAudience(db, sides, () => accountId);
  const shown = new Map<StoredSide | null, AgentTestSide | null>(
    sides.map((side, index) => [
      side,
      { ...side, citations: citationsShown(current[index]!.citations, seesInternal) },
    ]),
  );
  const show = (side: StoredSide | null) => shown.get(side) ?? null;
  return { ...run, results: stored.map((one) => toResult(one, show)) };
}

/** What is being asked is not stored any more. A run that has ended stays as it is. */
export async function cancelRun(
  tx: Tx,
  { accountId }: Actor,
  now: number,
  agentId: string,
  id: string,
): Promise<AgentTestRun> {
  await requireRun(tx, accountId, agentId, id);
  await endRun(tx, accountId, id, { state: 'cancelled', failure: null, now });
  return requireRun(tx, accountId, agentId, id);
}

async function requireRun(db: Reader, accountId: string, agentId: string, id: string): Promise<AgentTestRun> {
  const isKnown = isId(agentId) && isId(id);
  const [run] = isKnown ? await selectRuns(db, accountId, { agentId, id, limit: 1 }) : [];
  if (!run) throw notFound('run');
  return run;
}

function toResult(
  { id, caseId, name, sessionId, messageId, subject, baseline, changed }: StoredResult,
  show: (side: StoredSide | null) => AgentTestSide | null,
): AgentTestResult {
  const source = sessionId === null || messageId === null ? null : { sessionId, messageId };
  return { id, caseId, name, source, subject: show(subject), baseline: show(baseline), changed };
}
