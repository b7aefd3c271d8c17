/**
 * What conditions would have compared at a moment of the past. Values whose history is not kept are those of today:
 * `approximateFields` names them.
 */
import { conditionLimits } from '../../../contract/conditions.ts';
import { isOwnFilterField } from '../../../contract/crm/filters.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Reader } from '../../platform/db/db.ts';
import { detectLanguage } from '../../platform/language.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { type ColumnValue, recordValues } from '../search/search.ts';
import {
  type PastChange,
  type PastContact,
  selectPastContacts,
  selectPastRatings,
  selectRecordChanges,
  selectSaid,
  selectSessionChanges,
} from './conditions.past.sql.ts';
import type { Conditions } from './conditions.read.ts';
import type { SubjectKey, SubjectRecord } from './conditions.sql.ts';
import { type ConditionSubject, loadSubjects, option, present } from './conditions.subjects.ts';

export interface PastMessage {
  content: string;
  hasAttachment: boolean;
  isFirst: boolean;
}

export interface PastSubject {
  readonly sessionId: string | null;
  readonly recordId: string | null;
  /** Without a message, conditions on it compare nothing. */
  at(moment: number, message?: PastMessage | null): ConditionSubject;
}

const withoutHistory = [
  'session.agentId',
  'session.unread',
  'session.waitingMinutes',
  'contact.name',
  'contact.blocked',
  'contact.labelIds',
  'updatedAt',
];

/** Opening hours have no history either: `withinHours`. */
export function approximateFields(conditions: Conditions): string[] {
  const hasHours = conditions.references.some(({ kind }) => kind === 'hours');
  const fields = withoutHistory.filter((field) => conditions.fields.has(field));
  return hasHours ? [...fields, 'withinHours'] : fields;
}

/** Their history is that of events, which are kept for a while. */
export const needsEvents = (conditions: Conditions): boolean =>
  [...conditions.fields].some(
    (field) => !field.includes('.') && !['status', 'createdAt', 'updatedAt'].includes(field),
  );

/** For moments after `since`. In the order of the keys. */
export async function loadPastSubjects(
  db: Reader,
  accountId: string,
  definitions: Definitions,
  keys: readonly SubjectKey[],
  conditions: readonly Conditions[],
  since: number,
): Promise<PastSubject[]> {
  const today = await loadSubjects(db, accountId, definitions, keys, conditions);
  const fields = new Set(conditions.flatMap((one) => [...one.fields]));
  const sessionIds = today.flatMap(({ sessionId }) => sessionId ?? []);
  const recordIds = today.flatMap(({ recordId }) => recordId ?? []);
  const read = async <T>(isNeeded: boolean, select: () => Promise<T[]>) => (isNeeded ? select() : []);
  const needs = (...names: string[]) => names.some((name) => fields.has(name));
  const [changes, recordChanges, said, contacts, ratings] = await Promise.all([
    read(needs(...changing.map((name) => `session.${name}`)), () =>
      selectSessionChanges(db, accountId, sessionIds, since),
    ),
    read(
      [...fields].some((field) => !field.includes('.')),
      () => selectRecordChanges(db, accountId, recordIds, since),
    ),
    read(needs('session.language', 'session.lastMessageAt'), () => selectSaid(db, accountId, sessionIds)),
    read(needs('contact.email', 'contact.phone', 'contact.sessionCount'), () =>
      selectPastContacts(db, accountId, sessionIds),
    ),
    read(needs('session.rating'), () => selectPastRatings(db, accountId, sessionIds)),
  ]);
  const history = {
    changes: grouped(changes, ({ id }) => id),
    recordChanges: grouped(recordChanges, ({ id }) => id),
    said: grouped(said, ({ sessionId }) => sessionId),
    contacts: grouped(contacts, ({ sessionId }) => sessionId),
    ratings: grouped(ratings, ({ sessionId }) => sessionId),
  };
  return today.map((subject) => pastOf(subject, fields, history, definitions));
}

/** Of conversations, as `session_changes` calls them. */
const changing = ['status', 'assignedUserId', 'teamId', 'labelIds', 'aiPaused'];

interface History {
  changes: Map<string, PastChange[]>;
  recordChanges: Map<string, PastChange[]>;
  said: Map<string, Said[]>;
  contacts: Map<string, PastContact[]>;
  ratings: Map<string, { at: number; score: number }[]>;
}

