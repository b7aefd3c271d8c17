/** Real-world shapes of mail: what becomes of each, and that threads with broken headers stay together. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { damages } from '../../../../test/support/mail-threads.ts';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import type { InboundMessage } from '../connectors.provider.ts';
import { readMailBody } from './email.body.ts';
import { hashOfId, parseMail, unreadable } from './email.parse.ts';
import { translateMail } from './email.translate.ts';

interface Expected {
  text: string;
  quoted?: boolean;
  subject?: string;
  files?: [string, string][];
  ignored?: boolean;
  bounce?: string;
  from?: string;
}

const folder = new URL('../../../../test/fixtures/mail/', import.meta.url);
const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Record<
  string,
  Expected
>;
const link = providerLink({ settings: { address: 'shop@example.com' } });
const read = (raw: Buffer) => readMailBody(link, raw, { at: 1 });

describe('mails of the corpus', () => {
  it('all are expected, and every shape is there', () => {
    const files = readdirSync(folder).flatMap((name) => /^(.+)\.eml$/.exec(name)?.[1] ?? []);
    assert.deepEqual(files.sort(), Object.keys(expected).sort());
    const shapes = ['enc-', 'invite', 'quote-outlook', 'quote-gmail', 'inline-image', 'bounce', 'auto-'];
    for (const shape of shapes)
      assert.ok(
        files.some((name) => name.startsWith(shape)),
        shape,
      );
  });

  for (const [name, wanted] of Object.entries(expected)) {
    it(name, async () => {
      const raw = readFileSync(new URL(`${name}.eml`, folder));
      const [parsed, body] = await Promise.all([parseMail(raw), read(raw)]);
      assert.equal(parsed.text || parsed.subject, wanted.text);
      if (wanted.quoted !== undefined) assert.equal(parsed.quotedText !== null, wanted.quoted);
      if (wanted.subject !== undefined) assert.equal(parsed.subject, wanted.subject);
      if (wanted.from !== undefined) assert.equal(parsed.from?.address, wanted.from);
      if (wanted.files)
        assert.deepEqual(
          parsed.files.map(({ name, type }) => [name, type]),
          wanted.files,
        );
      if (wanted.ignored !== undefined) assert.equal(body.ignored !== null, wanted.ignored);
      assert.equal(body.bounce?.reason, wanted.bounce);
      if (wanted.bounce) assert.equal(body.bounce?.idHash, hashOfId('ours-1@example.com'));
      const [item] = translateMail(link, JSON.stringify(body));
      const type = wanted.bounce ? 'status' : wanted.ignored ? 'ignored' : 'message';
      assert.equal(item?.type, type);
    });
  }
});

it('40 threads of one subject with broken headers: no mail is lost, and each is in its thread', async () => {
  const threadOfId = new Map<string, number>();
  const keys = new Set<string>();
  let count = 0;
  for (let round = 0; round < 4; round++) {
    for (let thread = 0; thread < 40; thread++) {
      const ids = Array.from({ length: round }, (_, place) => `t${thread}-${place}@example.org`);
      const damage = damages[thread % damages.length]!;
      const headers = round === 0 ? [] : damage(ids.at(-1)!, ids.slice(0, -1));
      // The root must be known for those that name only ancestors.
      const isLost = thread % damages.length === damages.length - 1 && round === 1;
      const head = [
        `From: customer${thread % 7}@example.org`,
        'To: shop@example.com',
        `Subject: ${round === 0 ? '' : 'RE: AW: '}Order`,
        `Message-ID: <t${thread}-${round}@example.org>`,
        ...(isLost ? [`References: <t${thread}-0@example.org> <lost@elsewhere>`] : headers),
      ];
      const body = await read(Buffer.from(`${head.join('\r\n')}\r\n\r\nSame words\r\n`));
      const item = translateMail(link, JSON.stringify(body))[0] as InboundMessage;
      assert.equal(item.text, 'Same words');
      keys.add(item.key);
      count++;
      const found = item.mail!.parents.map((id) => threadOfId.get(id)).find((one) => one !== undefined);
      assert.equal(found, round === 0 ? undefined : thread, head.join('\n'));
      threadOfId.set(item.mail!.idHash!, thread);
    }
  }
  assert.equal(keys.size, count);
});

it('two mails with one Message-ID are two; the same mail by two ways is one', async () => {
  const mail = (text: string, way: string) =>
    Buffer.from(`Received: from ${way}\r\nFrom: a@example.org\r\nMessage-ID: <same@x>\r\n\r\n${text}\r\n`);
  const ids = await Promise.all(
    [mail('One', 'a'), mail('Two', 'a'), mail('One', 'b')].map(
      async (raw) => (await read(raw)).providerMsgId,
    ),
  );
  assert.equal(ids[0], ids[2]);
  assert.notEqual(ids[0], ids[1]);
});

it('hostile mail is read within bounds', async () => {
  const many = `From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(10_000)}`;
  assert.equal((await parseMail(Buffer.from(many))).text, unreadable);
  let nested = 'From: a@example.org\r\nSubject: Deep\r\n';
  for (let depth = 0; depth < 100; depth++)
    nested += `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`;
  const deep = await parseMail(Buffer.from(nested));
  assert.deepEqual([deep.text, deep.subject], [unreadable, 'Deep']);
  // Quadratic work on these would take minutes.
  const long = 300_000;
  const bodies = [
    '<style>'.repeat(long / 7),
    '<'.repeat(long),
    '<a href="'.repeat(long / 9),
    '&'.repeat(long),
    `<div class="${' '.repeat(long)}`,
    `<p class=${' '.repeat(19_000)}x>`.repeat(200),
    `<p style="${'border-top: '.repeat(1_500)}>`.repeat(200),
    '<!--'.repeat(long / 4),
    `${'<a href=https://a.co>x'.repeat(long / 10)}${'</a>'.repeat(long / 10)}`,
    `${'<b>'.repeat(long)}${'</i>'.repeat(long)}`,
    '&a'.repeat(long),
  ];
  for (const body of bodies) {
    const parsed = await parseMail(
      Buffer.from(`From: a@example.org\r\nContent-Type: text/html\r\n\r\n${body}`),
    );
    assert.equal(typeof parsed.text, 'string');
  }
  // In a header the end of the address would be looked for at every bracket.
  const brackets = `From: a@b${'>'.repeat(1_000_000)}x\r\n\r\nHello`;
  assert.equal((await parseMail(Buffer.from(brackets))).text, 'Hello');
  for (const line of [
    '>'.repeat(long),
    'On 1 '.repeat(long / 5),
    '_'.repeat(long),
    '-'.repeat(long),
    'From: x\n'.repeat(long / 8),
  ]) {
    const parsed = await parseMail(Buffer.from(`From: a@example.org\r\n\r\n${line}`));
    assert.equal(typeof parsed.text, 'string');
  }
});
