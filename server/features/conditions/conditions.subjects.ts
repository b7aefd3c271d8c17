/** What conditions compare: the values of a conversation, its contact, its card and a message. */
import { conditionLimits } from '../../../contract/conditions.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Reader } from '../../platform/db/db.ts';
import { detectLanguage } from '../../platform/language.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { type ColumnValue, recordValues } from '../search/search.ts';
import type { Conditions } from './conditions.read.ts';
import {
  type SubjectKey,
  type SubjectNeeds,
  type SubjectRecord,
  type SubjectRow,
  selectNames,
  selectSubjects,
} from './conditions.sql.ts';

/** Values by the field that names them; what is empty is absent. */
export interface ConditionSubject {
  sessionId: string | null;
  recordId: string | null;
  /** Of the record. */
  kanbanId: string | null;
  record: SubjectRecord | null;
  values: { readonly [field: string]: ColumnValue };
  /** Of the customer; null: they do not wait. */
  waitingSince: number | null;
  /** Of what ids stand for, and of the record's fields. */
  names: ReadonlyMap<string, string>;
}

/**
 * Of one account, in the order of the keys, in one statement (and one more for the names of labels and assignees).
 * Only what the conditions name is read. Absent conversations, records and messages have no values.
 */
export async function loadSubjects(
  db: Reader,
  accountId: string,
  definitions: Definitions,
  keys: readonly SubjectKey[],
  conditions: readonly (Conditions | null)[],
): Promise<ConditionSubject[]> {
  if (keys.length === 0) return [];
  const fields = new Set(conditions.flatMap((one) => [...(one?.fields ?? [])]));
  const rows = await selectSubjects(db, accountId, keys, needsOf(fields), conditionLimits.languageMessages);
  const subjects = rows.map((row) => toSubject(row, definitions));
  const ids = subjects.flatMap(({ values }) =>
    ['session.labelIds', 'contact.labelIds', 'labelIds', 'assignedUserIds']
      .filter((field) => fields.has(field))
      .flatMap((field) => (values[field] ?? []) as readonly string[]),
  );
  if (ids.length > 0) {
    const names = (await selectNames(db, accountId, ids)).map(({ id, name }) => [id, name] as const);
    for (const subject of subjects) subject.names = new Map([...subject.names, ...names]);
  }
  return subjects;
}

function needsOf(fields: ReadonlySet<string>): SubjectNeeds {
  const some = (isMeant: (field: string) => boolean) => [...fields].some(isMeant);
  return {
    contact: some((field) => field.startsWith('contact.') && field !== 'contact.sessionCount'),
    sessionCount: fields.has('contact.sessionCount'),
    language: fields.has('session.language'),
    rating: fields.has('session.rating'),
    record: some((field) => !field.includes('.')),
    message: some((field) => field.startsWith('message.')),
  };
}

function toSubject(row: SubjectRow, definitions: Definitions): ConditionSubject {
  const { record = null, contact = null, message = null } = row;
  const kanban = record ? definitions.kanbans.get(record.kanbanId) : undefined;
  const values = {
    ...(record && recordValues(record as unknown as CrmRecord, kanban)),
    ...present({
      'session.status': option(row.status),
      'session.channelId': option(row.channelId),
      'session.channelType': option(row.channelType),
      'session.agentId': option(row.agentId),
      'session.assignedUserId': option(row.assignedUserId),
      'session.teamId': option(row.teamId),
      'session.labelIds': row.labelIds,
      'session.aiPaused': truth(row.aiPaused),
      'session.unread': row.unread,
      'session.language': option(detectLanguage(row.customerTexts ?? [])),
      'session.createdAt': row.createdAt,
      'session.lastMessageAt': row.lastMessageAt,
      'session.rating': row.rating,
      'contact.name': contact?.name,
      'contact.email': contact?.emails,
      'contact.phone': contact?.phones,
      'contact.blocked': truth(contact?.blocked),
      'contact.sessionCount': row.sessionCount,
      'contact.createdAt': contact?.createdAt,
      'message.content': message?.content,
      'message.hasAttachment': truth(message?.hasAttachment),
      'message.isFirst': truth(message?.isFirst),
    }),
  };
  const named: [string | null, string | null][] = [
    [row.channelId, row.channelName],
    [row.agentId, row.agentName],
    [row.assignedUserId, row.assignedUserName],
    [row.teamId, row.teamName],
  ];
  return {
    sessionId: row.sessionId,
    recordId: record?.recordId ?? null,
    kanbanId: record?.kanbanId ?? null,
    record,
    values,
    waitingSince: row.waitingSince,
    names: new Map(named.filter((one): one is [string, string] => one[0] !== null && one[1] !== null)),
  };
}

const minuteMs = 60_000;

/** What grows with the time is computed for the moment of the comparison. */
export function valueAt(
  { values, waitingSince }: ConditionSubject,
  field: string,
  at: number,
): ColumnValue | undefined {
  if (field !== 'session.waitingMinutes') return values[field];
  return waitingSince === null ? undefined : (at - waitingSince) / minuteMs;
}

export const option = (value: string | null): readonly string[] | null => (value === null ? null : [value]);
const truth = (value: boolean | null | undefined) =>
  value === null || value === undefined ? null : Number(value);

/** Without what is empty. */
export function present(values: { [field: string]: ColumnValue | null | undefined }): {
  [field: string]: ColumnValue;
} {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, ColumnValue] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
}
