/** Invitations, with a mail server on the loopback and without one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  type Json,
  joinTestService,
  password,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';
import { partsOf, type SmtpServer, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { sql } from '../../../platform/db/sql.ts';
import { pruneSignIn } from '../sign-in.ts';

const dayMs = 86_400_000;
let counter = 0;
const newEmail = () => `invited-${++counter}@example.com`;
const tokenIn = (link: string) => new URL(link).hash.slice(1);

describe('invitations', () => {
  let service: TestService;
  let call: TestService['call'];
  let jwt: string;
  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    ({ jwt } = service.admin);
  });
  after(() => service.close());

  const invite = (email: string, role = 'operator', token = jwt) =>
    call('POST', '/invitations', { token, body: { email, role } });
  const invited = async (email = newEmail(), role = 'operator'): Promise<Json> => {
    const answer = await invite(email, role);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const lookUp = (token: string) =>
    call('POST', '/auth/invitations/look-up', { token: null, body: { token } });
  const accept = (token: string, body: object = {}) =>
    call('POST', '/auth/invitations/accept', {
      token: null,
      body: { token, name: 'Ada', password, ...body },
    });
  const list = async (token = jwt): Promise<Json[]> =>
    (await call('GET', '/invitations', { token })).body.items;
  const expectEnded = async (token: string) => {
    for (const answer of [await lookUp(token), await accept(token)]) {
      assert.deepEqual(
        [answer.status, answer.body.message],
        [400, 'the link has expired or was used already'],
      );
    }
  };

  it('without mail the administrator gets the link; it makes a user, once', async () => {
    const email = newEmail();
    const { link, ...invitation } = await invited(` ${email.toUpperCase()} `, 'admin');
    assert.deepEqual(
      [invitation.email, invitation.role, invitation.isMailed, invitation.invitedBy.id],
      [email, 'admin', false, service.admin.userId],
    );
    assert.equal(invitation.expiresAt, invitation.sentAt + 7 * dayMs);
    assert.ok(link.startsWith(`${service.context.config.publicUrl}/app/invitation#`), link);
    const token = tokenIn(link);
    assert.deepEqual((await lookUp(token)).body, {
      email,
      role: 'admin',
      accountName: 'My workspace',
      invitedBy: invitation.invitedBy.name,
      expiresAt: invitation.expiresAt,
    });
    assert.ok((await list()).some(({ id }) => id === invitation.id));

    for (const body of [
      { password: 'short' },
      { password: email },
      { password: 'password123' },
      { name: ' ' },
    ]) {
      assert.equal((await accept(token, body)).status, 400, JSON.stringify(body));
    }
    const accepted = await accept(token);
    assert.deepEqual([accepted.status, accepted.body], [201, { email }]);
    const me = (await call('GET', '/auth/me', { token: await service.login(email, password) })).body;
    assert.deepEqual([me.user.role, me.user.name], ['admin', 'Ada']);
    await expectEnded(token);
    assert.ok(!(await list()).some(({ id }) => id === invitation.id));
    const log = (await call('GET', '/audit-log?targetType=invitation', { token: jwt })).body.items;
    const own = log.filter(({ target }: Json) => target.id === invitation.id);
    assert.deepEqual(
      own.map(({ action }: Json) => action),
      ['invitation.accepted', 'invitation.created'],
    );
    assert.ok(!JSON.stringify(log).includes(token));
  });

  it('of two who accept at once one gets in', async () => {
    const token = tokenIn((await invited()).link);
    const statuses = (await Promise.all([accept(token), accept(token)])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 400]);
  });

  it('sent again has a new link, the earlier one ends; withdrawn it has none', async () => {
    const first = await invited();
    await service.context.db.query(sql`update invitations set expires_at = 1 where id = ${first.id}`);
    await expectEnded(tokenIn(first.link));
    const again = await call('POST', `/invitations/${first.id}/send`, { token: jwt });
    assert.equal(again.status, 200);
    await expectEnded(tokenIn(first.link));
    assert.equal((await lookUp(tokenIn(again.body.link))).status, 200);
    assert.equal((await call('DELETE', `/invitations/${first.id}`, { token: jwt })).status, 200);
    await expectEnded(tokenIn(again.body.link));
    for (const method of ['DELETE', 'POST']) {
      const path = `/invitations/${first.id}${method === 'POST' ? '/send' : ''}`;
      assert.equal((await call(method, path, { token: jwt })).status, 404);
    }
  });

  it('409 for a user of the account and for an address that is invited; another account may invite it', async () => {
    const user = await service.createUser('operator');
    assert.equal((await invite(user.email)).status, 409);
    const { email, link } = await invited();
    assert.equal((await invite(email)).status, 409);
    const other = await service.createAccount();
    const elsewhere = await invite(email, 'operator', other.jwt);
    assert.equal(elsewhere.status, 201);
    assert.deepEqual(
      (await list(other.jwt)).map(({ id }) => id),
      [elsewhere.body.id],
    );
    assert.equal((await accept(tokenIn(link))).status, 201);
    assert.equal((await accept(tokenIn(elsewhere.body.link))).status, 409, 'the address is in use now');
    assert.equal((await invite('not an address')).status, 400);
  });

  it('a token invites operators only, and an operator nobody', async () => {
    assert.equal((await invite(newEmail(), 'operator', service.token)).status, 201);
    assert.equal((await invite(newEmail(), 'admin', service.token)).status, 403);
    const admin = await invited(newEmail(), 'admin');
    assert.equal(
      (await call('POST', `/invitations/${admin.id}/send`)).status,
      403,
      'the link of an administrator',
    );
    const operator = await service.createUser('operator');
    assert.equal((await invite(newEmail(), 'operator', operator.jwt)).status, 403);
  });

  it('tokens that were never given out are refused', async () => {
    const { link } = await invited();
    const token = tokenIn(link);
    for (const wrong of ['', 'x', token.slice(0, -1), `${token.slice(0, -4)}AAAA`, 'A'.repeat(65)]) {
      await expectEnded(wrong);
    }
    assert.equal((await lookUp('A'.repeat(201))).status, 400);
  });

  it('expired ones go after 30 days', async () => {
    const [old, recent] = [await invited(), await invited()];
    const now = service.context.clock.now();
    for (const [{ id }, days] of [
      [old, 31],
      [recent, 29],
    ] as const) {
      await service.context.db.query(
        sql`update invitations set expires_at = ${now - days * dayMs} where id = ${id}`,
      );
    }
    await pruneSignIn(service.context.db, now);
    const ids = (await list()).map(({ id }) => id);
    assert.deepEqual([ids.includes(old.id), ids.includes(recent.id)], [false, true]);
  });
});

describe('invitations by e-mail', () => {
  let smtp: SmtpServer;
  let service: TestService;
  before(async () => {
    smtp = await startSmtpServer();
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Talkboard <hello@example.com>' };
    service = await startTestService({ worker: true, env });
  });
  after(async () => {
    await service.close();
    await smtp.close();
  });
  const invite = (email: string) =>
    service.call('POST', '/invitations', { token: service.admin.jwt, body: { email, role: 'operator' } });
  const linkTo = async (email: string, index = 0) => {
    await eventually(() => smtp.mails.filter(({ to }) => to.includes(email)).length > index);
    const mail = smtp.mails.filter(({ to }) => to.includes(email))[index]!;
    const { 'text/plain': text = '', 'text/html': html = '' } = partsOf(mail.raw);
    return { text, html, link: /https?:\S+/.exec(text)?.[0] ?? '' };
  };

  it('the link is in the mail and not in the answer; after a temporary refusal it is tried again', async () => {
    const rename = { name: 'Shop <b>' };
    await service.call('PATCH', '/account', { token: service.admin.jwt, body: rename });
    smtp.refusals.push('451 try again later');
    const email = newEmail();
    const { body } = await invite(email);
    assert.deepEqual([body.link, body.isMailed], [null, true]);
    const { text, html, link } = await linkTo(email);
    assert.match(text, /Shop <b>/);
    assert.match(html, /Shop &lt;b&gt;/);
    assert.doesNotMatch(html, /<b>/);
    const token = tokenIn(link);
    const jobs = await service.context.db.query(sql`select payload::text as text from jobs`);
    assert.ok(!JSON.stringify(jobs).includes(token));
    const again = await service.call('POST', `/invitations/${body.id}/send`, { token: service.admin.jwt });
    assert.equal(again.body.link, null);
    const second = await linkTo(email, 1);
    const accept = (of: string) =>
      service.call('POST', '/auth/invitations/accept', {
        token: null,
        body: { token: tokenIn(of), name: 'Ada', password },
      });
    assert.equal((await accept(link)).status, 400);
    assert.equal((await accept(second.link)).status, 201);
  });

  const stateOf = async (id: string): Promise<Json> => {
    const { items } = (await service.call('GET', '/invitations', { token: service.admin.jwt })).body;
    return items.find((one: Json) => one.id === id);
  };
  const statusBecomes = (id: string, status: string) =>
    eventually(async () => (await stateOf(id)).mailStatus === status);
  const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email)).length;

  it('the administrator sees that a mail was accepted', async () => {
    const { body } = await invite(newEmail());
    assert.equal(body.mailStatus, 'sending');
    await statusBecomes(body.id, 'sent');
    assert.equal((await stateOf(body.id)).mailProblem, null);
  });

  it('the administrator sees why a mail was refused, and gets a link that works', async () => {
    smtp.refusals.push('550 no such mailbox');
    const email = newEmail();
    const { body } = await invite(email);
    await statusBecomes(body.id, 'failed');
    assert.match((await stateOf(body.id)).mailProblem, /no such mailbox/);
    const { token } = service;
    const made = await service.call('POST', `/invitations/${body.id}/link`, { token });
    assert.equal(made.status, 200, made.text);
    assert.deepEqual([made.body.isMailed, made.body.mailStatus, made.body.mailProblem], [false, null, null]);
    const accepted = await service.call('POST', '/auth/invitations/accept', {
      token: null,
      body: { token: tokenIn(made.body.link), name: 'Ada', password },
    });
    assert.equal(accepted.status, 201, accepted.text);
    assert.equal(mailsTo(email), 0);
    const log = await service.call('GET', '/audit-log?action=invitation.link_created', {
      token: service.admin.jwt,
    });
    assert.ok(log.body.items.some(({ target }: Json) => target.id === body.id));
  });

  it('a mail that waits for its next attempt is not sent once there is another link', async () => {
    smtp.refusals.push('451 try again later');
    const email = newEmail();
    const { body } = await invite(email);
    await statusBecomes(body.id, 'delayed');
    assert.match((await stateOf(body.id)).mailProblem, /try again later/);
    await service.call('POST', `/invitations/${body.id}/link`, { token: service.admin.jwt });
    await eventually(
      async () =>
        (await service.context.db.query(sql`select from jobs where kind = 'invitation-mail'`)).length === 0,
    );
    assert.equal(mailsTo(email), 0);
    assert.equal((await stateOf(body.id)).mailStatus, null);
  });

  it('a token gets no link of an administrator’s invitation', async () => {
    const body = { email: newEmail(), role: 'admin' };
    const { id } = (await service.call('POST', '/invitations', { token: service.admin.jwt, body })).body;
    const refused = await service.call('POST', `/invitations/${id}/link`, { token: service.token });
    assert.equal(refused.status, 403);
    const unknown = await service.call('POST', '/invitations/nobody/link', { token: service.admin.jwt });
    assert.equal(unknown.status, 404);
  });
});

describe('invitations and several databases', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
  });
  after(() => service.close());

  it('a link finds the database of its account', async () => {
    for (const { jwt, accountId } of [await service.createAccount(), await service.createAccount()]) {
      const email = newEmail();
      const body = { email, role: 'operator' };
      const { link } = (await service.call('POST', '/invitations', { token: jwt, body })).body;
      const accept = { token: tokenIn(link), name: 'Ada', password };
      const accepted = await service.call('POST', '/auth/invitations/accept', { token: null, body: accept });
      assert.equal(accepted.status, 201, accepted.text);
      const me = await service.call('GET', '/auth/me', { token: await service.login(email, password) });
      assert.equal(me.body.account.id, accountId);
    }
  });
});
