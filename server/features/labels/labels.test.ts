import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { importCsv } from '../../../test/support/import.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('labels', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const create = (body: object, token?: string) => call('POST', '/labels', { body, ...(token && { token }) });
  const label = async (body: object = {}) => talk.expect(201, create({ name: unique('label'), ...body }));
  const conversation = async () => {
    const sessionId = unique('labelled');
    await talk.accepted({ sessionId });
    return sessionId;
  };
  const patch = (sessionId: string, body: object) => call('PATCH', `/sessions/${sessionId}`, { body });

  it('are created by administrators, read by everyone, changed and deleted, each in the audit log', async () => {
    const operator = await service.createUser('operator');
    const made = await talk.expect(201, create({ name: '  VIP ', color: 'purple' }));
    assert.deepEqual([made.name, made.color, made.description], ['VIP', 'purple', '']);
    assert.equal((await create({ name: 'Mine' }, operator.jwt)).status, 403);
    const list = await talk.expect(200, call('GET', '/labels', { token: operator.jwt }));
    assert.deepEqual(list, { items: [made], nextToken: null });
    const path = `/labels/${made.id}`;
    const changed = await talk.expect(200, call('PATCH', path, { body: { description: 'Answer first' } }));
    assert.deepEqual([changed.name, changed.color, changed.description], ['VIP', 'purple', 'Answer first']);
    assert.deepEqual((await call('GET', path)).body, changed);
    const other = await service.createAccount();
    assert.equal((await call('GET', path, { token: other.token })).status, 404);
    assert.equal((await call('DELETE', path, { token: other.token })).status, 404);
    await talk.expect(200, call('DELETE', path));
    assert.equal((await call('GET', path)).status, 404);
    const log = await talk.expect(
      200,
      call('GET', '/audit-log?targetType=label', { token: service.admin.jwt }),
    );
    assert.deepEqual(
      log.items.map((one: { action: string }) => one.action),
      ['label.deleted', 'label.updated', 'label.created'],
    );
  });

  it('have unique names and colors of the palette', async () => {
    const { name } = await label();
    const taken = await create({ name: name.toUpperCase() });
    assert.deepEqual([taken.status, taken.body.message], [409, 'name is already in use']);
    const blank = await create({ name: ' ' });
    assert.deepEqual([blank.status, blank.body.message], [400, 'name is required']);
    const color = await create({ name: 'Loud', color: '#ff0000' });
    assert.equal(color.status, 400);
    assert.match(color.body.message, /^color must be/);
  });

  it('are set on a conversation, with its history, and found by any of them', async () => {
    const [a, b, c] = [await label(), await label(), await label()];
    const sessionId = await conversation();
    const other = await conversation();
    assert.deepEqual((await talk.session(sessionId)).labelIds, []);
    const both = await talk.expect(200, patch(sessionId, { labelIds: [b.id, a.id] }));
    assert.deepEqual(both.labelIds, [a.id, b.id]);
    const one = await talk.expect(200, patch(sessionId, { addLabelIds: [c.id], removeLabelIds: [a.id] }));
    assert.deepEqual(one.labelIds, [b.id, c.id]);
    await talk.expect(200, patch(sessionId, { addLabelIds: [c.id] }));
    const { items } = await talk.expect(200, call('GET', `/sessions/${sessionId}/changes`));
    assert.deepEqual(
      items.map((entry: { changes: object[] }) => entry.changes),
      [
        [{ field: 'labelIds', oldValue: [a.id, b.id], newValue: [b.id, c.id] }],
        [{ field: 'labelIds', oldValue: [], newValue: [a.id, b.id] }],
      ],
    );
    await talk.expect(200, patch(other, { addLabelIds: [a.id] }));
    const found = async (...ids: string[]) =>
      (await talk.expect(200, call('GET', `/sessions?label=${ids.join(',')}`))).items
        .map((session: { sessionId: string }) => session.sessionId)
        .sort();
    assert.deepEqual(await found(a.id, c.id), [sessionId, other].sort());
    assert.deepEqual(await found(c.id), [sessionId]);
    assert.deepEqual(await found('nothing'), []);
    // Messages leave them alone.
    await talk.accepted({ sessionId });
    assert.deepEqual((await talk.session(sessionId)).labelIds, [b.id, c.id]);
  });

  it('400 for labels that do not exist, and for two ways at once', async () => {
    const sessionId = await conversation();
    const mine = await label();
    const stranger = await service.createAccount();
    const theirs = await talk.expect(201, create({ name: 'Theirs' }, stranger.token));
    for (const id of [theirs.id, 'x', '']) {
      const answer = await patch(sessionId, { addLabelIds: [id] });
      assert.deepEqual(
        [answer.status, answer.body.message],
        [400, `addLabelIds has an unknown label: ${id}`],
      );
    }
    assert.equal((await patch(sessionId, { labelIds: [mine.id], removeLabelIds: [] })).status, 400);
    const record = await call('POST', '/crm/records', { body: { title: 'x', labelIds: [theirs.id] } });
    assert.deepEqual(
      [record.status, record.body.message],
      [400, `labelIds has an unknown label: ${theirs.id}`],
    );
  });

  it('are set on many conversations at once, and undone exactly', async () => {
    const [a, b] = [await label(), await label()];
    const ids = [await conversation(), await conversation()];
    await talk.expect(200, patch(ids[0]!, { labelIds: [a.id] }));
    const bulk = (body: object) => call('POST', '/sessions/bulk', { body: { sessionIds: ids, ...body } });
    const done = await talk.expect(200, bulk({ change: { addLabelIds: [a.id, b.id] } }));
    const labelsOf = (results: { session: { labelIds: string[] } }[]) =>
      results.map((one) => one.session.labelIds);
    assert.deepEqual(labelsOf(done.results), [
      [a.id, b.id],
      [a.id, b.id],
    ]);
    const previous = done.results.map((one: { previous: { labelIds: string[] } }) => one.previous.labelIds);
    assert.deepEqual(previous, [[a.id], []]);
    await talk.expect(200, patch(ids[1]!, { removeLabelIds: [b.id] }));
    const undone = await talk.expect(
      200,
      bulk({ change: { labelIds: [a.id] }, expected: { labelIds: [b.id, a.id] } }),
    );
    assert.deepEqual(
      undone.results.map((one: { status: number; message?: string }) => [one.status, one.message]),
      [
        [200, undefined],
        [409, 'labelIds has changed meanwhile'],
      ],
    );
    const unknown = await talk.expect(200, bulk({ change: { addLabelIds: ['x'] } }));
    assert.deepEqual(
      unknown.results.map((one: { status: number }) => one.status),
      [400, 400],
    );
  });

  it('are set on records, which filters find by them', async () => {
    const [a, b] = [await label(), await label()];
    const body = { title: unique('Card'), labelIds: [b.id, a.id] };
    const record = await talk.expect(201, call('POST', '/crm/records', { body }));
    assert.deepEqual(record.labelIds, [a.id, b.id]);
    const path = `/crm/records/${record.recordId}`;
    assert.deepEqual((await call('GET', path)).body.labelIds, [a.id, b.id]);
    const change = await talk.expect(200, call('PUT', path, { body: { removeLabelIds: [a.id] } }));
    assert.deepEqual(change.labelIds, [b.id]);
    const found = async (condition: object) => {
      const filter = encodeURIComponent(JSON.stringify({ field: 'labelIds', ...condition }));
      const { items } = await talk.expect(200, call('GET', `/crm/records?filter=${filter}&limit=100`));
      return items.some((one: { recordId: string }) => one.recordId === record.recordId);
    };
    assert.equal(await found({ op: 'anyOf', value: [a.id, b.id] }), true);
    assert.equal(await found({ op: 'contains', value: a.id }), false);
    assert.equal(await found({ op: 'noneOf', value: [b.id] }), false);
    assert.equal(await found({ op: 'empty' }), false);
    const dry = await call('PUT', path, {
      body: { labelIds: [] },
      headers: { 'x-dry-run': 'events' },
    });
    assert.match(JSON.stringify(dry.body), /labelIds/);
  });

  it('a deleted label leaves its conversations and records in the background', async () => {
    const gone = await label();
    const sessionId = await conversation();
    await talk.expect(200, patch(sessionId, { labelIds: [gone.id] }));
    const { recordId } = await talk.expect(
      201,
      call('POST', '/crm/records', { body: { title: unique('Card'), labelIds: [gone.id] } }),
    );
    const usage = await talk.expect(200, call('GET', `/labels/${gone.id}/usage`));
    assert.deepEqual(usage, { sessions: 1, records: 1 });
    await talk.expect(200, call('DELETE', `/labels/${gone.id}`));
    await eventually(async () => {
      const [session, record] = [
        await talk.session(sessionId),
        (await call('GET', `/crm/records/${recordId}`)).body,
      ];
      return session.labelIds.length + record.labelIds.length === 0;
    });
    const { items } = await talk.expect(200, call('GET', `/sessions/${sessionId}/changes`));
    assert.deepEqual(items[0].changes, [{ field: 'labelIds', oldValue: [gone.id], newValue: [] }]);
  });

  it('a deleted label leaves more records than one batch has', async () => {
    const gone = await label();
    const rows = Array.from({ length: 201 }, (_, index) => `${unique('Card')} ${index},${gone.name}`);
    const { summary } = await importCsv(service, ['title,labelNames', ...rows].join('\n'));
    assert.equal(summary.created, 201);
    const usage = await talk.expect(200, call('GET', `/labels/${gone.id}/usage`));
    assert.deepEqual(usage, { sessions: 0, records: 201 });
    await talk.expect(200, call('DELETE', `/labels/${gone.id}`));
    const labelled = () =>
      service.context.db.query(sql`select from records where label_ids @> array[${gone.id}::uuid]`);
    await eventually(async () => (await labelled()).length === 0);
  });
});
