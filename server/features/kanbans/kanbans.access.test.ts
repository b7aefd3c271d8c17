import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import {
  absentId,
  assertBadRequest,
  assertNotFound,
  color,
  createBatcher,
  createField,
  createKanban,
  createRecord,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('who sees which kanban', () => {
  let service: TestService;
  let operator: { id: string; jwt: string };
  let member: { id: string; jwt: string };
  before(async () => {
    service = await joinTestService();
    operator = await service.createUser('operator');
    member = await service.createUser('operator');
  });
  after(() => service.close());

  const putMembers = (id: string, userIds: unknown) =>
    service.call('PUT', `/kanbans/${id}/members`, { body: { userIds } });
  const closedBoard = async (body: object = {}) => {
    const kanban = await createKanban(service, body);
    await putMembers(kanban.id, [member.id]);
    return kanban;
  };
  const as =
    (token: string) =>
    (method: string, path: string, options: object = {}) =>
      service.call(method, path, { token, ...options });
  const idsOf = async (token: string, query: string) =>
    (await as(token)('GET', `/kanbans${query}`)).body.items.map((kanban: Kanban) => kanban.id) as string[];

  describe('members', () => {
    it('naming members answers the kanban with them, each once', async () => {
      const kanban = await createKanban(service);
      assert.deepEqual(kanban.memberIds, []);
      const { status, body } = await putMembers(kanban.id, [member.id, member.id]);
      assert.equal(status, 200);
      assert.deepEqual(body, { ...kanban, memberIds: [member.id], updatedAt: body.updatedAt });
      assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body, body);
    });

    it('an empty list opens the kanban to everyone again', async () => {
      const kanban = await closedBoard();
      assertNotFound(await as(operator.jwt)('GET', `/kanbans/${kanban.id}`));
      assert.deepEqual((await putMembers(kanban.id, [])).body.memberIds, []);
      assert.equal((await as(operator.jwt)('GET', `/kanbans/${kanban.id}`)).status, 200);
    });

    it('400 that names userIds for an unknown, malformed or foreign user, and nothing changes', async () => {
      const kanban = await closedBoard();
      const other = await service.createAccount();
      const stranger = (await as(other.jwt)('GET', '/auth/me')).body.user.id;
      for (const userIds of [[absentId], ['no-id'], [stranger], [member.id, stranger], [7], 'x', undefined]) {
        assertBadRequest(await putMembers(kanban.id, userIds), /^userIds/);
      }
      assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body.memberIds, [member.id]);
    });

    it('a deleted user is no longer named, and a board without its last member stays closed', async () => {
      const leaver = await service.createUser('operator');
      const kanban = await createKanban(service);
      await putMembers(kanban.id, [leaver.id]);
      // Read once, so that this process caches the member.
      assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body.memberIds, [leaver.id]);
      assert.equal((await service.call('DELETE', `/users/${leaver.id}`)).status, 200);
      assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body.memberIds, []);
      assertNotFound(await as(operator.jwt)('GET', `/kanbans/${kanban.id}`));
    });
  });

  describe('an operator', () => {
    it('is told of all boards, and with accessible=true of those open to them', async () => {
      const open = await createKanban(service);
      const closed = await closedBoard();
      assert.ok((await idsOf(operator.jwt, '?limit=100')).includes(closed.id));
      assert.ok((await idsOf(operator.jwt, '?limit=100&accessible=false')).includes(closed.id));
      const accessible = await idsOf(operator.jwt, '?limit=100&accessible=true');
      assert.ok(accessible.includes(open.id));
      assert.ok(!accessible.includes(closed.id));
      assert.ok((await idsOf(member.jwt, '?limit=100&accessible=true')).includes(closed.id));
    });

    it('does not find anything on a closed board: 404, or omitted from lists', async () => {
      const closed = await closedBoard({ name: 'Closed', statuses: [{ value: 's', label: 'S', color }] });
      const field = await createField(service, closed.id, 'text');
      await createBatcher(service, closed.id);
      const record = await createRecord(service, closed.id, { assignedUserIds: [operator.id] });
      const call = as(operator.jwt);
      const path = `/crm/records/${record.recordId}`;
      const absent = `/crm/records/${absentId}`;
      for (const [theirs, none] of [
        [await call('GET', `/kanbans/${closed.id}`), await call('GET', `/kanbans/${absentId}`)],
        [await call('GET', `/kanbans/${closed.slug}`), await call('GET', '/kanbans/no-slug')],
        [await call('GET', path), await call('GET', absent)],
        [
          await call('PUT', path, { body: { title: 'X' } }),
          await call('PUT', absent, { body: { title: 'X' } }),
        ],
        [await call('PUT', path, { body: {} }), await call('PUT', absent, { body: {} })],
        [await call('DELETE', path), await call('DELETE', absent)],
        [
          await call('POST', `/crm/records?kanbanId=${closed.id}`, { body: { title: 'X' } }),
          await call('POST', `/crm/records?kanbanId=${absentId}`, { body: { title: 'X' } }),
        ],
      ] as const) {
        assertNotFound(theirs);
        assert.deepEqual({ ...theirs.body, requestId: '' }, { ...none.body, requestId: '' });
      }
      const lists: [string, string][] = [
        [`/crm/records?kanbanId=${closed.id}`, 'items'],
        [`/crm/records?assignedUserId=${operator.id}`, 'items'],
        ['/crm/records?status=s', 'items'],
        [`/crm/fields?kanbanId=${closed.id}`, 'fields'],
        [`/crm/statuses?kanbanId=${closed.id}`, 'statuses'],
        [`/crm/field-groups?kanbanId=${closed.id}`, 'items'],
      ];
      for (const [query, member] of lists) {
        const answer = await call('GET', query);
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.body[member], [], query);
      }
      const all = (await call('GET', '/crm/fields?all=true')).body.fields as Field[];
      assert.ok(!all.some((one) => one.fieldId === field.fieldId));
      assert.deepEqual(await readRecord(service, record.recordId), record);
    });

    it('gets 404 for each batch item that touches a closed board', async () => {
      const closed = await closedBoard();
      const record = await createRecord(service, closed.id);
      const items = [
        { recordId: record.recordId, title: 'X' },
        { kanbanId: closed.id, title: 'X' },
      ];
      const { body } = await as(operator.jwt)('POST', '/crm/records/batch', { body: { items } });
      assert.deepEqual(
        body.results.map((result: { status: number }) => result.status),
        [404, 404],
      );
    });

    it('works on open boards and, as a member, on closed ones', async () => {
      const [open, closed] = [await createKanban(service), await closedBoard()];
      for (const [token, kanban] of [
        [operator.jwt, open],
        [member.jwt, open],
        [member.jwt, closed],
      ] as const) {
        const call = as(token);
        const made = await call('POST', `/crm/records?kanbanId=${kanban.id}`, { body: { title: 'Mine' } });
        assert.equal(made.status, 201);
        const path = `/crm/records/${made.body.recordId}`;
        assert.equal((await call('PUT', path, { body: { title: 'Still mine' } })).status, 200);
        assert.equal((await call('GET', path)).body.title, 'Still mine');
        assert.equal((await call('DELETE', path)).status, 200);
      }
    });

    it('sees in the list of all records only those of open boards, page by page', async () => {
      const other = await service.createAccount();
      const person = await service.createUser('operator', other.jwt);
      const call = as(other.jwt);
      const hidden = (await call('POST', '/kanbans', { body: { name: 'Hidden' } })).body as Kanban;
      const owner = (await call('GET', '/auth/me')).body.user.id;
      await call('PUT', `/kanbans/${hidden.id}/members`, { body: { userIds: [owner] } });
      for (let i = 0; i < 12; i++) {
        const query = i % 3 === 0 ? `?kanbanId=${hidden.id}` : '';
        await call('POST', `/crm/records${query}`, { body: { title: `R${i}` } });
      }
      const seen: string[] = [];
      let next = '';
      do {
        const { body } = await as(person.jwt)('GET', `/crm/records?limit=3${next}`);
        seen.push(...body.items.map((record: CrmRecord) => record.title));
        next = body.nextToken ? `&nextToken=${body.nextToken}` : '';
      } while (next);
      assert.deepEqual(seen, ['R11', 'R10', 'R8', 'R7', 'R5', 'R4', 'R2', 'R1']);
    });

    it('finds no default board when that one is closed: 404 for a create without kanbanId', async () => {
      const other = await service.createAccount();
      const person = await service.createUser('operator', other.jwt);
      const [board] = (await as(other.jwt)('GET', '/kanbans')).body.items;
      const owner = (await as(other.jwt)('GET', '/auth/me')).body.user.id;
      await as(other.jwt)('PUT', `/kanbans/${board.id}/members`, { body: { userIds: [owner] } });
      assertNotFound(
        await as(person.jwt)('POST', '/crm/records', { body: { title: 'X' } }),
        'kanban not found',
      );
      assert.deepEqual((await as(person.jwt)('GET', '/crm/fields')).body.fields, []);
    });
  });

  it('administrators and tokens see closed boards, with accessible=true too', async () => {
    const closed = await closedBoard();
    for (const token of [service.admin.jwt, service.token]) {
      assert.ok((await idsOf(token, '?limit=100&accessible=true')).includes(closed.id));
      assert.equal((await as(token)('GET', `/kanbans/${closed.id}`)).status, 200);
    }
  });

  describe('a membership that ends on another process', () => {
    it('ends here at once: no change, no look through an idle change or a duplicate, no delete', async () => {
      const second = await service.startSecond();
      try {
        const kanban = await closedBoard();
        await putMembers(kanban.id, [member.id, operator.id]);
        const record = await createRecord(service, kanban.id, { title: 'Secret', channelId: 'c' });
        const path = `/crm/records/${record.recordId}`;
        const attempts: [string, string, object?][] = [
          ['GET', path],
          ['PUT', path, {}],
          ['PUT', path, { title: 'Theirs' }],
          ['POST', `/crm/records?kanbanId=${kanban.id}`, { title: 'Secret', channelId: 'c' }],
          ['DELETE', path],
        ];
        for (const [method, url, body] of attempts) {
          await putMembers(kanban.id, [member.id, operator.id]);
          // Fills the second process's cache with definitions in which the operator is a member.
          const known = await second.call('PUT', path, { token: operator.jwt, body: {} });
          assert.equal(known.status, 200);
          await putMembers(kanban.id, [member.id]);
          assertNotFound(await second.call(method, url, { token: operator.jwt, body }));
        }
        assert.deepEqual(await readRecord(service, record.recordId), record);
      } finally {
        await second.close();
      }
    });
  });

  describe('rights', () => {
    it('a role that manages boards and fields does so only on boards that are open to its people', async () => {
      const role = await service.call('POST', '/roles', {
        token: service.admin.jwt,
        body: { name: 'Boards', permissions: ['boards.manage', 'fields.manage'] },
      });
      const person = await service.createUser('operator');
      const given = await service.call('PATCH', `/users/${person.id}`, {
        token: service.admin.jwt,
        body: { roleId: role.body.id },
      });
      assert.equal(given.status, 200, given.text);
      const kanban = await closedBoard();
      const field = await createField(service, kanban.id, 'text');
      const query = `?kanbanId=${kanban.id}`;
      const group = await service.call('POST', `/crm/field-groups${query}`, { body: { name: 'Group' } });
      const ofBoard: [string, string, object?][] = [
        ['PATCH', `/kanbans/${kanban.id}`, { name: 'X' }],
        ['PUT', `/kanbans/${kanban.id}/statuses`, { statuses: [{ label: 'X', color }] }],
        ['PUT', `/kanbans/${kanban.id}/members`, { userIds: [person.id] }],
        ['POST', `/crm/fields${query}`, { name: 'X', type: 'text' }],
        ['PATCH', `/crm/fields/${field.fieldId}`, { name: 'X' }],
        ['DELETE', `/crm/fields/${field.fieldId}`],
        ['POST', `/crm/field-groups${query}`, { name: 'X' }],
        ['PATCH', `/crm/field-groups/${group.body.id}`, { name: 'X' }],
        ['DELETE', `/crm/field-groups/${group.body.id}`],
        ['DELETE', `/kanbans/${kanban.id}`],
      ];
      const read = async () => (await service.call('GET', `/kanbans/${kanban.id}`)).body;
      const before = await read();
      for (const [method, path, body] of ofBoard) {
        assertNotFound(await as(person.jwt)(method, path, { body }));
      }
      assert.deepEqual(await read(), before);
      await putMembers(kanban.id, [person.id]);
      for (const [method, path, body] of ofBoard) {
        const { status, text } = await as(person.jwt)(method, path, { body });
        assert.ok(status === 200 || status === 201, `${method} ${path}: ${text}`);
      }
      // Whoever may see a board may also close it to themselves.
      const open = await createKanban(service);
      const path = `/kanbans/${open.id}/members`;
      const closed = await as(person.jwt)('PUT', path, { body: { userIds: [member.id] } });
      assert.deepEqual([closed.status, closed.body.memberIds], [200, [member.id]]);
      assertNotFound(await as(person.jwt)('PUT', path, { body: { userIds: [] } }));
    });
  });
});
