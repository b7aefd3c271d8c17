/**
 * Conditions on conversations, their contacts and messages, in the form of filters on records (crm/filters.ts):
 * docs/filters.md describes both.
 */
import { type Comparison, comparisons } from './crm/filters.ts';
import { channelTypes, languages } from './limits.ts';
import { sessionStatuses } from './messaging/sessions.ts';

/** What conditions can be about. Fields of records have no prefix. */
export const conditionKinds = ['record', 'session', 'contact', 'message'] as const;
export type ConditionKind = (typeof conditionKinds)[number];

export interface ConditionField {
  comparison: Comparison;
  /** What its values are the ids of. */
  refersTo?: 'channel' | 'agent' | 'user' | 'team' | 'label';
  /** The only values that there are. */
  values?: readonly string[];
}

export const conditionFields = {
  'session.status': { comparison: 'option', values: sessionStatuses },
  'session.channelId': { comparison: 'option', refersTo: 'channel' },
  'session.channelType': { comparison: 'option', values: channelTypes },
  'session.agentId': { comparison: 'option', refersTo: 'agent' },
  'session.assignedUserId': { comparison: 'option', refersTo: 'user' },
  'session.teamId': { comparison: 'option', refersTo: 'team' },
  'session.labelIds': { comparison: 'options', refersTo: 'label' },
  'session.aiPaused': { comparison: 'boolean' },
  'session.unread': { comparison: 'number' },
  'session.language': { comparison: 'option', values: languages },
  'session.createdAt': { comparison: 'time' },
  'session.lastMessageAt': { comparison: 'time' },
  'session.rating': { comparison: 'number' },
  'session.waitingMinutes': { comparison: 'number' },
  'contact.name': { comparison: 'text' },
  'contact.email': { comparison: 'text' },
  'contact.phone': { comparison: 'text' },
  'contact.blocked': { comparison: 'boolean' },
  'contact.sessionCount': { comparison: 'number' },
  'contact.createdAt': { comparison: 'time' },
  'contact.labelIds': { comparison: 'options', refersTo: 'label' },
  'message.content': { comparison: 'text' },
  'message.hasAttachment': { comparison: 'boolean' },
  'message.isFirst': { comparison: 'boolean' },
} as const satisfies { [name: string]: ConditionField };
export type ConditionFieldName = keyof typeof conditionFields;

export const isConditionField = (name: string): name is ConditionFieldName =>
  Object.hasOwn(conditionFields, name);

export const fieldOfCondition = (name: ConditionFieldName): ConditionField => conditionFields[name];

export const kindOfField = (name: string): ConditionKind =>
  isConditionField(name) ? (name.slice(0, name.indexOf('.')) as ConditionKind) : 'record';

/** Of `message.content`, besides those of texts. */
export const patternOperator = 'matches';
export const conditionLimits = {
  /** Of a regular expression. */
  patternLength: 200,
  /** How much of a message it is applied to. */
  matchedLength: 4_096,
  /** Of a conversation's customer messages: those that tell its language. */
  languageMessages: 3,
} as const;

export const operatorsOf = (name: ConditionFieldName): readonly string[] => {
  const { comparison } = conditionFields[name];
  return name === 'message.content' ? [...comparisons[comparison], patternOperator] : comparisons[comparison];
};
