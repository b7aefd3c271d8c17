/** Who owns a token, what that allows, and when it is revoked. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertBadRequest, assertNotFound, assertRefused, createKanban } from '../../../test/support/crm.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { aSecondLater } from '../../../test/support/later.ts';
import {
  allScopes,
  type Json,
  joinTestService,
  password,
  type TestService,
} from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

describe('whom an API token belongs to', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    service = await joinTestService();
    second = await service.startSecond();
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const create = (token: string, body: object = {}) =>
    service.call('POST', '/api-tokens', { token, body: { name: 'made', scopes: allScopes, ...body } });
  const listed = async (id: string, query = '') =>
    (
      await service.call('GET', `/api-tokens?limit=100${query}`, { token: service.admin.jwt })
    ).body.items.find((item: Json) => item.id === id);
  const transfer = (id: string, body: object, token = service.admin.jwt) =>
    service.call('POST', `/api-tokens/${id}/transfer`, { token, body });
  const remove = (userId: string) => service.call('DELETE', `/users/${userId}`, { token: service.admin.jwt });
  const works = async (token: string, call = service.call) =>
    (await call('GET', '/account', { token })).status === 200;

  it('createdBy names the user, also for a token made by a token of theirs', async () => {
    const maker = await service.createUser('admin');
    const made = await create(maker.jwt);
    assert.equal(made.status, 201);
    const { name } = (await service.call('GET', '/auth/me', { token: maker.jwt })).body.user;
    assert.deepEqual(made.body.createdBy, { id: maker.id, name });
    const child = await create(made.body.token);
    const grandchild = await create(child.body.token);
    assert.equal(grandchild.status, 201);
    for (const { body } of [made, child, grandchild]) {
      assert.deepEqual(body.createdBy, { id: maker.id, name });
      assert.deepEqual((await listed(body.id)).createdBy, { id: maker.id, name });
      assert.ok(await listed(body.id, `&userId=${maker.id}`));
      assert.equal(await listed(body.id, `&userId=${service.admin.userId}`), undefined);
    }
    assert.deepEqual((await service.call('GET', '/api-tokens?userId=nobody')).body.items, []);
  });

  it('tokens end with their user within a second, in every process, and the log names each', async (t) => {
    const maker = await service.createUser('admin');
    const own = (await create(maker.jwt, { name: 'Of the one who leaves' })).body;
    const child = (await create(own.token)).body;
    for (const { token } of [own, child])
      assert.ok((await works(token)) && (await works(token, second.call)));
    assert.equal((await remove(maker.id)).status, 200);
    for (const { token } of [own, child]) assert.ok(!(await works(token)), 'at once where it was removed');
    await aSecondLater(t, async () => {
      for (const { token } of [own, child]) assert.ok(!(await works(token, second.call)));
    });
    const { body } = await service.call('GET', '/audit-log?action=api_token.deleted&limit=2');
    assert.deepEqual(body.items.map((item: Json) => item.target.id).sort(), [own.id, child.id].sort());
    assert.ok(body.items.some((item: Json) => item.changes.name.from === 'Of the one who leaves'));
  });

  it('a token that was transferred before goes on', async () => {
    const [maker, heir] = [await service.createUser('admin'), await service.createUser('admin')];
    const made = (await create(maker.jwt)).body;
    const { token: _secret, ...shown } = made;
    const answer = await transfer(made.id, { userId: heir.id });
    const name = (await service.call('GET', '/auth/me', { token: heir.jwt })).body.user.name;
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { ...shown, createdBy: { id: heir.id, name } });
    const [entry] = (await service.call('GET', '/audit-log?limit=1')).body.items;
    assert.deepEqual([entry.action, entry.target.id], ['api_token.transferred', made.id]);
    assert.deepEqual(entry.changes, { userId: { from: maker.id, to: heir.id } });
    await remove(maker.id);
    assert.ok(await works(made.token));
    await remove(heir.id);
    assert.ok(!(await works(made.token)));
  });

  it('a transfer to nobody is a 400 that names userId, of nothing a 404; neither changes anything', async () => {
    const maker = await service.createUser('admin');
    const made = (await create(maker.jwt)).body;
    const other = await service.createAccount();
    const stranger = (await service.call('GET', '/auth/me', { token: other.jwt })).body.user.id;
    for (const userId of [newId(), 'x', '', stranger, made.id, maker.id.toUpperCase()]) {
      assertBadRequest(await transfer(made.id, { userId }), /^userId is not a user of this account/);
    }
    for (const body of [{}, { userId: null }, { userId: 7 }, { userId: [maker.id] }]) {
      assertBadRequest(await transfer(made.id, body), /^userId /);
    }
    for (const id of [newId(), 'x', (await create(other.jwt)).body.id]) {
      assertNotFound(await transfer(id, { userId: maker.id }), 'token not found');
    }
    assert.equal((await listed(made.id)).createdBy.id, maker.id);
    const operator = await service.createUser('operator');
    assertRefused(await transfer(made.id, { userId: operator.id }, operator.jwt), 403, 'FORBIDDEN');
  });

  it('403 for a token that grants scopes that it lacks; those that it has it may grant', async () => {
    const narrow = (await create(service.admin.jwt, { scopes: ['manage', 'crm:read'] })).body.token;
    const count = async () => (await service.call('GET', '/api-tokens?limit=100')).body.items.length;
    const before = await count();
    for (const scopes of [['crm:write'], ['crm:read', 'notes:write'], allScopes, undefined]) {
      const answer = await create(narrow, { scopes });
      assertRefused(answer, 403, 'FORBIDDEN', /^the token cannot grant scopes that it lacks: /);
      assert.ok(!answer.body.message.includes('crm:read'));
    }
    assert.equal(await count(), before);
    for (const scopes of [['crm:read'], ['manage'], ['manage', 'crm:read']]) {
      const made = await create(narrow, { scopes });
      assert.deepEqual([made.status, made.body.scopes], [201, scopes]);
    }
  });

  it('403 for a token that ends and creates one that ends later; by default both end together', async () => {
    const expiresAt = Date.now() + 3_600_000;
    const ending = (await create(service.admin.jwt, { expiresAt })).body.token;
    for (const later of [null, expiresAt + 1]) {
      const answer = await create(ending, { expiresAt: later });
      assertRefused(answer, 403, 'FORBIDDEN', /^expiresAt cannot be later than the end of the token/);
    }
    assert.equal((await create(ending)).body.expiresAt, expiresAt);
    assert.equal((await create(ending, { expiresAt: expiresAt - 1 })).body.expiresAt, expiresAt - 1);
    assert.equal((await create(service.token)).body.expiresAt, null);
  });

  it('403 for a token that transfers a token with scopes that it lacks', async () => {
    const narrow = (await create(service.admin.jwt, { scopes: ['manage', 'crm:read'] })).body.token;
    const [wide, same] = [
      (await create(service.admin.jwt)).body,
      (await create(service.admin.jwt, { scopes: ['crm:read'] })).body,
    ];
    const heir = await service.createUser('admin');
    const refused = await transfer(wide.id, { userId: heir.id }, narrow);
    assertRefused(refused, 403, 'FORBIDDEN', /^the token cannot grant scopes that it lacks: /);
    assert.equal((await listed(wide.id)).createdBy.id, service.admin.userId);
    assert.equal((await transfer(same.id, { userId: heir.id }, narrow)).status, 200);
  });

  it("403 for a token that creates or promotes an administrator, or sets an administrator's password", async () => {
    const [operator, colleague] = [await service.createUser('operator'), await service.createUser('admin')];
    const email = `by-token-${newId()}@example.com`;
    const user = { email, name: 'By a token', password };
    const change = (id: string, body: object, token = service.token) =>
      service.call('PATCH', `/users/${id}`, { token, body });
    const created = await service.call('POST', '/users', { body: { ...user, role: 'admin' } });
    assertRefused(created, 403, 'FORBIDDEN', /^a token cannot create administrators/);
    assertRefused(await change(operator.id, { role: 'admin' }), 403, 'FORBIDDEN', /^a token cannot promote/);
    assertRefused(
      await change(colleague.id, { password: 'another horse battery' }),
      403,
      'FORBIDDEN',
      /^a token cannot set an administrator's password/,
    );
    assert.equal((await service.call('GET', '/auth/me', { token: colleague.jwt })).status, 200);
    const roles = (await service.call('GET', '/users?limit=100')).body.items;
    assert.equal(roles.find((one: Json) => one.id === operator.id).role, 'operator');
    assert.ok(!roles.some((one: Json) => one.email === email));
    // What a token can still do, and everything for a signed-in administrator.
    assert.equal((await service.call('POST', '/users', { body: { ...user, role: 'operator' } })).status, 201);
    assert.equal((await change(colleague.id, { role: 'admin', name: 'Same role' })).status, 200);
    assert.equal((await change(operator.id, { password: 'another horse battery' })).status, 200);
    assert.equal((await change(operator.id, { role: 'admin' }, service.admin.jwt)).status, 200);
  });

  it('while its user is an operator, a token does not manage and sees only the boards open to them', async () => {
    const maker = await service.createUser('admin');
    const { token } = (await create(maker.jwt)).body;
    const closed = await createKanban(service);
    await service.call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const record = await service.call('POST', `/crm/records?kanbanId=${closed.id}`, {
      body: { title: 'Closed' },
    });
    const statuses = async (call = service.call) => [
      (await call('GET', '/api-tokens', { token })).status,
      (await call('GET', '/crm/records', { token })).status,
      (await call('GET', `/crm/records/${record.body.recordId}`, { token })).status,
      (await call('GET', `/kanbans/${closed.id}`, { token })).status,
    ];
    const setRole = (role: string) =>
      service.call('PATCH', `/users/${maker.id}`, { token: service.admin.jwt, body: { role } });
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.equal((await setRole('operator')).status, 200);
    assert.deepEqual(await statuses(), [403, 200, 404, 404]);
    await eventually(async () => String(await statuses(second.call)) === '403,200,404,404');
    assert.equal((await setRole('admin')).status, 200);
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
  });
});
