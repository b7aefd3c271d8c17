/** Users of an account in another cell: each step reaches their own database. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createPasskey } from '../../../../test/support/authenticator.ts';
import { factorsOf } from '../../../../test/support/factors.ts';
import { password, startTestService, type TestService } from '../../../../test/support/service.ts';
import { cellOfAccount } from '../../../platform/cells/directory.ts';
import { sql } from '../../../platform/db/sql.ts';

const origin = 'https://talk.example.com';

let service: TestService;
let account: { accountId: string; jwt: string };
before(async () => {
  service = await startTestService({ cells: ['eu2'], env: { PUBLIC_URL: origin } });
  account = await service.createAccount();
  assert.equal(await cellOfAccount(service.context.db, account.accountId), 'eu2');
});
after(() => service.close());

it('a user of another cell signs in with a code and with a passkey; replays are refused there too', async () => {
  const factors = factorsOf(service);
  const user = await service.createUser('operator', account.jwt);
  const app = await factors.withApp(user);
  const rows = await service.contextOf('eu2').db.query(sql`select from user_totp where user_id = ${user.id}`);
  assert.equal(rows.length, 1);
  const tickets = [await factors.ticketOf(user.email), await factors.ticketOf(user.email)];
  const code = app.code(1);
  const done = await factors.finish(tickets[0]!, { code });
  assert.equal(done.status, 200, done.text);
  assert.match(done.headers['set-cookie'] ?? '', /^talkboard_refresh=/);
  assert.equal((await service.call('GET', '/auth/me', { token: done.body.token })).body.user.id, user.id);
  assert.equal((await factors.finish(tickets[1]!, { code })).status, 401);

  const token = user.jwt;
  const asked = await service.call('POST', '/auth/passkeys/registration', {
    token,
    body: { password, recoveryCode: app.recoveryCodes[0] },
  });
  const passkey = createPasskey(asked.body.options, origin);
  const body = { name: 'Key', passkey: passkey.created };
  assert.equal((await service.call('POST', '/auth/passkeys', { token, body })).status, 201);
  const options = await service.call('POST', '/auth/passkeys/options', { token: null });
  const answer = passkey.answer(options.body.options);
  const signIn = () =>
    service.call('POST', '/auth/passkeys/sign-in', { token: null, body: { passkey: answer } });
  const signedIn = await signIn();
  assert.equal(signedIn.status, 200, signedIn.text);
  assert.equal(signedIn.body.account.id, account.accountId);
  assert.equal((await signIn()).status, 401);
});

it('wrong codes of a user of another cell are counted in the home cell', async () => {
  const factors = factorsOf(service);
  const user = await factors.withApp(await service.createUser('operator', account.jwt));
  for (let i = 0; i < 5; i++) {
    const { status } = await factors.finish(await factors.ticketOf(user.email), { code: '000000' });
    assert.equal(status, 401);
  }
  assert.equal(
    (await factors.finish(await factors.ticketOf(user.email), { code: user.code(1) })).status,
    429,
  );
});
