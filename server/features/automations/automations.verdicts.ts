/** Verdicts and runs as people read them: only what the caller may see. */
import type { AutomationRun, RunSummary, RunsQuery, Verdict } from '../../../contract/automation/runs.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import { insertCause } from './automations.causes.sql.ts';
import {
  cancelWaitingStep,
  findShownRun,
  lockRun,
  type RunRow,
  selectRuns,
  updateRun,
} from './automations.runs.sql.ts';
import { selectRuleNames } from './automations.sql.ts';
import { selectCauses, type VerdictsOf } from './automations.verdicts.sql.ts';
import { wakeAutomations } from './automations.wake.ts';

interface Reading {
  db: Reader;
  accountId: string;
  tokens: PageTokens;
  /** The boards that the caller may see; null: all. */
  visible: readonly string[] | null;
}

/** Newest first; those of one cause in the order of the rules. */
export async function listVerdicts(
  { db, accountId, tokens, visible }: Reading,
  of: VerdictsOf,
  query: { limit?: number; nextToken?: string },
): Promise<Page<Verdict>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['verdicts', accountId, of.sessionId, of.recordId, of.ruleId, of.matched];
  const [seq, skipped] = query.nextToken === undefined ? [] : tokens.read(query.nextToken, scope);
  // The cause of the last verdict may have more of them.
  const before = seq === undefined ? null : Number(seq) + 1;
  const { causes, lookedTo } = await selectCauses(db, accountId, of, visible, before, size + 1);
  const names = await selectRuleNames(
    db,
    accountId,
    causes.flatMap(({ verdicts }) => verdicts.map(({ ruleId }) => ruleId)),
  );
  const items: (Verdict & { seq: number; index: number })[] = [];
  for (const cause of causes) {
    const wanted = cause.verdicts.filter(
      ({ ruleId, matched }) =>
        (of.ruleId === undefined || ruleId === of.ruleId) &&
        (of.matched === undefined || matched === of.matched),
    );
    for (const [index, verdict] of wanted.entries()) {
      if (cause.seq === seq && index <= Number(skipped)) continue;
      const { sessionId, recordId, type, sourceId } = cause;
      const ruleName = names.get(verdict.ruleId) ?? null;
      const { missed = null } = verdict;
      items.push({
        ...verdict,
        ruleName,
        missed,
        cause: { type, id: sourceId },
        sessionId,
        recordId,
        seq: cause.seq,
        index,
      });
    }
  }
  const page = cutPage(items, size, (last) => tokens.issue([last.seq, last.index], scope));
  // Nothing more among those that were looked at: the next page begins after the last of them.
  const nextToken =
    page.nextToken ?? (lookedTo === null ? null : tokens.issue([lookedTo, Number.MAX_SAFE_INTEGER], scope));
  return { nextToken, items: page.items.map(({ seq: _seq, index: _index, ...verdict }) => verdict) };
}

export async function listRuns(
  { db, accountId, tokens, visible }: Reading,
  ruleId: string,
  { state, limit, nextToken }: RunsQuery,
): Promise<Page<RunSummary>> {
  const size = pageSize(limit, limits.listPage);
  const scope = ['automation-runs', accountId, ruleId, state];
  const cursor = nextToken === undefined ? null : tokens.read(nextToken, scope);
  const before = cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) };
  const rows = await selectRuns(db, accountId, { ruleId, state }, visible, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.createdAt, last.id], scope));
}

export async function requireRun(
  db: Reader,
  accountId: string,
  visible: readonly string[] | null,
  id: string,
): Promise<AutomationRun> {
  const run = isId(id) ? await findShownRun(db, accountId, id, visible) : null;
  if (!run) throw notFound('run');
  return run;
}

/** Nothing of the run happens after it. */
export async function cancelRun(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: readonly string[] | null,
  id: string,
): Promise<AutomationRun> {
  const run = await lockVisible(tx, actor, visible, id);
  if (run.state !== 'running' && run.state !== 'waiting') throw conflict(`the run is ${run.state}`);
  const reason = `${actor.name} cancelled it.`;
  const { nextPath, stepsDone } = run;
  await updateRun(tx, actor.accountId, id, { state: 'cancelled', reason, nextPath, stepsDone, endedAt: now });
  await cancelWaitingStep(tx, actor.accountId, id, reason, now);
  await audit(tx, actor, now, { action: 'automation_run.cancelled', target: { type: 'automation_run', id } });
  return requireRun(tx, actor.accountId, visible, id);
}

/** From the step that failed. */
export async function retryRun(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: readonly string[] | null,
  id: string,
): Promise<AutomationRun> {
  const { accountId } = actor;
  const run = await lockVisible(tx, actor, visible, id);
  if (run.state !== 'failed') throw conflict(`the run is ${run.state}: only a failed run can be tried again`);
  const { nextPath, stepsDone, subject, sessionId, recordId } = run;
  await updateRun(tx, accountId, id, { state: 'running', nextPath, stepsDone });
  await insertCause(tx, {
    accountId,
    type: 'run',
    subject,
    sessionId,
    recordId,
    triggers: [],
    runId: id,
    sourceId: id,
  });
  await audit(tx, actor, now, { action: 'automation_run.retried', target: { type: 'automation_run', id } });
  wakeAutomations(tx);
  return requireRun(tx, accountId, visible, id);
}

async function lockVisible(
  tx: Tx,
  actor: Actor,
  visible: readonly string[] | null,
  id: string,
): Promise<RunRow> {
  await requireRun(tx, actor.accountId, visible, id);
  return (await lockRun(tx, actor.accountId, id))!;
}
