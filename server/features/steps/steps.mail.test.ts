import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unique } from '../../../test/support/conversations.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { partsOf, type SmtpServer, startSmtpServer } from '../../../test/support/smtp-server.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { ruleMailHandler } from './steps.jobs.ts';
import type { RuleMail } from './steps.notify.ts';

describe('e-mails of rules', () => {
  let service: TestService;
  let smtp: SmtpServer;
  before(async () => {
    service = await joinTestService();
    smtp = await startSmtpServer();
  });
  after(async () => {
    await service.close();
    await smtp.close();
  });

  it('have the text, a link, one Message-ID for all attempts, and say that a program wrote them', async () => {
    const { db, logger } = service.context;
    const { port } = new URL(smtp.url);
    const from = { name: 'Shop', address: 'shop@example.com' };
    const server = { host: '127.0.0.1', port: Number(port), isSecure: false, user: '', password: '', from };
    const handle = ruleMailHandler({
      ...{ db, logger },
      config: { mail: server, publicUrl: 'https://desk.example.com' },
    });
    const { id: userId, email } = await service.createUser('operator');
    const mail: RuleMail = {
      ...{
        userId,
        ruleName: 'Late\r\nBcc: x@example.com',
        text: 'Due <b>now</b>\nCall them',
        id: unique('mail'),
      },
      ...{ sessionId: 'telegram:1', recordId: null },
    };
    const job = { accountId: service.admin.accountId, payload: mail, signal: AbortSignal.timeout(20_000) };
    for (let attempt = 1; attempt <= 2; attempt++) await handle({ ...job, attempt } as unknown as Job);
    await handle({ ...job, payload: { ...mail, userId: service.admin.accountId } } as unknown as Job);
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [[email], [email]],
    );
    const [{ raw }, again] = smtp.mails as [SmtpServer['mails'][0], SmtpServer['mails'][0]];
    const idOf = (text: string) => /^Message-ID: (.+)$/im.exec(text)?.[1];
    assert.equal(idOf(raw), `<${mail.id}@example.com>`);
    assert.equal(idOf(again.raw), idOf(raw));
    assert.match(raw, /^Subject: Late Bcc: x@example\.com\r$/m);
    assert.match(raw, /^Auto-Submitted: auto-generated\r$/im);
    const parts = partsOf(raw);
    assert.equal(
      parts['text/plain']!.replaceAll('\r\n', '\n').trim(),
      'Due <b>now</b>\nCall them\n\nhttps://desk.example.com/app/inbox/telegram%3A1',
    );
    assert.match(parts['text/html']!, /<p>Due &lt;b&gt;now&lt;\/b&gt;<\/p><p>Call them<\/p>/);
  });
});
