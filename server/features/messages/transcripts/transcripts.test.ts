/** Conversations by e-mail, through a real SMTP server on the loopback. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { partsOf, type SmtpServer, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { transcriptHandler } from './transcripts.jobs.ts';
import { type TranscriptLine, writeTranscript } from './transcripts.text.ts';

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
  /** The address that the conversation has from now on. */
  const nowAt = async (token: string, email: string): Promise<string> =>
    (await talk.expect(200, call('POST', '/widget/details', { token, body: { email } }))).token;
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
    const own = await nowAt(token, email);
    const request = () =>
      call('POST', '/widget/transcript', {
        token: own,
        body: { email: email.toUpperCase(), language: 'pt' },
      });
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
    const { sessionId, token: own } = await visitor();
    const path = `/sessions/${sessionId}/transcript`;
    const send = (email: unknown, token = service.token) => call('POST', path, { token, body: { email } });
    const sendTo = async (email: string) => {
      await nowAt(own, email);
      return send(email);
    };
    for (const email of ['', 'ada', 'a@b', 'a@example.com\r\nBcc: b@example.com', '"a b"@example.com', 5]) {
      assert.equal((await send(email)).status, 400, String(email));
    }
    const other = await service.createAccount();
    assert.equal((await send('ada@example.com', other.token)).status, 404);
    assert.deepEqual(await talk.expect(202, sendTo('grace@example.com')), {
      sessionId,
      email: 'grace@example.com',
    });
    await mailTo('grace@example.com');
    // A permanent refusal ends the job.
    smtp.refusals.push('550 no such user');
    await talk.expect(202, sendTo('gone@example.com'));
    await eventually(async () => smtp.refusals.length === 0 && (await jobsTo('gone@example.com')) === 0);
    assert.ok(!smtp.mails.some(({ to }) => to.includes('gone@example.com')));
    // A repetition of a request does not count for the limit.
    const headers = { 'idempotency-key': unique('key') };
    await nowAt(own, 'once@example.com');
    for (let repeated = 0; repeated < 6; repeated++) {
      await talk.expect(202, call('POST', path, { headers, body: { email: 'once@example.com' } }));
    }
    for (let sent = 3; sent < 5; sent++) await talk.expect(202, sendTo(`more-${sent}@example.com`));
    assert.equal((await sendTo('one-too-many@example.com')).status, 429);
    assert.deepEqual(await talk.expect(200, call('GET', '/mail')), { isConfigured: true });
  });

  it('goes only to those who take part: the customer and users of the account', async () => {
    const { sessionId, token } = await visitor();
    const send = (email: string) => call('POST', `/sessions/${sessionId}/transcript`, { body: { email } });
    const ask = (email: string) => call('POST', '/widget/transcript', { token, body: { email } });
    const stranger = await service.createAccount();
    const me = (await call('GET', '/auth/me', { token: stranger.jwt })).body;
    for (const email of ['stranger@example.com', (me.user ?? me).email]) {
      for (const answer of [await send(email), await ask(email)]) {
        assert.deepEqual(
          [answer.status, answer.body.message],
          [400, 'email must be an address of this conversation or of a user of the account'],
        );
      }
    }
    const colleague = await service.createUser('operator');
    await talk.expect(202, send(colleague.email.toUpperCase()));
    assert.equal((await ask(colleague.email)).status, 400, 'not for a visitor');
    const own = await nowAt(token, 'own@example.com');
    await talk.expect(202, send('Own@example.com'));
    assert.equal(
      (await call('POST', '/widget/transcript', { token: own, body: { email: 'own@example.com' } })).status,
      202,
    );
  });

  it('links of the customer are left out, those of the account stay', () => {
    const line = (text: string, by: TranscriptLine['by'], fileNames: string[] = []) => ({
      author: 'A',
      at: 0,
      text,
      fileNames,
      by,
    });
    const visited = [
      'Look: https://evil.example/a?b=1 or (HTTP://evil.example) or www.evil.example',
      'evil.example/login evil.com:8080/x пример.рф/а',
      'evil.com, mail ada.smith@example.com, 1.50 e.g. this',
    ].join('\n');
    const { text, html } = writeTranscript({
      title: 'Shop',
      lines: [
        line(visited, 'customer', ['evil.zip']),
        line('See https://shop.example/order', 'person'),
        line('As you say: https://EVIL.example/a and [this](http://evil.com/b), or shop.example/help', 'ai'),
      ],
      isCut: false,
      language: 'en',
      timeZone: 'UTC',
    });
    for (const written of [text, html]) {
      assert.match(written, /Look: \[link\] or \[link\] or \[link\](?:\n|<br>)\[link\] \[link\] \[link\]/);
      assert.ok(written.includes('evil[.]com, mail ada.smith@example.com, 1.50 e.g. this'), written);
      assert.ok(written.includes('File: evil[.]zip'));
      assert.ok(written.includes('See https://shop.example/order'));
      assert.ok(written.includes('As you say: [link] and [link] or shop.example/help'), written);
      assert.doesNotMatch(written, /evil\.|пример\./i);
    }
  });

  it('a text that is made to be slow is not', () => {
    for (const unit of ['a', 'a.', '-', 'a.b-', 'é.', 'a.aa:1']) {
      const text = unit.repeat(65_536 / unit.length);
      const since = process.cpuUsage();
      const lines = [{ author: 'A', at: 0, text, fileNames: [], by: 'customer' as const }];
      writeTranscript({ title: 'x', lines, isCut: false, language: 'en', timeZone: 'UTC' });
      assert.ok(process.cpuUsage(since).user < 500_000, unit);
    }
  });

  it('a token needs messages:read as well, and each request is in the audit log', async () => {
    const { sessionId, token: own } = await visitor();
    const path = `/sessions/${sessionId}/transcript`;
    const body = { email: 'audit@example.com' };
    await nowAt(own, body.email);
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
    const ask = async (token: string, email: string) => {
      const own = await nowAt(token, email);
      return call('POST', '/widget/transcript', { token: own, body: { email } });
    };
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
    await nowAt(first.token, 'victim@example.com');
    await talk.expect(202, call('POST', `/sessions/${first.sessionId}/transcript`, byOperator));
  });

  it('a long conversation is cut at about a million characters, the latest messages stay', async () => {
    const { sessionId, token } = await visitor();
    await nowAt(token, 'long@example.com');
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
