import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import { maxFiles, readMailBody } from './email.body.ts';
import { maxHeaders, maxLines, parseMail, unreadable } from './email.parse.ts';
import { createMailReader, mailReader } from './email.reader.ts';

const head = 'From: Ada <ada@example.org>\r\nSubject: Order\r\nMessage-ID: <a@example.org>\r\n';
const ofLines = (count: number) => Buffer.from(`${head}\r\n${'a\r\n'.repeat(count)}`);
const shown = ({ text, subject, from, messageId }: Awaited<ReturnType<typeof parseMail>>) => ({
  text,
  subject,
  from: from?.address,
  messageId,
});
const withoutText = {
  text: unreadable,
  subject: 'Order',
  from: 'ada@example.org',
  messageId: 'a@example.org',
};

describe('a mail over a bound has its headers and a line in place of its text', () => {
  const nested = Array.from(
    { length: 60 },
    (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
  ).join('');
  const cases: [string, () => Buffer][] = [
    ['lines', () => ofLines(maxLines + 1)],
    [
      'parts',
      () =>
        Buffer.from(
          `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(6_000)}`,
        ),
    ],
    ['nesting', () => Buffer.from(`${head}${nested}x`)],
    ['headers', () => Buffer.from(`${head}${`X-A: ${'b'.repeat(90)}\r\n`.repeat(maxHeaders / 90)}\r\nHello`)],
  ];
  for (const [bound, mail] of cases) {
    it(bound, async () => {
      assert.deepEqual(shown(await parseMail(mail())), withoutText);
    });
  }

  it('24 MB of short lines do not keep the process from its work', async () => {
    const raw = ofLines(8 * 1024 * 1024);
    let turns = 0;
    const beat = setInterval(() => turns++, 1);
    const mail = await mailReader.read(raw);
    clearInterval(beat);
    assert.deepEqual(shown(mail), withoutText);
    assert.ok(turns > 0);
  });
});

describe('the reader of mails', () => {
  it('reads as the parser does', async () => {
    const raw = Buffer.from(
      `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\nContent-Type: image/png; name=a.png\r\n\r\nx\r\n--b--`,
    );
    const [there, here] = await Promise.all([mailReader.read(raw), parseMail(raw)]);
    assert.deepEqual(there, here);
    assert.ok(Buffer.isBuffer(there.files[0]!.bytes));
  });

  it('gives up a mail that takes too long', async () => {
    // Shorter than a thread needs to start: that another one follows is a test of on-demand-thread.
    const reader = createMailReader({ timeoutMs: 1 });
    assert.equal((await reader.read(ofLines(maxLines - 10))).text, unreadable);
  });

  it('gives up a mail that needs too much memory', async () => {
    const reader = createMailReader({ heapMb: 32 });
    assert.deepEqual(shown(await reader.read(ofLines(maxLines - 10))), withoutText);
    assert.equal((await reader.read(Buffer.from(`${head}\r\nHello`))).text, 'Hello', 'the next one is read');
  });

  it('a mail of very many files has the first ones, and a line', async () => {
    const part = '--b\r\nContent-Type: application/x-any; name=a.bin\r\n\r\nx\r\n';
    const raw = Buffer.from(
      `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(maxFiles + 3)}--b--`,
    );
    const body = await readMailBody(providerLink({ settings: { address: 'shop@example.com' } }), raw, {
      at: 1,
    });
    assert.equal(body.media.length, maxFiles);
    assert.equal(body.text, '[3 more files are in the original.]');
  });
});
