/** Finds the conversations that conditions match. */
import type { Reader } from '../../platform/db/db.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { type EvaluationContext, evaluate } from './conditions.evaluate.ts';
import { selectPossible } from './conditions.find.sql.ts';
import type { Conditions } from './conditions.read.ts';
import { loadSubjects } from './conditions.subjects.ts';
import { conversationsWhere } from './conditions.where.sql.ts';

interface FindContext extends EvaluationContext {
  db: Reader;
  accountId: string;
  definitions: Definitions;
  /** The boards whose conversations count; null: all. */
  visible: readonly string[] | null;
}

const sessionsAtOnce = 500;

/** Their ids in order, batch by batch: what the database cannot decide is loaded and evaluated here. */
export async function* findConversations(
  { db, accountId, definitions, visible, ...context }: FindContext,
  conditions: Conditions,
  at: number,
  after = '',
): AsyncGenerator<string[]> {
  const where = conversationsWhere(accountId, conditions, at, context.isOpen);
  for (let last = after; ; ) {
    const found = await selectPossible(db, accountId, visible, where, last, sessionsAtOnce);
    const open = found.filter(({ isCertain }) => !isCertain);
    const subjects = await loadSubjects(db, accountId, definitions, open, [conditions]);
    const refused = new Set<string>();
    for (const [index, { sessionId }] of open.entries()) {
      const { matched } = await evaluate(conditions, subjects[index]!, at, context);
      if (!matched) refused.add(sessionId);
    }
    yield found.map(({ sessionId }) => sessionId).filter((id) => !refused.has(id));
    if (found.length < sessionsAtOnce) return;
    last = found.at(-1)!.sessionId;
  }
}
