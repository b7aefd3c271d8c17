import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { permissions, permissionsOfRole } from '../../../../contract/roles/permissions.ts';
import { absentId } from '../../../../test/support/api-samples.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { allScopes, joinTestService, password, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('roles', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  let count = 0;
  const asAdmin = (method: string, path: string, body?: object) =>
    service.call(method, path, { token: service.admin.jwt, ...(body && { body }) });
  const makeRole = async (has: readonly string[], name = `Role ${++count}`): Promise<string> => {
    const made = await asAdmin('POST', '/roles', { name, permissions: has });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const makeUser = async (roleId: string | null, role = 'operator') => {
    const email = `person-${++count}@example.com`;
    const made = await asAdmin('POST', '/users', { email, name: `Person ${count}`, role, roleId, password });
    assert.equal(made.status, 201, made.text);
    return { id: made.body.id as string, email, jwt: await service.login(email, password) };
  };
  const as = (jwt: string, method: string, path: string, body?: object) =>
    service.call(method, path, { token: jwt, ...(body && { body }) });

  const tokenOf = (link: string) => new URL(link).hash.slice(1);
  const accept = (link: string) =>
    service.call('POST', '/auth/invitations/accept', {
      token: null,
      body: { token: tokenOf(link), name: 'Invited', password: 'correct horse battery' },
    });

  it('GET /permissions lists what roles are made of, and GET /roles the built-in ones first', async () => {
    const { body } = await asAdmin('GET', '/permissions');
    assert.deepEqual(
      body.items.map((one: { name: string }) => one.name),
      permissions,
    );
    const operator = await service.createUser('operator');
    const { items } = (await as(operator.jwt, 'GET', '/roles')).body;
    assert.deepEqual(
      items.slice(0, 2).map((one: { id: string; isBuiltIn: boolean }) => [one.id, one.isBuiltIn]),
      [
        ['admin', true],
        ['operator', true],
      ],
    );
    assert.deepEqual(items[0].permissions, permissions);
    assert.deepEqual(items[1].permissions, permissionsOfRole.operator);
    assert.ok(items[1].userCount >= 1);
    assert.deepEqual((await asAdmin('GET', '/roles/operator')).body.id, 'operator');
  });

  it('a role is created, changed and deleted, with entries in the audit log', async () => {
    const made = await asAdmin('POST', '/roles', {
      name: ' Supervisor ',
      description: ' Looks after the inbox ',
      permissions: ['conversations.reply', 'conversations.view'],
    });
    assert.equal(made.status, 201, made.text);
    const { id, createdAt, updatedAt, ...rest } = made.body;
    assert.deepEqual(rest, {
      name: 'Supervisor',
      description: 'Looks after the inbox',
      isBuiltIn: false,
      permissions: ['conversations.view', 'conversations.reply'],
      userCount: 0,
    });
    assert.equal(createdAt, updatedAt);
    const changed = await asAdmin('PATCH', `/roles/${id}`, { permissions: ['reports.view'] });
    assert.deepEqual([changed.status, changed.body.permissions], [200, ['reports.view']]);
    assert.deepEqual((await asAdmin('GET', `/roles/${id}`)).body, changed.body);
    assert.equal((await asAdmin('DELETE', `/roles/${id}`)).status, 200);
    assert.equal((await asAdmin('GET', `/roles/${id}`)).status, 404);
    const log = await asAdmin('GET', '/audit-log?targetType=role');
    const entries = log.body.items.filter((one: { target: { id: string } }) => one.target.id === id);
    assert.deepEqual(
      entries.map((one: { action: string }) => one.action),
      ['role.deleted', 'role.updated', 'role.created'],
    );
    assert.deepEqual(entries[1].changes.permissions, {
      from: ['conversations.view', 'conversations.reply'],
      to: ['reports.view'],
    });
  });

  it('400 and 409 for names and permissions that cannot be', async () => {
    const roleId = await makeRole(['records.view'], 'Taken');
    const answers = [
      [{ name: ' ', permissions: [] }, 400, /name is required/],
      [{ name: 'taken', permissions: [] }, 409, /name is already in use/],
      [{ name: 'Admin', permissions: [] }, 409, /built-in role/],
      [{ name: 'x', permissions: ['everything'] }, 400, /permissions/],
      [{ name: 'x', permissions: ['records.edit'] }, 400, /records.edit needs records.view/],
      [{ name: 'x' }, 400, /permissions is required/],
    ] as const;
    for (const [body, status, message] of answers) {
      const refused = await asAdmin('POST', '/roles', body);
      assert.deepEqual([refused.status, message.test(refused.body.message)], [status, true], refused.text);
    }
    assert.equal((await asAdmin('PATCH', '/roles/operator', { name: 'Other' })).status, 409);
    assert.equal((await asAdmin('DELETE', '/roles/admin')).status, 409);
    assert.equal((await asAdmin('PATCH', `/roles/${absentId}`, { name: 'Other' })).status, 404);
    assert.equal((await asAdmin('PATCH', `/roles/${roleId}`, { name: 'TAKEN' })).status, 200);
  });

  it('a role of another account is as one that does not exist', async () => {
    const roleId = await makeRole(['records.view']);
    const { jwt } = await service.createAccount();
    assert.equal((await as(jwt, 'GET', `/roles/${roleId}`)).status, 404);
    assert.equal((await as(jwt, 'PATCH', `/roles/${roleId}`, { name: 'Mine' })).status, 404);
    assert.equal((await as(jwt, 'DELETE', `/roles/${roleId}`)).status, 404);
    const body = { email: 'elsewhere@example.com', name: 'E', role: 'operator', roleId, password };
    const refused = await as(jwt, 'POST', '/users', body);
    assert.deepEqual([refused.status, /roleId is not a role/.test(refused.body.message)], [400, true]);
  });

  it('a user has the rights of the role, and says so; role stays operator', async () => {
    const roleId = await makeRole(['records.view', 'audit.view']);
    const { jwt } = await makeUser(roleId);
    const { user } = (await as(jwt, 'GET', '/auth/me')).body;
    assert.deepEqual(
      [user.role, user.roleId, user.permissions],
      ['operator', roleId, ['records.view', 'audit.view']],
    );
    assert.equal((await as(jwt, 'GET', '/crm/records')).status, 200);
    assert.equal((await as(jwt, 'GET', '/audit-log')).status, 200);
    const refused = await as(jwt, 'GET', '/sessions');
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /your role lacks the permission conversations.view/);
  });

  it('a change is in force at once for those who are signed in, also in another process', async () => {
    const roleId = await makeRole(['records.view']);
    const { jwt } = await makeUser(roleId);
    const second = await service.startSecond();
    try {
      const seen = () => second.call('GET', '/sessions', { token: jwt });
      assert.equal((await seen()).status, 403);
      await asAdmin('PATCH', `/roles/${roleId}`, { permissions: ['conversations.view'] });
      assert.equal((await as(jwt, 'GET', '/sessions')).status, 200);
      assert.equal((await as(jwt, 'GET', '/crm/records')).status, 403);
      await eventually(async () => (await seen()).status === 200);
    } finally {
      await second.close();
    }
  });

  it('PATCH /users sets and clears it; role: operator alone leaves it', async () => {
    const roleId = await makeRole(['records.view']);
    const { id } = await makeUser(null, 'admin');
    const change = async (body: object) => {
      const { status, body: user, text } = await asAdmin('PATCH', `/users/${id}`, body);
      assert.equal(status, 200, text);
      return [user.role, user.roleId];
    };
    assert.deepEqual(await change({ roleId }), ['operator', roleId]);
    assert.deepEqual(await change({ role: 'operator', name: 'Same' }), ['operator', roleId]);
    assert.deepEqual(await change({ roleId: null }), ['operator', null]);
    assert.deepEqual(await change({ role: 'operator', roleId }), ['operator', roleId]);
    assert.deepEqual(await change({ role: 'admin' }), ['admin', null]);
    const refused = await asAdmin('PATCH', `/users/${id}`, { role: 'admin', roleId });
    assert.equal(refused.status, 400, refused.text);
    assert.equal((await asAdmin('PATCH', `/users/${id}`, { roleId: 'x' })).status, 400);
  });

  it('the last administrator keeps the role', async () => {
    const { jwt } = await service.createAccount();
    const made = await as(jwt, 'POST', '/roles', { name: 'All', permissions });
    const { user } = (await as(jwt, 'GET', '/auth/me')).body;
    const refused = await as(jwt, 'PATCH', `/users/${user.id}`, { roleId: made.body.id });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [409, 'the last administrator cannot be demoted'],
    );
  });

  it('nobody gives more than they have, or acts on somebody who has more', async () => {
    const managerRole = await makeRole(['records.view', 'users.manage', 'tokens.manage']);
    const smaller = await makeRole(['records.view']);
    const larger = await makeRole(['records.view', 'users.manage', 'audit.view']);
    const manager = await makeUser(managerRole);
    const above = await makeUser(larger);
    const below = await makeUser(smaller);
    const add = (body: object) =>
      as(manager.jwt, 'POST', '/users', { name: 'New', email: `n${++count}@example.com`, password, ...body });
    assert.equal((await add({ role: 'operator', roleId: smaller })).status, 201);
    assert.equal((await add({ role: 'operator', roleId: managerRole })).status, 201);
    for (const given of [{ role: 'admin' }, { role: 'operator' }, { role: 'operator', roleId: larger }]) {
      const refused = await add(given);
      assert.deepEqual(
        [refused.status, refused.body.message],
        [403, 'you cannot give more rights than you have'],
      );
      const invited = await as(manager.jwt, 'POST', '/invitations', {
        email: `i${++count}@example.com`,
        ...given,
      });
      assert.equal(invited.status, 403, invited.text);
    }
    const patch = (id: string, body: object) => as(manager.jwt, 'PATCH', `/users/${id}`, body);
    assert.equal((await patch(below.id, { roleId: managerRole })).status, 200);
    assert.equal((await patch(below.id, { role: 'admin' })).status, 403);
    assert.equal((await patch(manager.id, { roleId: larger })).status, 403);
    for (const id of [above.id, service.admin.userId]) {
      assert.equal((await patch(id, { password: 'another long password' })).status, 403);
      assert.equal((await patch(id, { roleId: smaller })).status, 403);
      assert.equal((await as(manager.jwt, 'POST', `/users/${id}/password-reset`)).status, 403);
      assert.equal((await as(manager.jwt, 'POST', `/users/${id}/reset-factors`)).status, 403);
      assert.equal((await as(manager.jwt, 'DELETE', `/users/${id}`)).status, 403);
    }
    const own = await service.createToken(manager.jwt, { scopes: allScopes });
    assert.equal((await as(own.token, 'GET', '/crm/records')).status, 200);
    assert.equal((await as(own.token, 'GET', '/api-tokens')).status, 200);
    assert.equal((await as(own.token, 'GET', '/sessions')).status, 403);
    assert.equal((await as(own.token, 'GET', '/audit-log')).status, 403);
    const transfer = (id: string, userId: string) =>
      as(manager.jwt, 'POST', `/api-tokens/${id}/transfer`, { userId });
    assert.equal((await transfer(own.id, above.id)).status, 403);
    assert.equal((await transfer(own.id, service.admin.userId)).status, 403);
    const admins = await service.createToken(service.admin.jwt);
    assert.equal((await transfer(admins.id, manager.id)).status, 403);
    assert.equal((await as(manager.jwt, 'DELETE', `/api-tokens/${admins.id}`)).status, 403);
    assert.equal((await as(own.token, 'GET', '/audit-log')).status, 403);
    assert.equal((await as(manager.jwt, 'DELETE', `/api-tokens/${own.id}`)).status, 200);
  });

  it('a token makes nobody who manages, and no login of one', async () => {
    const managerRole = await makeRole(['records.view', 'channels.manage']);
    const smaller = await makeRole(['records.view']);
    const manager = await makeUser(managerRole);
    const plain = await makeUser(smaller);
    const body = { email: 't@example.com', name: 'T', role: 'operator', password };
    const add = (roleId: string) => as(service.token, 'POST', '/users', { ...body, roleId });
    assert.match((await add(managerRole)).body.message, /a token cannot create managers/);
    assert.equal((await add(smaller)).status, 201);
    const set = (id: string) =>
      as(service.token, 'PATCH', `/users/${id}`, { password: 'another long password' });
    assert.match((await set(manager.id)).body.message, /a token cannot set a manager's password/);
    assert.equal((await set(plain.id)).status, 200);
    assert.equal((await as(service.token, 'POST', `/users/${manager.id}/reset-factors`)).status, 403);
  });

  it('a role in use goes only with a replacement, for users and invitations', async () => {
    const roleId = await makeRole(['records.view']);
    const next = await makeRole(['reports.view']);
    const user = await makeUser(roleId);
    const email = `invited-${++count}@example.com`;
    const invited = await asAdmin('POST', '/invitations', { email, role: 'operator', roleId });
    assert.deepEqual([invited.status, invited.body.roleId], [201, roleId], invited.text);
    const refused = await asAdmin('DELETE', `/roles/${roleId}`);
    assert.deepEqual([refused.status, refused.body.userCount, refused.body.invitationCount], [409, 1, 1]);
    for (const replacement of ['admin', roleId, absentId, 'x']) {
      const wrong = await asAdmin('DELETE', `/roles/${roleId}?replacement=${replacement}`);
      assert.equal(wrong.status, 400, replacement);
    }
    const gone = await asAdmin('DELETE', `/roles/${roleId}?replacement=${next}`);
    assert.equal(gone.status, 200, gone.text);
    assert.equal((await as(user.jwt, 'GET', '/crm/records')).status, 403);
    assert.equal((await as(user.jwt, 'GET', '/auth/me')).body.user.roleId, next);
    const { items } = (await asAdmin('GET', '/invitations')).body;
    assert.equal(items.find((one: { email: string }) => one.email === email).roleId, next);
    assert.equal((await accept(invited.body.link)).status, 400);
    const again = await asAdmin('POST', `/invitations/${invited.body.id}/link`);
    assert.equal((await accept(again.body.link)).status, 201);
    const jwt = await service.login(email, 'correct horse battery');
    assert.deepEqual((await as(jwt, 'GET', '/auth/me')).body.user.permissions, ['reports.view']);
    assert.equal((await asAdmin('DELETE', `/roles/${next}?replacement=operator`)).status, 200);
    const { user: now } = (await as(jwt, 'GET', '/auth/me')).body;
    assert.deepEqual([now.roleId, now.permissions], [null, permissionsOfRole.operator]);
  });

  it('security.manage does not change where administrators may be', async () => {
    const { jwt } = await makeUser(await makeRole(['security.manage']));
    const change = (body: object) => as(jwt, 'PATCH', '/account/security', body);
    for (const adminAddresses of [['203.0.113.7'], []]) {
      const refused = await change({ adminAddresses, confirmLockout: true });
      assert.deepEqual(
        [refused.status, refused.body.message],
        [403, 'only an administrator may change adminAddresses'],
      );
    }
    assert.equal((await change({ requireSecondFactor: false })).status, 200);
    assert.deepEqual((await asAdmin('GET', '/account/security')).body.adminAddresses, []);
  });

  it('a link of an invitation ends when the permissions of its role change, and can be sent again', async () => {
    const roleId = await makeRole(['records.view']);
    const email = `invited-${++count}@example.com`;
    const invited = await asAdmin('POST', '/invitations', { email, role: 'operator', roleId });
    assert.equal(invited.status, 201, invited.text);
    const link = async () => (await asAdmin('POST', `/invitations/${invited.body.id}/link`)).body.link;
    const first = await link();
    assert.equal((await asAdmin('PATCH', `/roles/${roleId}`, { name: `Named ${++count}` })).status, 200);
    const shown = () =>
      service.call('POST', '/auth/invitations/look-up', { token: null, body: { token: tokenOf(first) } });
    assert.equal((await shown()).status, 200, 'another name changes nothing');
    await asAdmin('PATCH', `/roles/${roleId}`, { permissions: ['records.view', 'users.manage'] });
    assert.equal((await shown()).status, 400);
    assert.equal((await accept(first)).status, 400);
    const { items } = (await asAdmin('GET', '/invitations')).body;
    const open = items.find((one: { email: string }) => one.email === email);
    assert.ok(open.expiresAt <= service.context.clock.now());
    assert.equal((await accept(await link())).status, 201);
  });

  it('nobody withdraws an invitation with more rights than they have', async () => {
    const manager = await makeUser(await makeRole(['records.view', 'users.manage']));
    const larger = await makeRole(['records.view', 'users.manage', 'audit.view']);
    const smaller = await makeRole(['records.view']);
    const withdraw = async (given: object, by: string) => {
      const body = { email: `invited-${++count}@example.com`, role: 'operator', ...given };
      const { id } = (await asAdmin('POST', '/invitations', body)).body;
      return (await as(by, 'DELETE', `/invitations/${id}`)).status;
    };
    for (const given of [{ role: 'admin' }, { roleId: null }, { roleId: larger }]) {
      assert.equal(await withdraw(given, manager.jwt), 403, JSON.stringify(given));
    }
    assert.equal(await withdraw({ roleId: smaller }, manager.jwt), 200);
    assert.equal(await withdraw({ role: 'admin' }, service.token), 200);
  });

  it('a link for a password that is asked for while the user gets more rights is refused', async () => {
    const manager = await makeUser(await makeRole(['records.view', 'users.manage']));
    const { id } = await makeUser(await makeRole(['records.view']));
    const { db } = service.context;
    let asked!: ReturnType<typeof as>;
    await db.transaction(async (tx) => {
      await tx.query(sql`update users set role = 'admin', role_id = null where id = ${id}`);
      asked = as(manager.jwt, 'POST', `/users/${id}/password-reset`);
      await eventually(async () => {
        const waiting = await db.query(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%no key update of u%'`);
        return waiting.length > 0;
      });
    });
    assert.equal((await asked).status, 403);
  });

  it('what is shown depends on the permissions: cards without messages, channels without addresses', async () => {
    const { jwt } = await makeUser(await makeRole(['conversations.view']));
    const { body } = await as(jwt, 'GET', '/channels');
    assert.ok(body.items.length > 0);
    assert.ok(body.items.every((one: object) => !('webhookUrl' in one)));
    const manager = await makeUser(await makeRole(['channels.manage']));
    const own = await as(manager.jwt, 'GET', '/channels');
    assert.ok(own.body.items.every((one: object) => 'webhookUrl' in one));
  });
});
