/**
 * Conditions on conversations, their contacts, messages and cards, in the form of docs/filters.md: checked when they are
 * saved, evaluated in memory for one subject, and as SQL to find conversations.
 */
export { type CheckContext, checkConditions } from './conditions.check.ts';
export { type EvaluationContext, evaluate } from './conditions.evaluate.ts';
export { findConversations } from './conditions.find.ts';
export {
  approximateFields,
  loadPastSubjects,
  needsEvents,
  type PastMessage,
} from './conditions.past.ts';
export { Conditions } from './conditions.read.ts';
export { createSessionFilters, sessionKinds } from './conditions.sessions.ts';
export type { SubjectKey } from './conditions.sql.ts';
export { type ConditionSubject, loadSubjects } from './conditions.subjects.ts';
