/** A person publishes what a run has read. */
import type { KnowledgeRun } from '../../../../contract/knowledge.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { conflict, notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { type Actor, audit } from '../../accounts/accounts.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { findWebsite } from '../sources/knowledge.sources.sql.ts';
import { publishRun } from './knowledge.publish.ts';
import { lockRun } from './knowledge.runs.sql.ts';
import { requireRun } from './knowledge.runs.ts';

/** Its texts have been cut. */
export async function publishReviewed(tx: Tx, actor: Actor, now: number, id: string): Promise<KnowledgeRun> {
  const { accountId } = actor;
  const state = await lockKnowledge(tx, accountId);
  const run = isId(id) ? await lockRun(tx, accountId, id) : null;
  const website = run && (await findWebsite(tx, accountId, run.sourceId));
  if (!website) throw notFound('knowledge run');
  if (run.state !== 'review') throw conflict(`the run is ${run.state}, not in review`);
  await publishRun(tx, accountId, state, { id, startedBy: actor.id }, website, now);
  await audit(tx, actor, now, {
    action: 'knowledge_run.published',
    target: { type: 'knowledge_source', id: website.id },
    changes: { runId: { from: null, to: id } },
  });
  return requireRun(tx, accountId, id);
}
