import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { aSecondLater } from '../../../test/support/later.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { createAuthenticator } from './accounts.authenticate.ts';

describe('credentials', () => {
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

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const read = (text: string | undefined) => JSON.parse(Buffer.from(text ?? '', 'base64url').toString());

  /** The parts of a currently valid JWT, and the key that signs them. */
  const genuine = () => {
    const [header, payload, signature] = service.admin.jwt.split('.') as [string, string, string];
    return {
      header,
      payload,
      signature,
      claims: read(payload) as Record<string, unknown>,
      key: service.context.secrets.derive('jwt'),
    };
  };
  const sign = (header: object, claims: object, key: Buffer, hash = 'sha256') => {
    const text = `${part(header)}.${part(claims)}`;
    return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
  };
  const expect401 = async (authorization: string | undefined, what: string) => {
    const answer = await service.call('GET', '/crm/records', {
      token: null,
      headers: authorization === undefined ? {} : { authorization },
    });
    assert.equal(answer.status, 401, what);
    const { requestId, ...body } = answer.body;
    assert.deepEqual(
      body,
      { error: 'Unauthorized', message: 'missing or invalid token', code: 'UNAUTHORIZED' },
      what,
    );
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
    assert.equal(answer.headers['x-ratelimit-limit'], undefined, 'a 401 is not counted');
  };

  it('our own signing is what the service accepts, so the refusals below mean something', async () => {
    const { claims, key } = genuine();
    const again = sign({ alg: 'HS256', typ: 'JWT' }, claims, key);
    assert.equal((await service.call('GET', '/auth/me', { token: again })).status, 200);
    const bearer = { authorization: `bearer  ${service.token}` };
    assert.equal((await service.call('GET', '/account', { token: null, headers: bearer })).status, 200);
  });

  it('401 forged, altered, expired, alg-swapped and incomplete JWTs', async () => {
    const { header, payload, signature, claims, key } = genuine();
    const other = Buffer.alloc(32, 7);
    const now = Math.floor(service.context.clock.now() / 1000);
    const without = (name: string) =>
      sign({ alg: 'HS256' }, Object.fromEntries(Object.entries(claims).filter(([k]) => k !== name)), key);
    const forged: Record<string, string> = {
      'another key': sign({ alg: 'HS256', typ: 'JWT' }, claims, other),
      'an empty key': sign({ alg: 'HS256', typ: 'JWT' }, claims, Buffer.alloc(0)),
      'alg none': `${part({ alg: 'none' })}.${payload}.`,
      'alg none with a signature': `${part({ alg: 'none' })}.${payload}.${signature}`,
      'alg NONE in other letters': `${part({ alg: 'nOnE' })}.${payload}.`,
      'HS512 with the right key': sign({ alg: 'HS512' }, claims, key, 'sha512'),
      'HS384 with the right key': sign({ alg: 'HS384' }, claims, key, 'sha384'),
      'RS256 in the header': sign({ alg: 'RS256' }, claims, key),
      'no alg': sign({ typ: 'JWT' }, claims, key),
      'an unknown critical header': sign({ alg: 'HS256', crit: ['x'], x: 1 }, claims, key),
      'no signature': `${header}.${payload}.`,
      'two parts': `${header}.${payload}`,
      'a key of its own in the header': sign(
        { alg: 'HS256', jwk: { kty: 'oct', k: other.toString('base64url') } },
        claims,
        other,
      ),
      'another user in the payload': `${header}.${part({ ...claims, sub: newId() })}.${signature}`,
      'a later expiry in the payload': `${header}.${part({ ...claims, exp: now + 1e6 })}.${signature}`,
      expired: sign({ alg: 'HS256' }, { ...claims, exp: now - 1 }, key),
      'not yet valid': sign({ alg: 'HS256' }, { ...claims, nbf: now + 600 }, key),
      'an expiry that is no number': sign({ alg: 'HS256' }, { ...claims, exp: 'never' }, key),
      'a session that never was': sign({ alg: 'HS256' }, { ...claims, session: newId() }, key),
      'a session id of another form': sign({ alg: 'HS256' }, { ...claims, session: "' or 1=1" }, key),
      "another user's session": sign({ alg: 'HS256' }, { ...claims, sub: newId() }, key),
      'another account': sign({ alg: 'HS256' }, { ...claims, account: newId() }, key),
    };
    for (const name of ['sub', 'exp', 'account', 'session']) forged[`without ${name}`] = without(name);
    for (let i = 0; i < signature.length - 1; i += 7) {
      const swapped = signature[i] === 'A' ? 'B' : 'A';
      const altered = signature.slice(0, i) + swapped + signature.slice(i + 1);
      forged[`signature altered at ${i}`] = `${header}.${payload}.${altered}`;
    }
    for (const [what, token] of Object.entries(forged)) {
      // A session cached by the process must not help a forged token.
      await service.call('GET', '/auth/me', { token: service.admin.jwt });
      await expect401(`Bearer ${token}`, what);
    }
  });

  it('a JWT that was accepted is refused once it has expired, and altered or forged at once', async () => {
    const { claims, key } = genuine();
    const exp = Number(claims.exp);
    let now = (exp - 60) * 1000;
    const { db, secrets, clock } = service.context;
    const { authenticate } = createAuthenticator(db, secrets, { ...clock, now: () => now });
    const jwt = sign({ alg: 'HS256', typ: 'JWT' }, claims, key);
    const forged = sign({ alg: 'HS256', typ: 'JWT' }, claims, Buffer.alloc(32, 7));
    const [header, , signature] = jwt.split('.');
    const altered = `${header}.${part({ ...claims, exp: exp + 1 })}.${signature}`;
    const refused = (token: string) => assert.rejects(authenticate(`Bearer ${token}`), { status: 401 });
    for (let i = 0; i < 3; i++) {
      assert.equal((await authenticate(`Bearer ${jwt}`)).id, service.admin.userId);
      await refused(forged);
      await refused(altered);
    }
    now = exp * 1000 - 1;
    assert.equal((await authenticate(`Bearer ${jwt}`)).id, service.admin.userId);
    now = exp * 1000;
    await refused(jwt);
  });

  it('401 headers that are no bearer token', async () => {
    const { token } = service;
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Token ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer "${token}"`,
      'Bearer tb_',
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}A`,
      `Bearer ${token.toUpperCase()}`,
      'Bearer ..',
      `Bearer ${'a'.repeat(10_000)}`,
      'Bearer tb_%27%20or%201%3D1',
    ];
    for (const header of headers) await expect401(header, String(header).slice(0, 50));
  });

  it('an API token is stored as its hash only', async () => {
    const rows = await service.context.db.query<{ row: string }>(
      sql`select t::text as row from api_tokens t where account_id = ${service.admin.accountId}`,
    );
    assert.ok(rows.length > 0);
    for (const { row } of rows) {
      assert.ok(!row.includes(service.token) && !row.includes(service.token.slice(3)));
      assert.ok(!row.includes(Buffer.from(service.token).toString('hex')));
    }
  });

  it('a revoked token stops at once here and within a second in another process', async (t) => {
    const { id, token } = await service.createToken(service.admin.jwt);
    const records = (call: TestService['call']) => call('GET', '/crm/records', { token });
    assert.equal((await records(service.call)).status, 200);
    assert.equal((await records(second.call)).status, 200);
    assert.equal((await service.call('DELETE', `/api-tokens/${id}`)).status, 200);
    assert.equal((await records(service.call)).status, 401);
    await aSecondLater(t, async () => assert.equal((await records(second.call)).status, 401));
    assert.equal((await service.call('DELETE', `/api-tokens/${id}`)).status, 404);
  });

  it('an expired token is a 401', async (t) => {
    const expiresAt = service.context.clock.now() + 3_600_000;
    const { id, token } = await service.createToken(service.admin.jwt, { expiresAt });
    assert.equal((await service.call('GET', '/account', { token })).status, 200);
    const past = service.context.clock.now() - 1;
    await service.context.db.query(sql`update api_tokens set expires_at = ${past} where id = ${id}`);
    await aSecondLater(t, async () =>
      assert.equal((await service.call('GET', '/account', { token })).status, 401),
    );
  });

  it('a deleted user, a new role and a password set by an administrator hold within a second', async (t) => {
    const [gone, demoted, reset] = [
      await service.createUser('operator'),
      await service.createUser('admin'),
      await service.createUser('operator'),
    ];
    const status = async (token: string, path = '/auth/me') =>
      (await second.call('GET', path, { token })).status;
    for (const user of [gone, demoted, reset]) assert.equal(await status(user.jwt), 200);
    assert.equal(await status(demoted.jwt, '/audit-log'), 200);
    await service.call('DELETE', `/users/${gone.id}`);
    await service.call('PATCH', `/users/${demoted.id}`, { body: { role: 'operator' } });
    await service.call('PATCH', `/users/${reset.id}`, { body: { password: 'a whole new password' } });
    await aSecondLater(t, async () => assert.equal(await status(gone.jwt), 401));
    await aSecondLater(t, async () => assert.equal(await status(demoted.jwt, '/audit-log'), 403));
    await aSecondLater(t, async () => assert.equal(await status(reset.jwt), 401));
    assert.equal(await status(demoted.jwt), 200);
  });

  it('a JWT signed by the library with our key but for no session is refused too', async () => {
    const { key, claims } = genuine();
    const token = await new SignJWT({ account: claims.account, session: newId() })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(String(claims.sub))
      .setExpirationTime('5 minutes')
      .sign(key);
    await expect401(`Bearer ${token}`, 'no session');
  });
});
