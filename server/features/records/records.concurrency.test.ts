/** Concurrency, on one process and on two that share the database. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import {
  absentId,
  assertBadRequest,
  changeRecord,
  color,
  createField,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../test/support/crm.ts';
import { isFull } from '../../../test/support/sample.ts';
import { type Answer, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const many = 200;

function countByStatus(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A pool without a free connection answers 503, and a client retries: that is no loss, and not the subject here. */
async function persist(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request();
    if (answer.status !== 503) return answer;
  }
}

const together = <T>(count: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)));

describe('records under concurrency', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let kanban: Kanban;
  before(async () => {
    service = await joinTestService();
    second = await service.startSecond();
    kanban = await createKanban(service);
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  /** Every other request goes to the other process. */
  const call = (i: number): TestService['call'] => (i % 2 ? second.call : service.call);
  const recordsOf = async (kanbanId: string) =>
    service.context.db.query<{ id: string; status: string; custom_fields: object }>(
      sql`select id, status, custom_fields from records where kanban_id = ${kanbanId}`,
    );
  /** How many transactions created the records. */
  const countStatements = async () => {
    const [row] = await service.context.db.query<{ count: number }>(
      sql`select count(distinct changed_xid)::int as count from records where account_id = ${service.admin.accountId}`,
    );
    return row!.count;
  };
  const eventCount = async (recordId: string) => (await eventsOf(service, recordId)).length;

  it('200 concurrent creates with the same channelId and title: one record, one 201, one event', async () => {
    const board = await createKanban(service);
    const answers = await together(many, (i) =>
      persist(() =>
        call(i)('POST', `/crm/records?kanbanId=${board.id}`, {
          body: { title: i % 3 ? 'Same' : ' sAME ', channelId: 'c' },
        }),
      ),
    );
    assert.deepEqual(countByStatus(answers), { 200: many - 1, 201: 1 });
    assert.equal(new Set(answers.map((answer) => answer.body.recordId)).size, 1);
    assert.ok(answers.every((answer) => answer.status === 201 || answer.body.alreadyExists === true));
    assert.equal((await recordsOf(board.id)).length, 1);
    assert.equal(await eventCount(answers[0]!.body.recordId), 1);
  });

  it('creates that share a statement are each written as they were sent, on the board they are for', async () => {
    const boards = [await createKanban(service), await createKanban(service)];
    const fields = await Promise.all(
      boards.map(async ({ id }) => [
        await createField(service, id, 'text'),
        await createField(service, id, 'multiselect', { options: ['a,b', '"q"', '{}'] }),
      ]),
    );
    const odd = [
      'a"b\\c,{}',
      'NULL',
      'null',
      '\u001e',
      '{"a":1}',
      "o'clock",
      'ação 🎉',
      '\\x41',
      'a\nb\tc',
      ' , ',
    ];
    const inputs = Array.from({ length: 60 }, (_, i) => {
      const [text, several] = fields[i % 2]!;
      const customFields = {
        ...(i % 3 > 0 && { [text!.fieldId]: odd[(i * 7) % odd.length]! }),
        ...(i % 4 > 1 && { [several!.fieldId]: ['"q"', 'a,b'] }),
      };
      return { title: `t${odd[i % odd.length]}${i}`, customFields };
    });
    const before = await countStatements();
    const answers = await together(inputs.length, (i) =>
      service.call('POST', `/crm/records?kanbanId=${boards[i % 2]!.id}`, { body: inputs[i] }),
    );
    assert.deepEqual(countByStatus(answers), { 201: inputs.length });
    assert.ok((await countStatements()) - before < inputs.length / 3, 'they did not share statements');
    for (const [i, { body }] of answers.entries()) {
      const { title, customFields } = inputs[i]!;
      const kanbanId = boards[i % 2]!.id;
      const stored = await readRecord(service, body.recordId);
      assert.deepEqual(stored, body);
      assert.deepEqual({ ...stored, title, customFields, kanbanId }, stored);
      const [event, ...others] = await eventsOf(service, body.recordId);
      assert.deepEqual(others, []);
      assert.equal(event!.event, 'crm_record_created');
      assert.equal(event!.kanbanId, kanbanId);
      assert.equal(event!.createdAt, body.createdAt);
      assert.deepEqual(event!.body.data, { record: body });
      for (const [fieldId, value] of Object.entries(customFields)) {
        const first = encodeURIComponent(String([value].flat()[0]));
        const { body: found } = await service.call(
          'GET',
          `/crm/search?customFieldId=${fieldId}&customFieldValue=${first}&pageSize=100`,
        );
        assert.ok(
          found.items.some((item: CrmRecord) => item.recordId === body.recordId),
          `${title} by ${first}`,
        );
      }
    }
  });

  it('200 concurrent changes of one record lose no customFields key and no event', async () => {
    const board = await createKanban(service, {
      fields: Array.from({ length: many - 2 }, (_, i) => ({ name: `F${i}`, type: 'number' })),
    });
    const record = await createRecord(service, board.id);
    const values = new Map(
      board.fields.map((field, i) => [
        field.id,
        field.type === 'phone' ? '+49 30 123456' : field.type === 'email' ? 'a@b.co' : i,
      ]),
    );
    assert.equal(values.size, many);
    const entries = [...values];
    const answers = await together(many, (i) =>
      persist(() =>
        call(i)('PUT', `/crm/records/${record.recordId}`, {
          body: { customFields: { [entries[i]![0]]: entries[i]![1] } },
        }),
      ),
    );
    assert.deepEqual(countByStatus(answers), { 200: many });
    assert.deepEqual((await readRecord(service, record.recordId)).customFields, Object.fromEntries(values));
    const events = await eventsOf(service, record.recordId);
    assert.deepEqual(
      events.map((event) => event.sequence),
      Array.from({ length: many + 1 }, (_, i) => i + 1),
    );
    assert.deepEqual(new Set(events.slice(1).map((event) => event.fieldId)), new Set(values.keys()));
  });

  // More than twice the connections of a pool: a request that held one while it waited for another would never get
  // it.
  it('40 concurrent requests that are refused are refused, not turned away as too many', async () => {
    const refused = await together(40, () => changeRecord(service, absentId, { title: 'X' }));
    assert.deepEqual(countByStatus(refused), { 404: 40 });
    const record = await createRecord(service, kanban.id);
    const wrong = await together(40, () => changeRecord(service, record.recordId, { status: 'nowhere' }));
    assert.deepEqual(countByStatus(wrong), { 400: 40 });
    const blank = await together(40, () => service.call('POST', '/crm/records', { body: { title: ' ' } }));
    assert.deepEqual(countByStatus(blank), { 400: 40 });
  });

  it('40 concurrent changes right after the boards changed, here or elsewhere, all pass', async () => {
    const records = await together(20, () => createRecord(service, kanban.id));
    for (const process of [service, second]) {
      const body = { name: 'New', type: 'text' };
      await process.call('POST', `/crm/fields?kanbanId=${kanban.id}`, { body });
      const answers = await together(40, (i) =>
        changeRecord(service, records[i % 20]!.recordId, { title: `Title ${Math.random()}` }),
      );
      assert.deepEqual(countByStatus(answers), { 200: 40 });
    }
  });

  it('of many concurrent deletes one succeeds and emits', async () => {
    const record = await createRecord(service, kanban.id);
    const answers = await together(50, (i) => call(i)('DELETE', `/crm/records/${record.recordId}`));
    assert.deepEqual(countByStatus(answers), { 200: 1, 404: 49 });
    assert.equal(await eventCount(record.recordId), 2);
  });

  it('changes and a delete at once: what was answered 200 has its event, and nothing follows the delete', async () => {
    const record = await createRecord(service, kanban.id);
    const answers = await together(40, (i) =>
      i === 20
        ? service.call('DELETE', `/crm/records/${record.recordId}`)
        : call(i)('PUT', `/crm/records/${record.recordId}`, { body: { title: `Title ${i}` } }),
    );
    assert.equal(answers[20]!.status, 200);
    const changed = answers.filter((answer, i) => i !== 20 && answer.status === 200).length;
    assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 404));
    const events = await eventsOf(service, record.recordId);
    assert.equal(events.length, changed + 2);
    assert.equal(events.at(-1)!.event, 'crm_record_deleted');
  });

  describe('definitions of another process', () => {
    it('a field that was created there can be used here at once', async () => {
      const board = await createKanban(service);
      const record = await createRecord(service, board.id);
      for (let i = 0; i < 5; i++) {
        const field: Field = (
          await second.call('POST', `/crm/fields?kanbanId=${board.id}`, {
            body: { name: `F${i}`, type: 'text' },
          })
        ).body;
        const customFields = { [field.fieldId]: 'x' };
        const created = await service.call('POST', `/crm/records?kanbanId=${board.id}`, {
          body: { title: 'X', customFields },
        });
        assert.equal(created.status, 201, created.text);
        assert.equal((await changeRecord(service, record.recordId, { customFields })).status, 200);
      }
    });

    it('a kanban and a status that were made there can be used here at once', async () => {
      const made: Kanban = (await second.call('POST', '/kanbans', { body: { name: 'Made there' } })).body;
      await createRecord(service, made.id);
      const statuses = [...made.statuses, { value: 'extra', label: 'Extra', color }];
      await second.call('PUT', `/kanbans/${made.id}/statuses`, { body: { statuses } });
      assert.equal((await createRecord(service, made.id, { status: 'extra' })).status, 'extra');
    });

    it('a field, a status and a kanban that were taken away there are refused here at once', async () => {
      const board = await createKanban(service, {
        statuses: ['a', 'b'].map((value) => ({ value, label: value, color })),
      });
      const field = await createField(service, board.id, 'text');
      const record = await createRecord(service, board.id, { customFields: { [field.fieldId]: 'x' } });
      const create = (body: object) =>
        service.call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'X', ...body } });
      await second.call('DELETE', `/crm/fields/${field.fieldId}`);
      assertBadRequest(await create({ customFields: { [field.fieldId]: 'x' } }), /^customFields/);
      assertBadRequest(
        await changeRecord(service, record.recordId, { customFields: { [field.fieldId]: null } }),
        /^customFields/,
      );
      await second.call('PUT', `/kanbans/${board.id}/statuses`, {
        body: { statuses: [{ value: 'a', label: 'a', color }] },
      });
      assertBadRequest(await create({ status: 'b' }), 'status must be one of a');
      await service.call('DELETE', `/crm/records/${record.recordId}`);
      await second.call('DELETE', `/kanbans/${board.id}`);
      assert.equal((await create({})).status, 404);
    });

    it('no record ever holds a status or a field that was taken away while creates and changes ran', async () => {
      const board = await createKanban(service, {
        statuses: ['stays', 'goes'].map((value) => ({ value, label: value, color })),
      });
      const [stays, goes] = board.statuses;
      const records = await together(8, () => createRecord(service, board.id));
      const statuses = (list: object[], moveTo?: string) =>
        second.call('PUT', `/kanbans/${board.id}/statuses`, { body: { statuses: list, moveTo } });
      let running = true;
      let field: Field | null = null;
      const codes = new Set<number>();
      const writer = async (i: number) => {
        for (let n = 0; running; n++) {
          const body = {
            title: `W${i}-${n}`,
            status: n % 2 ? 'goes' : 'stays',
            ...(n % 5 === 0 && { channelId: `c${n % 10}` }),
            ...(field && { customFields: { [field.fieldId]: `v${n}` } }),
          };
          const answer =
            n % 3 === 0
              ? await changeRecord(service, records[n % 8]!.recordId, body)
              : await service.call('POST', `/crm/records?kanbanId=${board.id}`, { body });
          codes.add(answer.status);
        }
      };
      const writers = Promise.all(Array.from({ length: 12 }, (_, i) => writer(i)));
      const gone: string[] = [];
      for (let round = 0; round < (isFull ? 12 : 6); round++) {
        field = await createField({ ...service, call: second.call }, board.id, 'text');
        assert.equal((await statuses([stays!, goes!])).status, 200);
        const created: CrmRecord[] = await together(4, (i) =>
          createRecord(service, board.id, { title: `R${round}-${i}` }),
        );
        assert.equal(created.length, 4);
        assert.equal((await statuses([stays!], 'stays')).status, 200);
        assert.equal((await second.call('DELETE', `/crm/fields/${field.fieldId}`)).status, 200);
        gone.push(field.fieldId);
        const held = await recordsOf(board.id);
        assert.deepEqual([...new Set(held.map((record) => record.status))], ['stays'], `round ${round}`);
        const leftover = held.filter((record) => gone.some((id) => id in record.custom_fields));
        assert.deepEqual(leftover, [], `round ${round}`);
      }
      running = false;
      await writers;
      assert.deepEqual(
        [...codes].filter((code) => ![200, 201, 400].includes(code)),
        [],
      );
      assert.ok(codes.has(201) && codes.has(200) && codes.has(400), `${[...codes]}`);
    });
  });
});
