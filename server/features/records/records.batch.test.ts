import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import type { BatchResult } from '../../../contract/crm/records.ts';
import {
  absentId,
  assertBadRequest,
  assertRefused,
  countEvents,
  createField,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('batches of records', () => {
  let service: TestService;
  let kanban: Kanban;
  let field: Field;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service);
    field = await createField(service, kanban.id, 'number');
  });
  after(() => service.close());

  const send = (items: unknown, query = `?kanbanId=${kanban.id}`, more: object = {}) =>
    service.call('POST', `/crm/records/batch${query}`, { body: { items }, ...more });
  const run = async (items: unknown[], query?: string): Promise<BatchResult[]> => {
    const answer = await send(items, query);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body), ['results']);
    assert.equal(answer.body.results.length, items.length);
    return answer.body.results;
  };

  it('each item answers in its place as its own request would', async () => {
    const record = await createRecord(service, kanban.id);
    const results = await run([
      { title: 'New', customFields: { [field.fieldId]: 1 } },
      { title: ' ' },
      { recordId: record.recordId, title: 'Changed' },
      { recordId: absentId, title: 'X' },
      { title: 'X', customFields: { [field.fieldId]: 'one' } },
      { title: 'Twice', channelId: 'c' },
      { title: 'twice', channelId: 'c' },
      { recordId: record.recordId },
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      [201, 400, 200, 404, 400, 201, 200, 200],
    );
    const [made, blank, changed, absent, wrong, first, second, idle] = results;
    assert.deepEqual(await readRecord(service, made!.record!.recordId), made!.record);
    assert.deepEqual(blank, {
      status: 400,
      error: 'Bad Request',
      message: 'title is required',
      code: 'VALIDATION_FAILED',
    });
    assert.equal(changed!.record!.title, 'Changed');
    assert.deepEqual(absent, {
      status: 404,
      error: 'Not Found',
      message: 'record not found',
      code: 'NOT_FOUND',
    });
    assert.ok(wrong!.message!.includes(field.fieldId) && wrong!.message!.includes(field.name));
    assert.deepEqual(second!.record, { ...first!.record, alreadyExists: true });
    assert.deepEqual(idle!.record, changed!.record);
  });

  it('a refused item leaves nothing behind and stops no other', async () => {
    const before = await countEvents(service);
    const results = await run([
      { title: 'A' },
      { title: 'B', assignedUserIds: [absentId] },
      { title: 'C', status: 'nowhere' },
      { title: 'D' },
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      [201, 400, 400, 201],
    );
    assert.equal(await countEvents(service), before + 2);
  });

  it('a record may be created and changed, and changed twice, in one batch', async () => {
    const record = await createRecord(service, kanban.id);
    const results = await run([
      { recordId: record.recordId, title: 'One' },
      { recordId: record.recordId, title: 'Two' },
    ]);
    assert.deepEqual(
      results.map((result) => result.record?.title),
      ['One', 'Two'],
    );
    const events = await eventsOf(service, record.recordId);
    assert.deepEqual(
      events.map((event) => [event.sequence, event.body.data.newValue ?? null]),
      [
        [1, null],
        [2, 'One'],
        [3, 'Two'],
      ],
    );
  });

  it("the query's kanbanId is the default of the items, an item's own wins, the default kanban is last", async () => {
    const other = await createKanban(service);
    const standard = (await service.call('GET', '/kanbans')).body.items.find((one: Kanban) => one.isDefault);
    const places = async (query: string) =>
      (await run([{ title: 'A' }, { title: 'B', kanbanId: other.id }], query)).map(
        (result) => result.record?.kanbanId,
      );
    assert.deepEqual(await places(`?kanbanId=${kanban.id}`), [kanban.id, other.id]);
    assert.deepEqual(await places(''), [standard.id, other.id]);
  });

  it('404 for each item whose kanban is unknown', async () => {
    const results = await run([{ title: 'A' }, { title: 'B', kanbanId: kanban.id }], `?kanbanId=${absentId}`);
    assert.deepEqual(
      results.map((result) => [result.status, result.message ?? null]),
      [
        [404, 'kanban not found'],
        [201, null],
      ],
    );
    const [malformed] = await run([{ title: 'A', kanbanId: 'no-id' }]);
    assert.equal(malformed?.status, 404);
  });

  it('1 to 100 items: 400 for the whole request otherwise', async () => {
    const before = await countEvents(service);
    assertBadRequest(await send([]), 'items must have at least 1 item');
    assertBadRequest(
      await send(Array.from({ length: 101 }, () => ({ title: 'X' }))),
      'items must have at most 100 items',
    );
    assertBadRequest(await send({ title: 'X' }), 'items must be an array');
    assertBadRequest(await send(undefined), 'items is required');
    assert.equal(await countEvents(service), before);
    const results = await run(Array.from({ length: 100 }, (_, i) => ({ title: `R${i}` })));
    assert.ok(results.every((result) => result.status === 201));
    assert.deepEqual(
      results.map((result) => result.record?.title),
      Array.from({ length: 100 }, (_, i) => `R${i}`),
    );
  });

  it('400 for an item that is no object or of a wrong form', async () => {
    const odd: unknown[] = [null, 5, 'x', [], {}, { title: 5 }, { recordId: null, title: 'X' }];
    const more: unknown[] = [{ recordId: 5 }, { title: 'X', channelId: '' }, { title: 'X', kanbanId: 5 }];
    for (const result of await run([...odd, ...more])) {
      assert.deepEqual([result.status, result.code], [400, 'VALIDATION_FAILED']);
      assert.ok(result.message);
    }
  });

  it("another account's record is absent here too", async () => {
    const other = await service.createAccount();
    const theirs = await service.call('POST', '/crm/records', {
      token: other.token,
      body: { title: 'Theirs' },
    });
    const [result] = await run([{ recordId: theirs.body.recordId, title: 'Mine' }]);
    assert.equal(result?.status, 404);
    const still = await service.call('GET', `/crm/records/${theirs.body.recordId}`, { token: other.token });
    assert.equal(still.body.title, 'Theirs');
  });

  it('it counts as one request of the limits', async () => {
    const remaining = async (items: object[]) => Number((await send(items)).headers['x-ratelimit-remaining']);
    const first = await remaining([{ title: 'A' }]);
    const second = await remaining(Array.from({ length: 50 }, () => ({ title: 'B' })));
    assert.equal(first - second, 1);
  });

  it('repeated with its Idempotency-Key it answers the same and creates nothing more', async () => {
    const headers = { 'idempotency-key': 'batch-1' };
    const items = [{ title: 'Once' }, { title: '' }];
    const first = await send(items, undefined, { headers });
    const before = await countEvents(service);
    const second = await send(items, undefined, { headers });
    assert.equal(second.headers['idempotency-replayed'], 'true');
    assert.equal(second.text, first.text);
    assert.equal(await countEvents(service), before);
    assertRefused(await send([{ title: 'Other' }], undefined, { headers }), 422, 'IDEMPOTENCY_MISMATCH');
  });

  it('batches that name the same records in opposite orders do not hold each other up', async () => {
    const records = await Promise.all(
      Array.from({ length: 10 }, () => createRecord(service, kanban.id, { customFields: {} })),
    );
    const batch = (round: number) => {
      const items = records.map(({ recordId }, i) => ({
        recordId,
        customFields: { [field.fieldId]: round * 100 + i },
      }));
      const created = Array.from({ length: 10 }, (_, i) => ({ title: `Same ${i}`, channelId: 'opposite' }));
      return [...(round % 2 ? items : items.toReversed()), ...(round % 2 ? created : created.toReversed())];
    };
    const all = await Promise.all(Array.from({ length: 8 }, (_, round) => run(batch(round))));
    assert.ok(all.flat().every((result) => result.status === 200 || result.status === 201));
    assert.equal(all.flat().filter((result) => result.status === 201).length, 10);
    for (const { recordId } of records) {
      const sequences = (await eventsOf(service, recordId)).map((event) => event.sequence);
      assert.deepEqual(
        sequences,
        Array.from({ length: 9 }, (_, i) => i + 1),
      );
    }
  });
});
