/** Evaluates conditions for one subject in memory, and says which condition was not met first. */
import type { MissedCondition } from '../../../contract/automation/conditions.ts';
import { conditionLimits } from '../../../contract/conditions.ts';
import { matchesAny } from '../../platform/patterns.ts';
import { holdsFor } from '../search/search.ts';
import type { ConditionFields, ConditionPart, Conditions, ConditionTree } from './conditions.read.ts';
import { type ConditionSubject, valueAt } from './conditions.subjects.ts';
import { comparedValue, reasonOf } from './conditions.words.ts';

export interface EvaluationContext extends Pick<ConditionFields, 'fieldOf'> {
  /** Null: these opening hours do not exist any more. */
  isOpen(hoursId: string, at: number): boolean | null;
}

export type Evaluation =
  | { matched: true }
  | {
      matched: false;
      /** `status was open`. */
      reason: string;
      missed: MissedCondition;
    };

const hoursField = 'withinHours';

/** Null: no conditions, which everything meets. */
export async function evaluate(
  conditions: Conditions | null,
  subject: ConditionSubject,
  at: number,
  context: EvaluationContext,
): Promise<Evaluation> {
  if (conditions === null) return { matched: true };
  const missed = await firstMissed(conditions.at(at), subject, at, context);
  if (missed === null) return { matched: true };
  if (missed.test === 'hours') {
    const { hoursId, isOpen } = missed;
    const wereGone = context.isOpen(hoursId, at) === null;
    const reason = wereGone
      ? 'opening hours no longer exist'
      : `opening hours were ${isOpen ? 'closed' : 'open'}`;
    return { matched: false, reason, missed: { field: hoursField, value: hoursId, isOpen: !isOpen } };
  }
  const { zone } = conditions;
  const reason = reasonOf(missed.field, subject, at, { fieldOf: context.fieldOf, zone });
  const { field } = missed;
  return { matched: false, reason, missed: { field, value: comparedValue(field, subject, at, context) } };
}

/** Null: none. Of an `or` it is the first part, because none of them is met. */
async function firstMissed(
  tree: ConditionTree,
  subject: ConditionSubject,
  at: number,
  context: EvaluationContext,
): Promise<ConditionPart | null> {
  if ('and' in tree) {
    for (const part of tree.and) {
      const missed = await firstMissed(part, subject, at, context);
      if (missed !== null) return missed;
    }
    return null;
  }
  if ('or' in tree) {
    let first: ConditionPart | null = null;
    for (const part of tree.or) {
      const missed = await firstMissed(part, subject, at, context);
      if (missed === null) return null;
      first ??= missed;
    }
    return first;
  }
  return (await isMet(tree, subject, at, context)) ? null : tree;
}

async function isMet(
  part: ConditionPart,
  subject: ConditionSubject,
  at: number,
  context: EvaluationContext,
): Promise<boolean> {
  switch (part.test) {
    case 'hours':
      return context.isOpen(part.hoursId, at) === part.isOpen;
    case 'pattern': {
      const text = subject.values[part.field];
      if (typeof text !== 'string') return false;
      return matchesAny([part.pattern], text.slice(0, conditionLimits.matchedLength));
    }
    default:
      return holdsFor(part, valueAt(subject, part.field, at));
  }
}
