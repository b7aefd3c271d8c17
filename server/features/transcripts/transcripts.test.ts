/** Conversations by e-mail, through a real SMTP server on the loopback. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { partsOf, type SmtpServer, startSmtpServer } from '../../../test/support/smtp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { transcriptHandler } from './transcripts.jobs.ts';

describe('transcripts by e-mail', () => {
  let smtp: SmtpServer;
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channelId: string;
  before(async () => {
    smtp = await startSmtpServer();
    const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Shop <shop@example.com>' };
    service = await startTestService({ worker: true, env });
    talk = conversationsOf(service);
    ({ call } = service);
    const { items } = await talk.expect(200, call('GET', '/channels'));
    channelId = items.find(({ type }: Json) => type === 'web').id;
    const body = { name: 'Shop <b>&\r\nBcc: x@example.com' };
    await talk.expect(200, call('PATCH', `/channels/${channelId}`, { body }));
    await talk.expect(
      200,
      call('PATCH', `/channels/${channelId}/widget`, { body: { offerTranscript: true } }),
    );
  });
  after(async () => {
    await service.close();
    await smtp.close();
  });

  const visitor = async () => {
    const body = { channel: channelId, name: unique('Ada') };
    const { token } = await talk.expect(200, call('POST', '/widget/sessions', { token: null, body }));
    const content = '<script>alert("hello")</script>\n.\nsecond line';
    const message = { clientId: unique('mail-client'), content };
    await talk.expect(202, call('POST', '/widget/messages', { token, body: message }));
    const { items } = await talk.expect(200, call('GET', `/sessions?q=${encodeURIComponent(body.name)}`));
    return { token, sessionId: items[0].sessionId as string };
  };
  const jobsTo = async (address: string) =>
    (await service.context.db.query(sql`select from jobs where payload ->> 'email' = ${address}`)).length;
  const mailTo = async (address: string) => {
    await eventually(() => smtp.mails.some(({ to }) => to.includes(address)));
    return smtp.mails.filter(({ to }) => to.includes(address));
  };

  it('a visitor gets the messages, escaped, without notes; again after a temporary refusal, once', async () => {
    const { token, sessionId } = await visitor();
    await talk.pause(sessionId);
    await talk.operatorSays(channelId, sessionId, { content: 'An internal note', isNote: true });
    await talk.operatorSays(channelId, sessionId, { content: 'Olá, “Ada”' });
    smtp.refusals.push('451 try again later');
    const email = `${unique('ada').toLowerCase()}@example.com`.replaceAll(/[^\w@.-]/g, '-');
    const request = () =>
      call('POST', '/widget/transcript', { token, body: { email: email.toUpperCase(), language: 'pt' } });
    assert.deepEqual(
      (await Promise.all([request(), request()])).map(({ status }) => status),
      [202, 202],
    );
    const mails = await mailTo(email);
    assert.equal(mails.length, 1);
    const { raw, from } = mails[0]!;
    assert.equal(from, 'shop@example.com');
    const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
    assert.doesNotMatch(head, /^Bcc:/im);
    assert.match(head, /^Message-ID: <[0-9a-f-]{36}@example\.com>/im);
    const { 'text/plain': text = '', 'text/html': html = '' } = partsOf(raw);
    assert.match(text, /Sua conversa com Shop <b>& Bcc: x@example\.com/);
    assert.match(text, /<script>alert\("hello"\)<\/script>\r?\n\.\r?\nsecond line/);
    assert.match(html, /&lt;script&gt;alert\(&quot;hello&quot;\)&lt;\/script&gt;<br>/);
    assert.match(html, /Olá, “Ada”/);
    assert.doesNotMatch(html, /<script|<b>/);
    assert.ok(!raw.includes('internal note'));
  });

  it('an operator sends it; bad addresses, other accounts and too many are refused', async () => {
    const { sessionId } = await visitor();
    const path = `/sessions/${sessionId}/transcript`;
    const send = (email: unknown, token = service.token) => call('POST', path, { token, body: { email } });
    for (const email of ['', 'ada', 'a@b', 'a@example.com\r\nBcc: b@example.com', '"a b"@example.com', 5]) {
      assert.equal((await send(email)).status, 400, String(email));
    }
    const other = await service.createAccount();
    assert.equal((await send('ada@example.com', other.token)).status, 404);
    assert.deepEqual(await talk.expect(202, send('grace@example.com')), {
      sessionId,
      email: 'grace@example.com',
    });
    await mailTo('grace@example.com');
    // A permanent refusal ends the job.
    smtp.refusals.push('550 no such user');
    await talk.expect(202, send('gone@example.com'));
    await eventually(async () => smtp.refusals.length === 0 && (await jobsTo('gone@example.com')) === 0);
    assert.ok(!smtp.mails.some(({ to }) => to.includes('gone@example.com')));
    // A repetition of a request does not count for the limit.
    const headers = { 'idempotency-key': unique('key') };
    for (let repeated = 0; repeated < 6; repeated++) {
      await talk.expect(202, call('POST', path, { headers, body: { email: 'once@example.com' } }));
    }
    for (let sent = 3; sent < 5; sent++) await talk.expect(202, send(`more-${sent}@example.com`));
    assert.equal((await send('one-too-many@example.com')).status, 429);
    assert.deepEqual(await talk.expect(200, call('GET', '/mail')), { isConfigured: true });
  });

  it('a token needs messages:read as well, and each request is in the audit log', async () => {
    const { sessionId } = await visitor();
    const path = `/sessions/${sessionId}/transcript`;
    const body = { email: 'audit@example.com' };
    const { token } = await service.createToken(service.admin.jwt, { scopes: ['messages:write'] });
    const refused = await call('POST', path, { token, body });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [403, 'the token lacks the scope messages:read'],
    );
    await talk.expect(202, call('POST', path, { token: service.admin.jwt, body }));
    const log = await talk.expect(
      200,
      call('GET', '/audit-log?targetType=session', { token: service.admin.jwt }),
    );
    const { action, actor, target, changes } = log.items[0];
    assert.deepEqual(
      [action, actor.id, target.id, changes],
      [
        'session.transcript_requested',
        service.admin.userId,
        sessionId,
        { email: { from: null, to: 'audit@example.com' } },
      ],
    );
  });

  it('visitors have limits of their own, which a request without a conversation does not use', async () => {
    const started = await talk.expect(
      200,
      call('POST', '/widget/sessions', { token: null, body: { channel: channelId } }),
    );
    const ask = (token: string, email: string) =>
      call('POST', '/widget/transcript', { token, body: { email } });
    for (let asked = 0; asked < 6; asked++) {
      assert.equal((await ask(started.token, 'victim@example.com')).status, 409);
    }
    const [first, second] = [await visitor(), await visitor()];
    for (let sent = 0; sent < 5; sent++)
      await talk.expect(202, ask(first.token, sent < 4 ? 'victim@example.com' : 'other@example.com'));
    assert.equal((await ask(first.token, 'third@example.com')).status, 429, 'of the conversation');
    await talk.expect(202, ask(second.token, 'VICTIM@example.com'));
    assert.equal((await ask(second.token, 'victim@example.com')).status, 429, 'of the recipient');
    const byOperator = { body: { email: 'victim@example.com' } };
    await talk.expect(202, call('POST', `/sessions/${first.sessionId}/transcript`, byOperator));
  });

  it('a long conversation is cut at about a million characters, the latest messages stay', async () => {
    const { sessionId } = await visitor();
    await talk.pause(sessionId);
    for (let index = 0; index < 17; index++) {
      const content = `Part ${index}. ${'x'.repeat(65_000)}`;
      await talk.operatorSays(channelId, sessionId, { content });
    }
    const body = { email: 'long@example.com', language: 'en' };
    await talk.expect(202, call('POST', `/sessions/${sessionId}/transcript`, { body }));
    const [mail] = await mailTo('long@example.com');
    const { 'text/plain': text = '' } = partsOf(mail!.raw);
    assert.match(text, /Earlier messages are not included\./);
    assert.ok(text.includes('Part 16.') && text.includes('Part 2.') && !text.includes('Part 1.'));
  });

  it('a worker without mail settings leaves the job for a retry', async () => {
    const { sessionId } = await visitor();
    const handler = transcriptHandler({ ...service.context, config: { mail: null } });
    const { accountId } = service.admin;
    const job = { accountId, payload: { sessionId } } as unknown as Job;
    await assert.rejects(handler(job), /SMTP_URL/);
  });

  it('409 where no mail is configured, and the widget does not offer it', async () => {
    const { token, sessionId } = await visitor();
    const second = await service.startSecond({ SMTP_URL: '', MAIL_FROM: '' });
    const body = { email: 'ada@example.com' };
    const refused = await second.call('POST', `/sessions/${sessionId}/transcript`, {
      token: service.token,
      body,
    });
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /SMTP_URL/);
    assert.equal((await second.call('POST', '/widget/transcript', { token, body })).status, 409);
    const frame = await second.call('GET', `/widget/frame?channel=${channelId}`, { token: null });
    assert.match(frame.text, /"offerTranscript":false/);
    assert.deepEqual((await second.call('GET', '/mail', { token: service.token })).body, {
      isConfigured: false,
    });
    await second.close();
  });
});
