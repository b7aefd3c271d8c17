import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AppUser, factorsOf } from '../../../../test/support/factors.ts';
import { joinTestService, password, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('second factors', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let factors: ReturnType<typeof factorsOf>;
  before(async () => {
    service = await joinTestService();
    second = await service.startSecond();
    factors = factorsOf(service);
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const newUser = async (): Promise<AppUser> => factors.withApp(await service.createUser('operator'));
  const actionsOf = async (userId: string): Promise<string[]> => {
    const { body } = await service.call('GET', `/audit-log?targetType=user&limit=100`);
    return body.items
      .filter((one: { target: { id: string } }) => one.target.id === userId)
      .map((one: { action: string }) => one.action);
  };

  it('a user without one signs in as before', async () => {
    const user = await service.createUser('operator');
    const { status, body, headers } = await factors.login(user.email);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['account', 'expiresAt', 'token', 'user']);
    assert.match(headers['set-cookie'] ?? '', /^talkboard_refresh=/);
  });

  it('the secret is sealed, and counts only after a code of it', async () => {
    const user = await service.createUser('operator');
    const token = user.jwt;
    const { body } = await service.call('POST', '/auth/factors/totp', { token, body: { password } });
    assert.match(body.secret, /^[A-Z2-7]{32}$/);
    assert.ok(body.uri.includes(`secret=${body.secret}`));
    const rows = await service.context.db.query<{ secret: string }>(
      sql`select secret from user_totp where user_id = ${user.id}`,
    );
    assert.match(rows[0]!.secret, /^v1\./);
    assert.equal((await factors.login(user.email)).status, 200, 'not confirmed yet');
    const wrong = await service.call('POST', '/auth/factors/totp/confirm', {
      token,
      body: { code: '000000' },
    });
    assert.deepEqual(
      [wrong.status, wrong.body.message],
      [400, 'code is wrong: check the time of your phone'],
    );
    const without = await service.call('POST', '/auth/factors/totp', { token, body: { password: 'wrong' } });
    assert.deepEqual([without.status, without.body.message], [400, 'password is wrong']);
  });

  it('the password then gets a 202 without a cookie, and a code signs in', async () => {
    const user = await newUser();
    const first = await factors.login(user.email);
    assert.equal(first.status, 202);
    assert.equal(first.headers['set-cookie'], undefined);
    assert.deepEqual(Object.keys(first.body).sort(), [
      'expiresAt',
      'factorRequired',
      'factors',
      'passkeyOptions',
      'ticket',
    ]);
    assert.deepEqual(first.body.factors, ['totp', 'recovery_code']);
    const done = await factors.finish(first.body.ticket, { code: user.code(1) });
    assert.equal(done.status, 200, done.text);
    assert.match(done.headers['set-cookie'] ?? '', /^talkboard_refresh=/);
    const me = await service.call('GET', '/auth/me', { token: done.body.token });
    assert.equal(me.body.user.id, user.id);
    const actions = await actionsOf(user.id);
    assert.ok(actions.includes('user.totp_added') && actions.filter((one) => one === 'login').length === 2);
  });

  it('the first one ends the other sessions of the user', async () => {
    const user = await service.createUser('operator');
    const other = (await factors.login(user.email)).body.token;
    await factors.withApp(user);
    assert.equal((await service.call('GET', '/auth/me', { token: user.jwt })).status, 200);
    assert.equal((await service.call('GET', '/auth/me', { token: other })).status, 401);
  });

  it('a code is used once: later, of the step before, and with another ticket it is a 401', async () => {
    const user = await newUser();
    const tickets = [await factors.ticketOf(user.email), await factors.ticketOf(user.email)];
    const code = user.code(1);
    assert.equal((await factors.finish(tickets[0]!, { code })).status, 200);
    for (const replay of [code, user.code(0), user.code(-1)]) {
      const { status, body } = await factors.finish(tickets[1]!, { code: replay });
      assert.deepEqual([status, body.message], [401, 'the code is wrong or was used before']);
    }
    assert.ok((await actionsOf(user.id)).includes('login_failed'));
  });

  it('of many uses of a code at the same moment in two processes one signs in', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await newUser();
      await factors.forgetUsedCodes(user.id);
      const calls = [service.call, second.call, service.call, second.call];
      const tickets = await Promise.all(calls.map((call) => factors.ticketOf(user.email, call)));
      const code = user.code();
      const answers = await Promise.all(calls.map((call, i) => factors.finish(tickets[i]!, { code }, call)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    }
  });

  it('a ticket is valid once, for its user, its purpose and its password only', async () => {
    const user = await newUser();
    const ticket = await factors.ticketOf(user.email);
    assert.equal((await service.call('GET', '/auth/me', { token: ticket })).status, 401, 'not a JWT');
    assert.equal((await factors.finish(ticket, { recoveryCode: user.recoveryCodes[0] })).status, 200);
    const again = await factors.finish(ticket, { recoveryCode: user.recoveryCodes[1] });
    assert.equal(again.status, 401);
    const left = await service.call('GET', '/auth/factors', { token: user.jwt });
    assert.equal(left.body.recoveryCodesLeft, 9, 'a refused ticket uses no code up');

    const [tag, payload, signature] = ticket.split('.');
    const changed = Buffer.from(payload!, 'base64url').toString().replace('second-factor', 'passkey-factor');
    const forged = [tag, Buffer.from(changed).toString('base64url'), signature].join('.');
    for (const wrong of ['', 'x', '..', forged, `${tag}.${payload}.`, 'a'.repeat(900)]) {
      const { status } = await factors.finish(wrong, { code: user.code() });
      assert.equal(status, 401, wrong);
    }
    const old = await factors.ticketOf(user.email);
    const admin = service.admin.jwt;
    await service.call('PATCH', `/users/${user.id}`, { token: admin, body: { password: `${password} 2` } });
    assert.equal((await factors.finish(old, { recoveryCode: user.recoveryCodes[2] })).status, 401);
  });

  it('a recovery code is used once, in any spelling; renewing replaces them all', async () => {
    const user = await newUser();
    assert.equal(user.recoveryCodes.length, 10);
    assert.match(user.recoveryCodes[0]!, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const stored = await service.context.db.query<{ text: string }>(
      sql`select encode(code_hash, 'escape') as text from user_recovery_codes where user_id = ${user.id}`,
    );
    assert.ok(stored.every(({ text }) => !user.recoveryCodes.includes(text)));
    const typed = user.recoveryCodes[0]!.toUpperCase().replaceAll('-', ' ');
    assert.equal(
      (await factors.finish(await factors.ticketOf(user.email), { recoveryCode: typed })).status,
      200,
    );
    const again = await factors.finish(await factors.ticketOf(user.email), { recoveryCode: typed });
    assert.equal(again.status, 401);

    const calls = [service.call, second.call, service.call, second.call];
    const tickets = await Promise.all(calls.map((call) => factors.ticketOf(user.email, call)));
    const recoveryCode = user.recoveryCodes[1];
    const answers = await Promise.all(
      calls.map((call, i) => factors.finish(tickets[i]!, { recoveryCode }, call)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);

    await service.context.db.query(sql`delete from login_failures`);
    const token = user.jwt;
    const body = { password, code: user.code(1) };
    const renewed = await service.call('POST', '/auth/factors/recovery-codes', { token, body });
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal(renewed.body.recoveryCodes.length, 10);
    const old = await factors.finish(await factors.ticketOf(user.email), {
      recoveryCode: user.recoveryCodes[2],
    });
    assert.equal(old.status, 401);
  });

  it('five wrong codes of a user are a 429 for everyone, from any address and process', async () => {
    const user = await newUser();
    const tickets = await Promise.all(Array.from({ length: 7 }, () => factors.ticketOf(user.email)));
    for (let i = 0; i < 5; i++) {
      const call = i % 2 ? second.call : service.call;
      const { status } = await call('POST', '/auth/login/factor', {
        token: null,
        address: `203.0.113.${i + 1}`,
        body: { ticket: tickets[i], code: '000000' },
      });
      assert.equal(status, 401);
    }
    const { status, headers } = await factors.finish(tickets[5]!, { code: user.code(1) });
    assert.equal(status, 429);
    assert.ok(Number(headers['retry-after']) > 0);
    const recovered = await factors.finish(tickets[6]!, { recoveryCode: user.recoveryCodes[0] });
    assert.equal(recovered.status, 200, 'who guesses codes keeps nobody from their recovery codes');
    const other = await newUser();
    const fine = await factors.finish(await factors.ticketOf(other.email), { code: other.code(1) });
    assert.equal(fine.status, 200, 'another user is not affected');
  });

  it('removal needs the password and a code, and brings the plain sign-in back', async () => {
    const user = await newUser();
    const remove = (body: object) =>
      service.call('POST', '/auth/factors/totp/remove', { token: user.jwt, body });
    assert.equal(
      (await remove({ password })).body.message,
      'one of code, recoveryCode and passkey is required',
    );
    assert.equal((await remove({ password: 'wrong', code: user.code(1) })).body.message, 'password is wrong');
    assert.equal(
      (await remove({ password, code: '000000' })).body.message,
      'code is wrong or was used before',
    );
    const removed = await remove({ password, code: user.code(1) });
    assert.equal(removed.status, 200, removed.text);
    assert.equal((await factors.login(user.email)).status, 200);
    const left = await service.call('GET', '/auth/factors', { token: user.jwt });
    assert.deepEqual([left.body.totp, left.body.recoveryCodesLeft], [false, 0]);
    assert.ok((await actionsOf(user.id)).includes('user.totp_removed'));
  });

  it('an administrator resets them: everything of the user is gone, sessions too', async () => {
    const user = await newUser();
    const listed = async () => {
      const { body } = await service.call('GET', '/users?limit=100');
      return body.items.find((one: { id: string }) => one.id === user.id).hasSecondFactor;
    };
    assert.equal(await listed(), true);
    const { status } = await service.call('POST', `/users/${user.id}/reset-factors`, {
      token: service.admin.jwt,
    });
    assert.equal(status, 200);
    assert.equal(await listed(), false);
    assert.equal((await service.call('GET', '/auth/me', { token: user.jwt })).status, 401);
    assert.equal((await factors.login(user.email)).status, 200);
    assert.ok((await actionsOf(user.id)).includes('user.factors_reset'));
  });

  it('resets that would help a thief are refused', async () => {
    const admin = await service.createUser('admin');
    const reset = (token: string, id: string) =>
      service.call('POST', `/users/${id}/reset-factors`, { token });
    assert.equal((await reset(service.token, admin.id)).status, 403, 'a token, of an administrator');
    assert.equal((await reset(admin.jwt, service.admin.userId)).status, 403, 'of the instance administrator');
    assert.equal((await reset(admin.jwt, admin.id)).status, 409, 'of oneself');
    const foreign = await service.createAccount();
    assert.equal((await reset(foreign.jwt, admin.id)).status, 404, 'of another account');
  });
});

describe('an account that requires a second factor', () => {
  let service: TestService;
  let factors: ReturnType<typeof factorsOf>;
  before(async () => {
    service = await joinTestService();
    factors = factorsOf(service);
  });
  after(() => service.close());

  it('lets users without one set one up, and nothing else', async () => {
    const operator = await service.createUser('operator');
    const require = (on: boolean) =>
      service.call('PATCH', '/account/security', {
        token: service.admin.jwt,
        body: { requireSecondFactor: on },
      });
    const early = await require(true);
    assert.deepEqual(
      [early.status, early.body.message],
      [409, 'set up a second factor for yourself before you require it of everyone'],
    );
    const admin = { id: service.admin.userId, email: service.admin.email, jwt: service.admin.jwt };
    const owner = await factors.withApp(admin);
    assert.equal((await require(true)).status, 200);
    const byToken = await service.call('PATCH', '/account/security', {
      body: { requireSecondFactor: false },
    });
    assert.equal(byToken.status, 403);
    assert.equal((await service.call('GET', '/account', {})).status, 200, 'tokens are not affected');

    const ended = await service.call('GET', '/auth/me', { token: operator.jwt });
    assert.equal(ended.status, 401, 'signed out');
    const { status, body } = await factors.login(operator.email);
    assert.deepEqual([status, body.mustSetUpFactor], [200, true]);
    const token = body.token as string;
    for (const path of ['/account', '/crm/records', '/users', '/auth/sessions', '/notifications']) {
      const refused = await service.call('GET', path, { token });
      assert.deepEqual([refused.status, refused.body.code], [403, 'FACTOR_REQUIRED'], path);
    }
    const ticket = await service.call('POST', '/ws/tickets', { token });
    assert.equal(ticket.status, 403);
    assert.equal((await service.call('GET', '/auth/me', { token })).status, 200);
    const user = await factors.withApp({ ...operator, jwt: token });
    assert.equal((await service.call('GET', '/account', { token })).status, 200, 'at once');

    const last = await service.call('POST', '/auth/factors/totp/remove', {
      token,
      body: { password, code: user.code(1) },
    });
    assert.equal(last.status, 409, 'the last one stays');
    assert.equal((await service.call('GET', '/auth/factors', { token })).body.totp, true);
    assert.ok(owner.recoveryCodes.length > 0);
    assert.equal((await require(false)).status, 200);
  });
});
