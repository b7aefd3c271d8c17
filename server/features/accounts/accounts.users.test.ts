import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { password, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('users', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const create = (body: object, token = service.admin.jwt) => service.call('POST', '/users', { token, body });
  const change = (id: string, body: object, token = service.admin.jwt) =>
    service.call('PATCH', `/users/${id}`, { token, body });
  const remove = (id: string, token = service.admin.jwt) => service.call('DELETE', `/users/${id}`, { token });
  const userOf = async (jwt: string) => (await service.call('GET', '/auth/me', { token: jwt })).body.user;

  it('201 the user, without any trace of the password', async () => {
    const answer = await create({ email: ' Ada@Example.COM ', name: ' Ada ', role: 'operator', password });
    assert.equal(answer.status, 201);
    const { id, createdAt, updatedAt, ...rest } = answer.body;
    const defaults = { capacity: 20, availability: 'available', hasSecondFactor: false };
    assert.deepEqual(rest, {
      email: 'ada@example.com',
      name: 'Ada',
      role: 'operator',
      roleId: null,
      ...defaults,
    });
    assert.equal(createdAt, updatedAt);
    assert.equal(typeof id, 'string');
    const rows = await service.context.db.query<{ hash: string }>(
      sql`select password_hash as hash from users where id = ${id}`,
    );
    assert.match(rows[0]!.hash, /^\$argon2id\$/);
    const log = await service.call('GET', '/audit-log');
    assert.ok(!log.text.includes(password) && !log.text.includes('argon2'));
  });

  it('nobody becomes administrator of the instance by asking for it', async () => {
    const email = 'asks@example.com';
    const body = {
      email,
      name: 'Asks',
      role: 'admin',
      password,
      isInstanceAdmin: true,
      isEmailClaimed: true,
    };
    const { jwt } = await service.createAccount();
    assert.equal((await create(body, jwt)).status, 201);
    const own = await service.login(email, password);
    assert.equal((await userOf(own)).isInstanceAdmin, false);
    assert.equal((await service.call('GET', '/admin/accounts', { token: own })).status, 403);
  });

  it('the capacity has bounds, and is in the audit log', async () => {
    const { id } = await service.createUser('operator');
    for (const capacity of [-1, 1_001, 1.5, 'many', null]) {
      const refused = await change(id, { capacity });
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, /^capacity must be/);
    }
    assert.equal((await change(id, { capacity: 0 })).body.capacity, 0);
    const log = await service.call('GET', '/audit-log?action=user.updated', { token: service.admin.jwt });
    assert.deepEqual(log.body.items[0].changes, { capacity: { from: 20, to: 0 } });
  });

  it('tells nothing about other accounts: the same 409, and after five of them for every address', async () => {
    const { jwt } = await service.createAccount();
    const body = (email: string) => ({ email, name: 'Probe', role: 'operator', password });
    const own = (await userOf(jwt)).email;
    assert.equal((await create(body(own), jwt)).body.message, 'email is already in use');
    const refused = [
      409,
      'CONFLICT',
      'this email cannot be used for a new user: send an invitation instead',
      'string',
    ];
    const shown = ({ status, body: answer }: Awaited<ReturnType<typeof create>>) => [
      status,
      answer.code,
      answer.message,
      typeof answer.requestId,
    ];
    // At the same moment: none of them passes the count of another one.
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => create(body(service.admin.email), jwt)),
    );
    for (const answer of answers) assert.deepEqual(shown(answer), refused);
    assert.deepEqual(shown(await create(body('unused@example.com'), jwt)), refused);
    assert.equal((await create(body(own), jwt)).body.message, 'email is already in use');
    const log = await service.call('GET', '/audit-log?action=user.refused', { token: jwt });
    assert.equal(log.body.items.length, 5);
    const invite = (email: string) =>
      service.call('POST', '/invitations', { token: jwt, body: { email, role: 'operator' } });
    for (const email of [service.admin.email, 'unused@example.com']) {
      assert.equal((await invite(email)).status, 201, email);
    }
    assert.equal((await invite(own)).body.message, 'email is already in use');
    // Others are not affected.
    assert.equal((await create(body('unused@example.com'))).status, 201);
  });

  it('409 for an address that someone in the instance has, in any letters', async () => {
    const other = await service.createAccount();
    const theirs = await userOf(other.jwt);
    const body = { email: theirs.email.toUpperCase(), name: 'Twin', role: 'operator', password };
    const answer = await create(body);
    assert.deepEqual([answer.status, answer.body.code], [409, 'CONFLICT']);
    const same = await Promise.all(
      Array.from({ length: 5 }, () =>
        create({ email: 'race@example.com', name: 'R', role: 'operator', password }),
      ),
    );
    assert.deepEqual(same.map((one) => one.status).sort(), [201, 409, 409, 409, 409]);
  });

  it('400 names what is wrong', async () => {
    const good = { email: 'x@example.com', name: 'X', role: 'operator', password };
    const cases: [object, RegExp][] = [
      [{ ...good, email: 'no address' }, /^email must be an e-mail address$/],
      [{ ...good, email: undefined }, /^email is required$/],
      [{ ...good, name: ' ' }, /^name is required$/],
      [{ ...good, role: 'owner' }, /^role must be one of admin, operator$/],
      [{ ...good, password: 'too short' }, /^password must have at least 10 characters$/],
      [{ ...good, password: 1234567890 }, /^password must be a string$/],
    ];
    for (const [body, message] of cases) {
      const answer = await create(body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.message, message);
    }
  });

  it('operators read the list of users, which has no secrets, and manage nothing', async () => {
    const operator = await service.createUser('operator');
    const list = await service.call('GET', '/users?limit=1', { token: operator.jwt });
    assert.equal(list.status, 200);
    assert.deepEqual(Object.keys(list.body.items[0]).sort(), [
      'availability',
      'capacity',
      'createdAt',
      'email',
      'id',
      'name',
      'role',
      'roleId',
      'updatedAt',
    ]);
    assert.equal(typeof list.body.nextToken, 'string');
    const managed = await service.call('GET', '/users?limit=1', { token: service.admin.jwt });
    assert.equal(managed.body.items[0].hasSecondFactor, false);
    const answers = await Promise.all([
      create({ email: 'y@example.com', name: 'Y', role: 'admin', password }, operator.jwt),
      change(operator.id, { role: 'admin' }, operator.jwt),
      remove(service.admin.userId, operator.jwt),
      service.call('GET', '/audit-log', { token: operator.jwt }),
      service.call('GET', '/api-tokens', { token: operator.jwt }),
      service.call('PATCH', '/account', { token: operator.jwt, body: { name: 'Mine' } }),
      service.call('POST', '/kanbans', { token: operator.jwt, body: { name: 'Mine' } }),
    ]);
    for (const answer of answers) assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN']);
    assert.equal((await service.call('GET', '/account', { token: operator.jwt })).status, 200);
    assert.equal(
      (await service.call('POST', '/crm/records', { token: operator.jwt, body: { title: 'T' } })).status,
      201,
    );
  });

  it('PATCH changes what is given and nothing else; a new role holds for the next request', async () => {
    const user = await service.createUser('operator');
    const renamed = await change(user.id, { name: ' Grace ' });
    assert.deepEqual([renamed.status, renamed.body.name, renamed.body.role], [200, 'Grace', 'operator']);
    const promoted = await change(user.id, { role: 'admin', email: 'ignored@example.com' });
    assert.deepEqual([promoted.body.role, promoted.body.email], ['admin', user.email]);
    assert.equal((await service.call('GET', '/audit-log', { token: user.jwt })).status, 200);
    assert.equal((await change(user.id, { role: 'operator' })).status, 200);
    assert.equal((await service.call('GET', '/audit-log', { token: user.jwt })).status, 403);
    assert.equal((await change(user.id, { role: 'king' })).status, 400);
  });

  it('the last administrator can be neither demoted nor deleted, not even by two requests at once', async () => {
    const { jwt } = await service.createAccount();
    const last = { ...(await userOf(jwt)), jwt };
    for (const answer of [await change(last.id, { role: 'operator' }, jwt), await remove(last.id, jwt)]) {
      assert.deepEqual([answer.status, answer.body.code], [409, 'CONFLICT']);
    }
    assert.equal((await change(last.id, { role: 'admin', name: 'Still here' }, jwt)).status, 200);
    let survivor: { id: string; jwt: string } = last;
    for (const attempt of [
      (admin: typeof survivor) => change(admin.id, { role: 'operator' }, admin.jwt),
      (admin: typeof survivor) => remove(admin.id, admin.jwt),
    ]) {
      const admins = [survivor, await service.createUser('admin', survivor.jwt)];
      const answers = await Promise.all(admins.map(attempt));
      assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 409]);
      survivor = admins[answers.findIndex((answer) => answer.status === 409)]!;
    }
  });

  it('the instance administrator is out of reach of the account: no demotion, no new password', async () => {
    const colleague = await service.createUser('admin');
    const { userId } = service.admin;
    assert.equal((await change(userId, { role: 'operator' }, colleague.jwt)).status, 409);
    assert.equal((await remove(userId, colleague.jwt)).status, 409);
    for (const token of [colleague.jwt, service.token]) {
      const answer = await change(userId, { password: 'taken over now' }, token);
      assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN']);
    }
    const login = { email: service.admin.email, password };
    assert.equal((await service.call('POST', '/auth/login', { token: null, body: login })).status, 200);
  });
});