function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

function pastOf(
  today: ConditionSubject,
  fields: ReadonlySet<string>,
  history: History,
  definitions: Definitions,
): PastSubject {
  const sessionId = today.sessionId ?? '';
  const changes = history.changes.get(sessionId) ?? [];
  const recordChanges = history.recordChanges.get(today.recordId ?? '') ?? [];
  const said = history.said.get(sessionId) ?? [];
  const [contact] = history.contacts.get(sessionId) ?? [];
  const ratings = history.ratings.get(sessionId) ?? [];
  // There may be thousands of moments.
  const named = Object.fromEntries(Object.entries(today.values).filter(([field]) => fields.has(field)));
  return {
    sessionId: today.sessionId,
    recordId: today.recordId,
    at(moment, message = null) {
      const values: { [field: string]: ColumnValue | null | undefined } = { ...named };
      const { record } = today;
      if (record && recordChanges.some(({ at }) => at > moment)) {
        for (const field of Object.keys(values)) if (!field.includes('.')) values[field] = null;
        const kanban = definitions.kanbans.get(record.kanbanId);
        Object.assign(values, recordValues(recordAt(record, recordChanges, moment), kanban));
      }
      const replaced = new Set<string>();
      for (const { at, field, oldValue } of changes) {
        const name = `session.${field}`;
        // The first change afterwards has the value of this moment.
        if (at <= moment || replaced.has(name) || !fields.has(name) || !(name in words)) continue;
        replaced.add(name);
        values[name] = words[name as keyof typeof words](oldValue);
      }
      const last = lastUntil(said, moment);
      if (fields.has('session.lastMessageAt') && last >= 0) values['session.lastMessageAt'] = said[last]!.at;
      if (fields.has('session.language')) {
        values['session.language'] = option(languageBefore(said, last));
      }
      if (contact) {
        const known = (kind: string) =>
          contact.identifiers
            .filter((one) => one.kind === kind && one.at <= moment)
            .map(({ value }) => value);
        if (fields.has('contact.email')) values['contact.email'] = known('email');
        if (fields.has('contact.phone')) values['contact.phone'] = known('phone');
        if (fields.has('contact.sessionCount')) {
          values['contact.sessionCount'] = contact.begun.filter((at) => at <= moment).length;
        }
      }
      if (fields.has('session.rating')) {
        values['session.rating'] = ratings.findLast(({ at }) => at <= moment)?.score;
      }
      values['message.content'] = message?.content;
      values['message.hasAttachment'] = message && Number(message.hasAttachment);
      values['message.isFirst'] = message && Number(message.isFirst);
      return { ...today, values: present(values) };
    },
  };
}

/** The index of the last one at this moment or before; -1: none. */
function lastUntil(said: readonly { at: number }[], moment: number): number {
  let [low, high] = [0, said.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (said[middle]!.at <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

interface Said {
  at: number;
  text: string | null;
  /** Once it was asked for: each message is one of the last of several moments. */
  language?: string | null;
}

/** Of the latest messages of the customer up to this one, the latest first. */
function languageBefore(said: readonly Said[], last: number): string | null {
  let texts = 0;
  for (let i = last; i >= 0 && texts < conditionLimits.languageMessages; i--) {
    const one = said[i]!;
    if (one.text === null) continue;
    if (one.language === undefined) one.language = detectLanguage([one.text]);
    if (one.language !== null) return one.language;
    texts++;
  }
  return null;
}

/** Values of `session_changes` as conditions compare them. */
const words = {
  'session.status': (value: unknown) => option(value as string | null),
  'session.assignedUserId': (value: unknown) => option(value as string | null),
  'session.teamId': (value: unknown) => option(value as string | null),
  'session.labelIds': (value: unknown) => value as string[] | null,
  'session.aiPaused': (value: unknown) => Number(value),
};

/** The latest change is taken back first. */
function recordAt(record: SubjectRecord, changes: readonly PastChange[], moment: number): CrmRecord {
  const past: SubjectRecord = { ...record, customFields: { ...record.customFields } };
  for (const { at, field, oldValue } of changes.toReversed()) {
    if (at <= moment) break;
    if (isOwnFilterField(field)) Object.assign(past, { [field]: oldValue });
    else if (oldValue === null) delete past.customFields[field];
    else past.customFields[field] = oldValue;
  }
  return past as unknown as CrmRecord;
}
