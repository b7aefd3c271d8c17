/** Links for a new password, by mail and by an administrator, and the link of the command line. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCli, settingsOf } from '../../../../test/support/cli.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { aSecondLater } from '../../../../test/support/later.ts';
import { type Json, password, startTestService, type TestService } from '../../../../test/support/service.ts';
import { partsOf, type SmtpServer, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { sql } from '../../../platform/db/sql.ts';

const newPassword = 'another horse battery';
const tokenIn = (link: string) => new URL(link).hash.slice(1);
let addresses = 0;
const newAddress = () => `198.51.100.${++addresses}`;

describe('a new password', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let call: TestService['call'];
  before(async () => {
    smtp = await startSmtpServer();
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'hello@example.com' };
    service = await startTestService({ worker: true, env });
    ({ call } = service);
  });
  after(async () => {
    await service.close();
    await smtp.close();
  });

  const ask = (email: string, address = newAddress()) =>
    call('POST', '/auth/password-reset', { token: null, address, body: { email } });
  const confirm = (token: string, secret = newPassword) =>
    call('POST', '/auth/password-reset/confirm', { token: null, body: { token, password: secret } });
  const login = (email: string, secret: string) =>
    call('POST', '/auth/login', { token: null, address: newAddress(), body: { email, password: secret } });
  const mailedLink = async (email: string) => {
    await eventually(() => smtp.mails.some(({ to }) => to.includes(email)));
    const mail = smtp.mails.findLast(({ to }) => to.includes(email))!;
    return /https?:\S+/.exec(partsOf(mail.raw)['text/plain'] ?? '')?.[0] ?? '';
  };
  const linkFor = (userId: string, token = service.admin.jwt) =>
    call('POST', `/users/${userId}/password-reset`, { token });
  const withoutId = ({ status, body }: Json) => ({ status, body: { ...body, requestId: '' } });

  it('comes by mail, works once, and ends every session', async (t) => {
    const user = await service.createUser('operator');
    assert.equal((await ask(user.email.toUpperCase())).status, 202);
    const link = await mailedLink(user.email);
    assert.ok(link.startsWith(`${service.context.config.publicUrl}/app/reset-password#`), link);
    const token = tokenIn(link);
    assert.equal((await confirm(token, 'short')).status, 400);
    assert.equal((await confirm(token, user.email)).status, 400);
    assert.equal((await confirm(token)).status, 200);
    assert.equal((await confirm(token)).status, 400);
    assert.equal((await login(user.email, password)).status, 401);
    assert.equal((await login(user.email, newPassword)).status, 200);
    await aSecondLater(t, async () =>
      assert.equal((await call('GET', '/auth/me', { token: user.jwt })).status, 401),
    );
    const log = (await call('GET', `/audit-log?actorId=${user.id}`, { token: service.admin.jwt })).body.items;
    assert.ok(log.some(({ action }: Json) => action === 'user.password_reset'));
  });

  it('the answer does not tell whether there is such a user', async () => {
    const user = await service.createUser('operator');
    const known = await ask(user.email);
    assert.deepEqual(withoutId(known), withoutId(await ask('nobody@example.com')));
    assert.deepEqual(withoutId(known), withoutId(await ask('no address')));
    await mailedLink(user.email);
    await eventually(
      async () =>
        (await service.context.db.query(sql`select from jobs where kind = 'password-reset'`)).length === 0,
    );
    assert.ok(!smtp.mails.some(({ to }) => to.includes('nobody@example.com')));
  });

  it('administrators see in the audit log that a mail was refused; who asks does not', async () => {
    const user = await service.createUser('operator');
    smtp.refusals.push('550 no such mailbox');
    const known = await ask(user.email);
    const entries = async () =>
      (await call('GET', '/audit-log?action=user.reset_mail_failed', { token: service.admin.jwt })).body
        .items;
    await eventually(async () => (await entries()).length > 0);
    const [entry] = await entries();
    assert.equal(entry.target.id, user.id);
    assert.match(entry.changes.reason, /no such mailbox/);
    assert.deepEqual(withoutId(known), withoutId(await ask('nobody-there@example.com')));
  });

  it('at most 3 an hour for an address and 20 from a client, known or not', async () => {
    const user = await service.createUser('operator');
    for (const email of [user.email, 'nobody-else@example.com']) {
      for (let asked = 0; asked < 3; asked++) assert.equal((await ask(email)).status, 202);
      const refused = await ask(email);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 3_500);
    }
    const address = newAddress();
    for (let asked = 0; asked < 20; asked++) await ask(`many-${asked}@example.com`, address);
    assert.equal((await ask('one-more@example.com', address)).status, 429);
  });

  it('ends after an hour', async () => {
    const user = await service.createUser('operator');
    const { link, expiresAt } = (await linkFor(user.id)).body;
    assert.ok(expiresAt > Date.now() + 3_500_000 && expiresAt < Date.now() + 3_700_000);
    await service.context.db.query(sql`
      update sign_in_links set expires_at = expires_at - 3600000 where user_id = ${user.id}`);
    assert.equal((await confirm(tokenIn(link))).status, 400);
    assert.equal((await login(user.email, password)).status, 200);
  });

  it('using one ends the others of the user', async () => {
    const user = await service.createUser('operator');
    const links = [(await linkFor(user.id)).body.link, (await linkFor(user.id)).body.link];
    assert.equal((await confirm(tokenIn(links[0]))).status, 200);
    assert.equal((await confirm(tokenIn(links[1]), password)).status, 400);
  });

  it('only those who may set the password may create a link', async () => {
    const [admin, operator] = [await service.createUser('admin'), await service.createUser('operator')];
    const other = await service.createAccount();
    assert.equal((await linkFor(operator.id, service.token)).status, 201);
    assert.equal((await linkFor(admin.id, service.token)).status, 403, 'a token, for an administrator');
    assert.equal((await linkFor(admin.id, operator.jwt)).status, 403);
    assert.equal((await linkFor(operator.id, other.jwt)).status, 404);
    assert.equal((await linkFor('nobody')).status, 404);
    assert.equal((await linkFor(service.admin.userId, admin.jwt)).status, 403, 'the instance administrator');
    const log = (await call('GET', '/audit-log?action=user.reset_link_created', { token: admin.jwt })).body;
    assert.ok(log.items.some(({ target }: Json) => target.id === operator.id));
  });

  it('the link of one kind is not one of another', async () => {
    const user = await service.createUser('operator');
    const token = tokenIn((await linkFor(user.id)).body.link);
    assert.equal((await call('POST', '/auth/login-link', { token: null, body: { token } })).status, 400);
    const body = { token };
    assert.equal((await call('POST', '/auth/invitations/look-up', { token: null, body })).status, 400);
    assert.equal((await confirm(token)).status, 200);
  });

  it('409 where no mail is configured, for everyone; the administrator still gets a link', async () => {
    const second = await service.startSecond({ SMTP_URL: '', MAIL_FROM: '' });
    const user = await service.createUser('operator');
    for (const email of [user.email, 'nobody@example.com']) {
      const answer = await second.call('POST', '/auth/password-reset', { token: null, body: { email } });
      assert.equal(answer.status, 409);
    }
    const { status } = await second.call('POST', `/users/${user.id}/password-reset`, {
      token: service.admin.jwt,
    });
    assert.equal(status, 201);
    await second.close();
  });
});

describe('talkboard login-link', () => {
  let service: TestService;
  before(async () => {
    const provider = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'talkboard' };
    service = await startTestService({ cells: ['eu2'], env: {} });
    only = await service.startSecond({ ...provider, OIDC_ONLY: 'true' });
  });
  let only: Awaited<ReturnType<TestService['startSecond']>>;
  after(async () => {
    await only.close();
    await service.close();
  });
  const create = (...args: string[]) =>
    runCli(['login-link', ...args], { ...settingsOf(service), PUBLIC_URL: 'https://talk.example.com' });
  const use = (token: string) => only.call('POST', '/auth/login-link', { token: null, body: { token } });

  it('signs in once although passwords are refused and the provider is away, in every database', async () => {
    for (const { jwt, accountId } of [await service.createAccount(), await service.createAccount()]) {
      const user = await service.createUser('admin', jwt);
      const { code, stdout, stderr } = await create('--email', user.email.toUpperCase());
      assert.equal(code, 0, stderr);
      const link = stdout.trim();
      assert.ok(link.startsWith('https://talk.example.com/app/login-link#'), link);
      const answer = await use(tokenIn(link));
      assert.deepEqual([answer.status, answer.body.account?.id], [200, accountId]);
      assert.match(String(answer.headers['set-cookie']), /^talkboard_refresh=/);
      const me = await only.call('GET', '/auth/me', { token: answer.body.token });
      assert.equal(me.body.user.id, user.id);
      assert.equal((await use(tokenIn(link))).status, 400);
      const log = (await service.call('GET', '/audit-log', { token: jwt })).body.items;
      const own = log.filter(({ target }: Json) => target.id === user.id);
      const entries = own.map(
        ({ action, changes, actor }: Json) => `${action} ${changes.method} ${actor.type}`,
      );
      // In either order: the command is another process, whose ids have a clock of their own.
      assert.ok(entries.includes('login login_link user'), String(entries));
      assert.ok(entries.includes('user.login_link_created undefined system'), String(entries));
    }
  });

  it('ends after 15 minutes', async () => {
    const { stdout } = await create('--email', service.admin.email, '--json');
    const { link, expiresAt } = JSON.parse(stdout);
    assert.ok(expiresAt < Date.now() + 16 * 60_000);
    await service.context.db.query(sql`update sign_in_links set expires_at = expires_at - 900000`);
    assert.equal((await use(tokenIn(link))).status, 400);
  });

  it('says that there is no such user', async () => {
    const { code, stderr } = await create('--email', 'nobody@example.com');
    assert.equal(code, 1);
    assert.match(stderr, /no user with the e-mail address/);
    assert.equal((await create()).code, 2);
  });
});
