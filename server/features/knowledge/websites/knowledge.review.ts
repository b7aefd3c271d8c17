/** A person publishes what a run has read. */
import type { KnowledgeRun } from '../../../../contract/knowledge.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { conflict, notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { type Actor, audit } from '../../accounts/accounts.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { findWebsite, type Website } from '../sources/knowledge.sources.sql.ts';
import { type PreparedRun, PreparedTooEarly, prepareRun } from './knowledge.prepare.ts';
import { publishRun } from './knowledge.publish.ts';
import { findRunAtWork, lockRun, type RunAtWork } from './knowledge.runs.sql.ts';
import { requireRun } from './knowledge.runs.ts';

/** Null: there is no such run in review. */
export async function prepareReviewed(
  db: Db,
  { accountId, id: by }: Actor,
  now: number,
  id: string,
): Promise<PreparedRun | null> {
  const run = isId(id) ? await findRunAtWork(db, accountId, id) : null;
  const website = await websiteOf(db, accountId, run);
  if (run?.state !== 'review' || !website) return null;
  return prepareRun(db, { accountId, runId: id, state: 'review', website, by, now });
}

export async function publishReviewed(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  prepared: PreparedRun | null,
): Promise<KnowledgeRun> {
  const { accountId } = actor;
  const state = await lockKnowledge(tx, accountId);
  const run = isId(id) ? await lockRun(tx, accountId, id) : null;
  const website = await websiteOf(tx, accountId, run);
  if (!website) throw notFound('knowledge run');
  if (run?.state !== 'review') throw conflict(`the run is ${run?.state}, not in review`);
  if (!prepared) throw new PreparedTooEarly();
  await publishRun(tx, accountId, state, { id, startedBy: actor.id }, website, prepared, now);
  await audit(tx, actor, now, {
    action: 'knowledge_run.published',
    target: { type: 'knowledge_source', id: website.id },
    changes: { runId: { from: null, to: id } },
  });
  return requireRun(tx, accountId, id);
}

const websiteOf = async (db: Reader, accountId: string, run: RunAtWork | null): Promise<Website | null> =>
  run && findWebsite(db, accountId, run.sourceId);
