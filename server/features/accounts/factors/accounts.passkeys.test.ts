import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPasskey, type SoftPasskey } from '../../../../test/support/authenticator.ts';
import { factorsOf } from '../../../../test/support/factors.ts';
import { type Json, password, startTestService, type TestService } from '../../../../test/support/service.ts';

const origin = 'https://talk.example.com';

describe('passkeys', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let factors: ReturnType<typeof factorsOf>;
  before(async () => {
    service = await startTestService({ env: { PUBLIC_URL: origin } });
    second = await service.startSecond();
    factors = factorsOf(service);
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const add = async (token: string, name: string, proof: object = {}) => {
    const asked = await service.call('POST', '/auth/passkeys/registration', {
      token,
      body: { password, ...proof },
    });
    assert.equal(asked.status, 200, asked.text);
    const passkey = createPasskey(asked.body.options, origin);
    const body = { name, passkey: passkey.created };
    const added = await service.call('POST', '/auth/passkeys', { token, body });
    assert.equal(added.status, 201, added.text);
    return { passkey, added: added.body, body };
  };
  const options = async (): Promise<Json> =>
    (await service.call('POST', '/auth/passkeys/options', { token: null })).body.options;
  const signIn = (passkey: Json, call = service.call) =>
    call('POST', '/auth/passkeys/sign-in', { token: null, body: { passkey } });

  it('sign in without a password, more than once', async () => {
    const user = await service.createUser('operator');
    const { passkey, added } = await add(user.jwt, 'Laptop');
    assert.equal(added.recoveryCodes.length, 10, 'with the first factor');
    const asked = await options();
    assert.equal(asked.rpId, 'talk.example.com');
    assert.equal(asked.userVerification, 'required');
    for (let i = 0; i < 2; i++) {
      const { status, body, text, headers } = await signIn(passkey.answer(await options()));
      assert.equal(status, 200, text);
      assert.equal(body.user.id, user.id);
      assert.match(headers['set-cookie'] ?? '', /^talkboard_refresh=/);
    }
    const { body } = await service.call('GET', '/auth/factors', { token: user.jwt });
    assert.equal(body.passkeys[0].name, 'Laptop');
    assert.ok(body.passkeys[0].lastUsedAt > 0);
  });

  it('are refused for another origin or name, without a check of the person, and with another challenge', async () => {
    const user = await service.createUser('operator');
    const { passkey } = await add(user.jwt, 'Laptop');
    const wrong = [
      passkey.answer(await options(), { origin: 'https://talk.example.com.evil.test' }),
      passkey.answer(await options(), { rpId: 'evil.test' }),
      passkey.answer(await options(), { isVerified: false }),
      passkey.answer({ challenge: Buffer.from('mine').toString('base64url') }),
    ];
    const { body } = await factors.login(user.email);
    wrong.push(passkey.answer(body.passkeyOptions), { ...passkey.answer(await options()), id: 'AAAA' });
    const foreign = passkey.answer(await options());
    foreign.response.userHandle = Buffer.alloc(32).toString('base64url');
    wrong.push(foreign);
    for (const [index, answer] of wrong.entries()) {
      const { status, text } = await signIn(answer);
      assert.equal(status, 401, `${index}: ${text}`);
    }
    assert.equal((await signIn(passkey.answer(await options()))).status, 200);
  });

  it('a challenge is used once, also at the same moment in two processes', async () => {
    const user = await service.createUser('operator');
    const { passkey } = await add(user.jwt, 'Key');
    const answer = passkey.answer(await options(), { counter: 0 });
    const answers = await Promise.all(
      [service.call, second.call, service.call, second.call].map((call) => signIn(answer, call)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    assert.equal((await signIn(answer)).status, 401);
  });

  it('a counter that does not grow is refused: the key was copied', async () => {
    const user = await service.createUser('operator');
    const { passkey } = await add(user.jwt, 'Key');
    assert.equal((await signIn(passkey.answer(await options(), { counter: 10 }))).status, 200);
    for (const counter of [10, 9, 0]) {
      assert.equal((await signIn(passkey.answer(await options(), { counter }))).status, 401, String(counter));
    }
    assert.equal((await signIn(passkey.answer(await options(), { counter: 11 }))).status, 200);
  });

  it('are a second factor after the password, of their own user only', async () => {
    const user = await service.createUser('operator');
    const other = await service.createUser('operator');
    const { passkey } = await add(user.jwt, 'Key');
    const { passkey: foreign } = await add(other.jwt, 'Key');
    const asked = (await factors.login(user.email)).body;
    assert.deepEqual(asked.factors, ['passkey', 'recovery_code']);
    const wrong = await factors.finish(asked.ticket, { passkey: foreign.answer(asked.passkeyOptions) });
    assert.equal(wrong.status, 401);
    const answer = passkey.answer(asked.passkeyOptions, { isVerified: false });
    const done = await factors.finish(asked.ticket, { passkey: answer });
    assert.equal(done.status, 200, done.text);
    const next = (await factors.login(user.email)).body;
    assert.equal((await factors.finish(next.ticket, { passkey: answer })).status, 401, 'used before');
  });

  it('are several, named, and removed with the password and a factor', async () => {
    const user = await service.createUser('operator');
    const token = user.jwt;
    const first = await add(token, 'Phone');
    const proof = async (by: SoftPasskey) => {
      const asked = await service.call('POST', '/auth/factors/passkey-options', { token });
      return { passkey: by.answer(asked.body.options) };
    };
    const bare = await service.call('POST', '/auth/passkeys/registration', { token, body: { password } });
    assert.equal(bare.status, 400, 'the second one needs a factor');
    const other = await add(token, 'Laptop', await proof(first.passkey));
    assert.equal(other.added.recoveryCodes, null);
    const again = await service.call('POST', '/auth/passkeys', { token, body: other.body });
    assert.equal(again.status, 409, 'the same one twice');
    const id = other.added.passkey.id;
    const renamed = await service.call('PATCH', `/auth/passkeys/${id}`, { token, body: { name: ' Work ' } });
    assert.equal(renamed.body.name, 'Work');
    const remove = async (passkeyId: string, body: object) =>
      service.call('POST', `/auth/passkeys/${passkeyId}/remove`, { token, body });
    assert.equal((await remove(id, { password })).status, 400);
    assert.equal((await remove(id, { password, ...(await proof(other.passkey)) })).status, 200);
    assert.equal((await signIn(other.passkey.answer(await options()))).status, 401, 'gone');
    const outsider = await service.createUser('operator');
    const theirs = await service.call('POST', `/auth/passkeys/${first.added.passkey.id}/remove`, {
      token: outsider.jwt,
      body: { password },
    });
    assert.equal(theirs.status, 404);
    const recoveryCode = first.added.recoveryCodes[0];
    assert.equal((await remove(first.added.passkey.id, { password, recoveryCode })).status, 200);
    assert.equal((await factors.login(user.email)).status, 200, 'without a factor again');
  });

  it('of a registration for someone else are refused', async () => {
    const user = await service.createUser('operator');
    const other = await service.createUser('operator');
    const asked = await service.call('POST', '/auth/passkeys/registration', {
      token: user.jwt,
      body: { password },
    });
    const passkey = createPasskey(asked.body.options, origin).created;
    const body = { name: 'Key', passkey };
    assert.equal((await service.call('POST', '/auth/passkeys', { token: other.jwt, body })).status, 400);
    const elsewhere = createPasskey(asked.body.options, 'https://evil.test').created;
    const forged = await service.call('POST', '/auth/passkeys', {
      token: user.jwt,
      body: { name: 'Key', passkey: elsewhere },
    });
    assert.equal(forged.status, 400);
    assert.equal((await service.call('POST', '/auth/passkeys', { token: user.jwt, body })).status, 201);
  });

  it('need a name in PUBLIC_URL', async () => {
    const plain = await service.startSecond({ PUBLIC_URL: 'http://192.0.2.1:3000' });
    try {
      const { status, body } = await plain.call('POST', '/auth/passkeys/options', { token: null });
      assert.deepEqual([status, body.message], [409, 'passkeys need a name: PUBLIC_URL is an IP address']);
      const { body: state } = await plain.call('GET', '/auth/factors', { token: service.admin.jwt });
      assert.equal(state.passkeysAvailable, false);
    } finally {
      await plain.close();
    }
  });
});
