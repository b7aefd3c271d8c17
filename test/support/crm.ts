/** Shortcuts to boards, fields, records and the outbox, for the tests of the CRM. */
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import type { Field, FieldGroup, Kanban } from '../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../contract/crm/records.ts';
import type { EventBody } from '../../contract/events.ts';
import type { FieldType } from '../../contract/limits.ts';
import { sql } from '../../server/platform/db/sql.ts';
import type { Answer, TestService } from './service.ts';

/** A well-formed id that nothing has. */
export const absentId = '01890a5d-ac96-774b-bcce-b302099a8057';
export const color = '#112233';

export function assertRefused(answer: Answer, status: number, code: string, message?: string | RegExp): void {
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error', 'message', 'requestId']);
  assert.equal(answer.body.code, code);
  assert.equal(answer.body.error, STATUS_CODES[status]);
  if (message instanceof RegExp) assert.match(answer.body.message, message);
  else if (message !== undefined) assert.equal(answer.body.message, message);
}

export const assertBadRequest = (answer: Answer, message?: string | RegExp) =>
  assertRefused(answer, 400, 'VALIDATION_FAILED', message);
export const assertNotFound = (answer: Answer, message?: string | RegExp) =>
  assertRefused(answer, 404, 'NOT_FOUND', message);
export const assertConflict = (answer: Answer, message?: string | RegExp) =>
  assertRefused(answer, 409, 'CONFLICT', message);

let boards = 0;

export async function createKanban(service: TestService, body: object = {}): Promise<Kanban> {
  const answer = await service.call('POST', '/kanbans', { body: { name: `Board ${++boards}`, ...body } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function createField(
  service: TestService,
  kanbanId: string,
  type: FieldType,
  body: object = {},
): Promise<Field> {
  const options = type === 'select' || type === 'multiselect' ? { options: ['red', 'green', 'blue'] } : {};
  const answer = await service.call('POST', `/crm/fields?kanbanId=${kanbanId}`, {
    body: { name: `A ${type}`, type, ...options, ...body },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function createBatcher(
  service: TestService,
  kanbanId: string,
  body: object = {},
): Promise<FieldGroup> {
  const answer = await service.call('POST', `/crm/field-groups?kanbanId=${kanbanId}`, {
    body: { name: 'A group', ...body },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function createRecord(
  service: TestService,
  kanbanId: string,
  body: object = {},
): Promise<CrmRecord> {
  const answer = await service.call('POST', `/crm/records?kanbanId=${kanbanId}`, {
    body: { title: 'Ada', ...body },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function readRecord(service: TestService, recordId: string): Promise<CrmRecord> {
  const answer = await service.call('GET', `/crm/records/${recordId}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

export const changeRecord = (service: TestService, recordId: string, body: unknown) =>
  service.call('PUT', `/crm/records/${recordId}`, { body });

export interface StoredEvent {
  id: string;
  event: string;
  sequence: number;
  kanbanId: string | null;
  fieldId: string | null;
  createdAt: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert data member by member
  body: EventBody & { data: any };
  text: string;
}

/** What the outbox holds about a record, in the order of its sequence. */
export async function eventsOf(service: TestService, recordId: string): Promise<StoredEvent[]> {
  const rows = await service.context.db.query<StoredEvent>(sql`
    select id, event, sequence, kanban_id as "kanbanId", field_id as "fieldId", created_at as "createdAt", body as text
    from events where subject_id = ${recordId} order by sequence, id`);
  return rows.map((row) => ({ ...row, body: JSON.parse(row.text) }));
}

export async function countEvents(service: TestService): Promise<number> {
  const [row] = await service.context.db.query<{ count: number }>(
    sql`select count(*)::int as count from events where account_id = ${service.admin.accountId}`,
  );
  return row!.count;
}
