import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import {
  absentId,
  assertBadRequest,
  assertNotFound,
  assertRefused,
  color,
  countEvents,
  createField,
  createKanban,
  createRecord,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('records', () => {
  let service: TestService;
  let kanban: Kanban;
  let standard: Kanban;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service, {
      statuses: [
        { value: 'open', label: 'Open', color },
        { value: 'won', label: 'Won', color },
      ],
    });
    standard = (await service.call('GET', '/kanbans')).body.items.find((one: Kanban) => one.isDefault);
  });
  after(() => service.close());

  const create = (body: unknown, query = '') => service.call('POST', `/crm/records${query}`, { body });

  describe('creating', () => {
    it('201 the created record: default kanban, first status, empty lists, who and when', async () => {
      const { status, body } = await create({ title: ' Ada ' });
      assert.equal(status, 201);
      assert.deepEqual(body, {
        recordId: body.recordId,
        accountId: service.admin.accountId,
        kanbanId: standard.id,
        title: 'Ada',
        status: standard.statuses[0]!.value,
        customFields: {},
        assignedUserIds: [],
        labelIds: [],
        channelId: null,
        createdBy: body.createdBy,
        updatedBy: body.createdBy,
        createdAt: body.createdAt,
        updatedAt: body.createdAt,
        clientId: null,
      });
      assert.ok(Math.abs(body.createdAt - Date.now()) < 60_000, 'createdAt is now in ms');
      assert.deepEqual(await readRecord(service, body.recordId), body);
    });

    it('the id that the client gave is returned by every way to create and to read', async () => {
      const board = await createKanban(service);
      const query = `?kanbanId=${board.id}`;
      const given = ['one', 'two', 'with"quotes\\', null].map((clientId) => ({
        title: String(clientId),
        ...(clientId !== null && { clientId }),
      }));
      // At the same time: plain creates share a statement.
      const created = await Promise.all(given.map((body) => create(body, query)));
      created.push(await create({ title: 'duplicate', channelId: 'c', clientId: 'three' }, query));
      created.push(await create({ title: 'Duplicate', channelId: 'c', clientId: 'four' }, query));
      const batch = await service.call('POST', `/crm/records/batch${query}`, {
        body: {
          items: [
            { title: 'batch', clientId: 'five' },
            { title: 'batch', clientId: 'not visible' },
          ],
        },
      });
      const idsOf = (records: { title: string; clientId: string }[]) =>
        Object.fromEntries(records.map(({ title, clientId }) => [title, clientId]));
      const expected = {
        one: 'one',
        two: 'two',
        'with"quotes\\': 'with"quotes\\',
        null: null,
        duplicate: 'three',
      };
      assert.deepEqual(idsOf(created.map(({ body }) => body)), expected);
      assert.deepEqual(
        batch.body.results.map((one: { status: number; record?: { clientId: string } }) => [
          one.status,
          one.record?.clientId,
        ]),
        [
          [201, 'five'],
          [400, undefined],
        ],
      );
      const all = { ...expected, batch: 'five' };
      assert.deepEqual(idsOf((await service.call('GET', `/crm/records${query}`)).body.items), all);
      assert.deepEqual(idsOf((await service.call('GET', `/kanbans/${board.id}/cards`)).body.items), all);
      const changed = await service.call('PUT', `/crm/records/${created[0]!.body.recordId}`, {
        body: { title: 'other', clientId: 'other' },
      });
      assert.deepEqual([changed.body.title, changed.body.clientId], ['other', 'one']);
    });

    it('everything given is kept, on the kanban that the query names', async () => {
      const field = await createField(service, kanban.id, 'text');
      const user = await service.createUser('operator');
      const given = {
        title: 'Grace',
        status: 'won',
        customFields: { [field.fieldId]: 'x' },
        assignedUserIds: [user.id, service.admin.userId],
        channelId: 'any string at all',
      };
      const { status, body } = await create(given, `?kanbanId=${kanban.id}`);
      assert.equal(status, 201);
      assert.deepEqual({ ...body, ...given, kanbanId: kanban.id }, body);
      assert.deepEqual(await readRecord(service, body.recordId), body);
    });

    it('a token signs with its id, a user with theirs', async () => {
      const own = await service.createToken(service.admin.jwt);
      const byToken = await service.call('POST', '/crm/records', { token: own.token, body: { title: 'A' } });
      assert.equal(byToken.body.createdBy, own.id);
      const byUser = await service.call('POST', '/crm/records', {
        token: service.admin.jwt,
        body: { title: 'A' },
      });
      assert.equal(byUser.body.createdBy, service.admin.userId);
    });

    it('400 title is required: missing, empty or blank', async () => {
      for (const body of [{}, { title: '' }, { title: ' \t\n\u00a0\u3000' }, { status: 'open' }]) {
        assertBadRequest(await create(body), 'title is required');
      }
    });

    it('a title has 1 to 1,000 characters after trimming, counted as code points', async () => {
      for (const title of ['x', 'x'.repeat(1_000), '😀'.repeat(1_000), `  ${'x'.repeat(1_000)}  `]) {
        const { status, body } = await create({ title });
        assert.equal(status, 201);
        assert.equal(body.title, title.trim());
      }
      for (const title of ['x'.repeat(1_001), '😀'.repeat(1_001)]) {
        assertBadRequest(await create({ title }), 'title must have at most 1000 characters');
      }
    });

    it('control characters other than NUL are kept; %, _, \\ and quotes are just characters', async () => {
      const title = 'a\u0001\u001b\u007f\r\nb%_\\\'"<script>\u202e\ufeff.';
      const { body } = await create({ title });
      assert.equal(body.title, title);
      assert.equal((await readRecord(service, body.recordId)).title, title);
    });

    it('400 that names the field for what cannot be stored faithfully, and nothing is stored', async () => {
      const before = await countEvents(service);
      assertBadRequest(await create('{"title":"a\\u0000b"}'), /^title contains a NUL character$/);
      assertBadRequest(await create('{"title":"a\\ud800"}'), /^title contains an unpaired surrogate$/);
      assertBadRequest(await create('{"title":"x","channelId":"\\u0000"}'), /^channelId contains a NUL/);
      assertBadRequest(await create(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), /UTF-8/);
      assertBadRequest(await create(`{"title":"x","customFields":${'['.repeat(40)}${']'.repeat(40)}}`));
      assert.equal(await countEvents(service), before);
    });

    it('unknown properties of the body are ignored', async () => {
      const { status, body } = await create({
        title: 'X',
        recordId: absentId,
        kanbanId: kanban.id,
        extra: 1,
      });
      assert.equal(status, 201);
      assert.notEqual(body.recordId, absentId);
      assert.equal(body.kanbanId, standard.id);
      assert.ok(!('extra' in body));
    });

    it('400 that names the field for a wrong type or an unknown value', async () => {
      const before = await countEvents(service);
      const cases: [object, RegExp][] = [
        [{ title: 7 }, /^title must be a string$/],
        [{ title: null }, /^title must be a string$/],
        [{ title: 'X', status: 'nowhere' }, /^status must be one of open, won$/],
        [{ title: 'X', status: '' }, /^status must be one of open, won$/],
        [{ title: 'X', status: 'OPEN' }, /^status must be one of open, won$/],
        [{ title: 'X', status: null }, /^status must be a string$/],
        [{ title: 'X', customFields: [] }, /^customFields must be an object$/],
        [{ title: 'X', customFields: null }, /^customFields must be an object$/],
        [{ title: 'X', customFields: { nope: 1 } }, /^customFields\.nope /],
        [{ title: 'X', customFields: { nope: null } }, /^customFields\.nope /],
        [{ title: 'X', assignedUserIds: 'x' }, /^assignedUserIds must be an array$/],
        [{ title: 'X', assignedUserIds: [absentId] }, /^assignedUserIds has an unknown user/],
        [{ title: 'X', assignedUserIds: ['no-id'] }, /^assignedUserIds has an unknown user/],
        [{ title: 'X', channelId: 5 }, /^channelId must be a string or null$/],
        [{ title: 'X', channelId: 'x'.repeat(256) }, /^channelId must have at most 255 characters$/],
      ];
      for (const [body, message] of cases) {
        assertBadRequest(await create(body, `?kanbanId=${kanban.id}`), message);
      }
      assert.equal(await countEvents(service), before);
    });

    it("400 for another account's user, and for a field of another kanban", async () => {
      const other = await service.createAccount();
      const stranger = (await service.call('GET', '/auth/me', { token: other.jwt })).body.user.id;
      assertBadRequest(await create({ title: 'X', assignedUserIds: [stranger] }), /^assignedUserIds/);
      const field = await createField(service, kanban.id, 'text');
      assertBadRequest(await create({ title: 'X', customFields: { [field.fieldId]: 'x' } }), /^customFields/);
    });

    it('404 for an unknown, malformed or foreign kanbanId', async () => {
      const other = await service.createAccount();
      const [theirs] = (await service.call('GET', '/kanbans', { token: other.token })).body.items;
      for (const id of [absentId, 'no-id', kanban.slug, theirs.id]) {
        assertNotFound(await create({ title: 'X' }, `?kanbanId=${id}`), 'kanban not found');
      }
    });

    it('an assigned user is kept once, however often named', async () => {
      const { userId } = service.admin;
      assert.deepEqual(
        (await create({ title: 'X', assignedUserIds: [userId, userId] })).body.assignedUserIds,
        [userId],
      );
    });

    it('415 for a body that is no JSON, 400 for a broken or missing one', async () => {
      const text = { body: 'title=X', headers: { 'content-type': 'text/plain' } };
      assertRefused(await service.call('POST', '/crm/records', text), 415, 'UNSUPPORTED_MEDIA_TYPE');
      assertBadRequest(await create('{"title":'), 'body is not valid JSON');
      assertBadRequest(await service.call('POST', '/crm/records'), 'body is required');
      assertBadRequest(await create('"X"'), 'body must be a JSON object');
    });
  });

  describe('duplicates', () => {
    const duplicate = (title: string, channelId: string | null, more: object = {}, kanbanId = kanban.id) =>
      create({ title, channelId, ...more }, `?kanbanId=${kanbanId}`);

    it('the same channelId and title, trimmed and without regard to case: 200, alreadyExists, no event', async () => {
      const first = (await duplicate('Ärzte Straße', 'dup')).body;
      assert.ok(!('alreadyExists' in first));
      const before = await countEvents(service);
      for (const title of ['Ärzte Straße', '  ärzte STRAßE ', 'ÄRZTE straße']) {
        const again = await duplicate(title, 'dup', { status: 'won' });
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, { ...first, alreadyExists: true });
      }
      assert.equal(await countEvents(service), before);
      assert.deepEqual(await readRecord(service, first.recordId), first);
    });

    it('another channelId, title or kanban, or none: 201', async () => {
      const elsewhere = await createKanban(service);
      assert.equal((await duplicate('Same', 'one')).status, 201);
      assert.equal((await duplicate('Same', 'two')).status, 201);
      assert.equal((await duplicate('Same', 'ONE')).status, 201);
      assert.equal((await duplicate('Same!', 'one')).status, 201);
      assert.equal((await duplicate('Same', 'one', {}, elsewhere.id)).status, 201);
      assert.equal((await duplicate('Same', null)).status, 201);
      assert.equal((await duplicate('Same', null)).status, 201);
    });

    it("another account's record is no duplicate", async () => {
      const other = await service.createAccount();
      const body = { title: 'Shared', channelId: 'c' };
      assert.equal((await create(body)).status, 201);
      assert.equal((await service.call('POST', '/crm/records', { token: other.token, body })).status, 201);
    });

    it('only live records count: 201 after a delete', async () => {
      const first = (await duplicate('Gone', 'c')).body;
      await service.call('DELETE', `/crm/records/${first.recordId}`);
      assert.equal((await duplicate('Gone', 'c')).status, 201);
    });

    it('the title that counts is the present one', async () => {
      const first = (await duplicate('Before', 'c')).body;
      await service.call('PUT', `/crm/records/${first.recordId}`, { body: { title: 'After' } });
      assert.equal((await duplicate('Before', 'c')).status, 201);
      assert.equal((await duplicate('after', 'c')).body.recordId, first.recordId);
    });

    it('an invalid create is a 400 even if there is a duplicate', async () => {
      await duplicate('Judged', 'c');
      assertBadRequest(await duplicate('Judged', 'c', { status: 'nowhere' }), /^status/);
    });
  });

  describe('deleting', () => {
    it('200 with a message; then the record is absent', async () => {
      const record = await createRecord(service, kanban.id);
      const { status, body } = await service.call('DELETE', `/crm/records/${record.recordId}`);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body), ['message']);
      assert.equal(typeof body.message, 'string');
      for (const method of ['GET', 'DELETE']) {
        assertNotFound(await service.call(method, `/crm/records/${record.recordId}`), 'record not found');
      }
    });
  });
});
