import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { isMailAddress } from '../../../../contract/messaging/mail.ts';
import { type ImapServer, startImapServer } from '../../../../test/support/providers/imap-server.ts';
import {
  type MailSubmission,
  startMailSubmission,
} from '../../../../test/support/providers/mail-submission.ts';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import type { Inbound, InboundMessage, Link, OutboundPart } from '../connectors.provider.ts';
import { ProviderError } from '../connectors.provider.ts';
import { email } from './email.ts';

const day = 24 * 3_600_000;
const keepNothing = async () => {};

interface Stage {
  imap: ImapServer;
  smtp: MailSubmission;
  link: Link;
  originals: Map<string, Buffer>;
}

async function stage(
  t: TestContext,
  change: { isAllowed?: boolean; imapPassword?: string } = {},
): Promise<Stage> {
  const [imap, smtp] = await Promise.all([startImapServer(), startMailSubmission()]);
  t.after(() => Promise.all([imap.close(), smtp.close()]));
  const originals = new Map<string, Buffer>();
  const link = providerLink({
    settings: {
      address: 'shop@example.com',
      fromName: 'The shop',
      signature: 'Kind regards\nThe shop',
      imap: { host: '127.0.0.1', port: imap.port, tls: false },
      smtp: { host: '127.0.0.1', port: smtp.port, tls: false },
    },
    credentials: {
      'imap.user': 'shop',
      'imap.password': change.imapPassword ?? 'imap-password',
      'smtp.user': 'shop',
      'smtp.password': 'smtp-password',
    },
    resolve: async (host) => ({ address: host, isAllowed: change.isAllowed ?? true }),
    originals: {
      async keep(bytes) {
        const key = randomUUID();
        originals.set(key, bytes);
        return key;
      },
      read: async (key) => originals.get(key) ?? null,
    },
  });
  return { imap, smtp, link, originals };
}

const mailOf = (id: string, text: string, from = 'Ada <ada@example.org>') =>
  `From: ${from}\nTo: shop@example.com\nSubject: Order\nMessage-ID: <${id}@example.org>\nDate: Mon, 02 Nov 2026 10:00:00 +0000\n\n${text}\n`;

/** Polls until a poll brings something. */
async function pollUntilNews(link: Link, cursor: string | null, signal: AbortSignal) {
  for (;;) {
    const polled = await email.poll!(link, cursor, signal, keepNothing);
    cursor = polled.cursor;
    if (polled.bodies.length > 0) return polled;
  }
}

const translate = (link: Link, body: string): Inbound[] =>
  email.translate(link, { text: body, receivedAt: Date.now() });
const textsOf = (link: Link, bodies: string[]) =>
  bodies.flatMap((body) => translate(link, body)).map((item) => (item as InboundMessage).text);

const rejectsAs = (call: Promise<unknown>, errorClass: string, pattern: RegExp) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof ProviderError, String(error));
    assert.equal(error.errorClass, errorClass, error.message);
    assert.match(error.message, pattern);
    return true;
  });

it('a mailbox begins at its present, tells of new mail while it is idle, and keeps its place', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  imap.deliver(mailOf('old', 'From last year'));
  const first = await email.poll!(link, null, stop.signal, keepNothing);
  assert.deepEqual(first.bodies, []);

  const idling = imap.idling();
  const waiting = pollUntilNews(link, first.cursor, stop.signal);
  await idling;
  imap.deliver(mailOf('a', 'One'));
  const second = await waiting;
  assert.deepEqual(textsOf(link, second.bodies), ['One']);

  imap.deliver(mailOf('b', 'Two'));
  imap.deliver(mailOf('c', 'Three'));
  const third = await pollUntilNews(link, second.cursor, stop.signal);
  assert.deepEqual(textsOf(link, third.bodies), ['Two', 'Three']);
  assert.equal(imap.logins, 1);
});

it('mail that arrives after connecting and before the first poll is read', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  imap.deliver(mailOf('old', 'From last year'));
  const { state, cursor = null } = await email.connect(link);
  assert.equal(state, 'connected');
  imap.deliver(mailOf('a', 'One'));
  const { bodies } = await email.poll!(link, cursor, stop.signal, keepNothing);
  assert.deepEqual(textsOf(link, bodies), ['One']);
});

it('a lost connection in the middle of a mail is an error, and the next poll reads it', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { cursor } = await email.poll!(link, null, stop.signal, keepNothing);
  imap.deliver(mailOf('a', 'One'));
  imap.dropsFetch = true;
  await rejectsAs(email.poll!(link, cursor, stop.signal, keepNothing), 'retry', /IMAP server cannot be used/);
  const polled = await pollUntilNews(link, cursor, stop.signal);
  assert.deepEqual(textsOf(link, polled.bodies), ['One']);
  assert.equal(imap.logins, 2);
});

it('a mail that ends the process twice is skipped, and others that were not stored yet are not', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  let kept = (await email.poll!(link, null, stop.signal, keepNothing)).cursor!;
  imap.deliver(mailOf('a', 'One'));
  const uid = imap.deliver(mailOf('b', 'Two'));
  imap.deliver(mailOf('c', 'Three'));
  // As kill -9 while the second is read: what was stored until then is all that is left.
  const crash = async () => {
    const crashed = new Error('the process ended');
    let isOver = false;
    const keep = async (cursor: string) => {
      if (isOver) throw crashed;
      kept = cursor;
      isOver = JSON.parse(cursor).tried[uid] > (tries[uid] ?? 0);
      if (isOver) throw crashed;
    };
    const tries = JSON.parse(kept).tried ?? {};
    await assert.rejects(email.poll!(link, kept, stop.signal, keep));
  };
  await crash();
  await crash();
  assert.deepEqual(JSON.parse(kept).tried, { [uid]: 2 });
  const polled = await email.poll!(link, kept, stop.signal, async (cursor) => {
    kept = cursor;
  });
  assert.deepEqual(textsOf(link, polled.bodies), [
    'One',
    '[E-mail not received: Order. Reason: reading it ended the service twice. It is still in the mailbox.]',
    'Three',
  ]);
  assert.match(polled.notice!, /^An e-mail of ada@example\.org was skipped: /);
  assert.equal(JSON.parse(polled.cursor!).tried, undefined);
});

it('an error that is not of the mail is not counted, and one crash is no reason to skip', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  let kept = (await email.poll!(link, null, stop.signal, keepNothing)).cursor!;
  const keep = async (cursor: string) => {
    kept = cursor;
  };
  const uid = imap.deliver(mailOf('a', 'One'));
  const { keep: keepOriginal } = link.originals!;
  link.originals!.keep = async () => {
    throw new Error('the disk is full');
  };
  for (let time = 0; time < 3; time++) await assert.rejects(email.poll!(link, kept, stop.signal, keep));
  assert.deepEqual(JSON.parse(kept).tried, { [uid]: 0 });
  link.originals!.keep = keepOriginal;
  const once = JSON.stringify({ ...JSON.parse(kept), tried: { [uid]: 1 } });
  assert.deepEqual(textsOf(link, (await email.poll!(link, once, stop.signal, keep)).bodies), ['One']);
});

it('new UIDs: the mails come again with the same keys, and nothing older than the connection', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  imap.deliver(mailOf('old', 'From last year'), Date.now() - 365 * 24 * 3_600_000);
  const { cursor } = await email.poll!(link, null, stop.signal, keepNothing);
  imap.deliver(mailOf('a', 'One'));
  const before = await pollUntilNews(link, cursor, stop.signal);
  imap.deliver(mailOf('b', 'Two'));
  imap.renumber();
  let after: Awaited<ReturnType<typeof pollUntilNews>> | null = null;
  while (!after) after = await pollUntilNews(link, before.cursor, stop.signal).catch(() => null);
  assert.deepEqual(textsOf(link, after.bodies), ['One', 'Two']);
  const keyOf = (body: string) => (translate(link, body)[0] as InboundMessage).key;
  assert.equal(keyOf(after.bodies[0]!), keyOf(before.bodies[0]!));
});

it('new UIDs: what was there long before the last mail is never read again', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const now = Date.now();
  for (const id of ['a', 'b']) imap.deliver(mailOf(id, 'Ten days old'), now - 10 * day);
  const before = { validity: 'another', uid: 900, first: now - 30 * day, seen: now };
  const { bodies, cursor } = await email.poll!(link, JSON.stringify(before), stop.signal, keepNothing);
  assert.deepEqual(bodies, []);
  const uid = imap.deliver(mailOf('c', 'New'));
  const polled = await pollUntilNews(link, cursor, stop.signal);
  assert.deepEqual(textsOf(link, polled.bodies), ['New']);
  const { validity, ...after } = JSON.parse(polled.cursor!);
  assert.notEqual(validity, before.validity);
  assert.deepEqual(after, { uid, first: before.first, seen: after.seen });
});

it('new UIDs: mails are read again in several polls, the older ones in none of them', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const now = Date.now();
  for (let count = 0; count < 25; count++) imap.deliver(mailOf(`m${count}`, `Mail ${count}`), now);
  // A restored mailbox may have its old mail behind the new.
  imap.deliver(mailOf('old', 'Ten days old'), now - 10 * day);
  const before = { validity: 'another', uid: 900, first: now - 30 * day, seen: now };
  const first = await email.poll!(link, JSON.stringify(before), stop.signal, keepNothing);
  const second = await email.poll!(link, first.cursor, stop.signal, keepNothing);
  imap.deliver(mailOf('new', 'New'));
  const third = await pollUntilNews(link, second.cursor, stop.signal);
  const texts = [first, second, third].map(({ bodies }) => textsOf(link, bodies));
  const all = Array.from({ length: 25 }, (_, count) => `Mail ${count}`);
  assert.deepEqual(texts, [all.slice(0, 20), all.slice(20), ['New']]);
});

it('a mail that is larger than the server says becomes a line, and the next one is read', async (t) => {
  const { imap, link } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { cursor } = await email.poll!(link, null, stop.signal, keepNothing);
  imap.reportedSize = 100;
  const head = Buffer.from(mailOf('a', 'x').replaceAll('\n', '\r\n'));
  imap.deliver(Buffer.concat([head, Buffer.alloc(26 * 1024 * 1024, 'x')]));
  imap.deliver(mailOf('b', 'Next'));
  const { bodies } = await pollUntilNews(link, cursor, stop.signal);
  assert.deepEqual(textsOf(link, bodies), [
    '[E-mail not received: Order. Reason: it has 26 MB, and at most 25 MB are taken.]',
    'Next',
  ]);
});

it('a mail that is too large becomes a line that names it', async (t) => {
  const { imap, link, originals } = await stage(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { cursor } = await email.poll!(link, null, stop.signal, keepNothing);
  imap.deliver(
    Buffer.concat([
      Buffer.from(mailOf('a', 'x').replaceAll('\n', '\r\n')),
      Buffer.alloc(25 * 1024 * 1024, 'x'),
    ]),
  );
  const { bodies } = await pollUntilNews(link, cursor, stop.signal);
  assert.deepEqual(textsOf(link, bodies), [
    '[E-mail not received: Order. Reason: it has 26 MB, and at most 25 MB are taken.]',
  ]);
  assert.equal(originals.size, 0);
});

it('a wrong password is an error of the credentials, and a check says so', async (t) => {
  const { link, smtp } = await stage(t, { imapPassword: 'wrong' });
  await rejectsAs(email.check(link), 'credentials', /IMAP server rejected .* Invalid credentials/);
  const right = { ...link, credentials: { ...link.credentials, 'imap.password': 'imap-password' } };
  assert.deepEqual(await email.check(right), { detail: 'Connected to the mailbox of shop@example.com.' });
  smtp.password = 'changed';
  await rejectsAs(email.check(right), 'credentials', /SMTP server rejected/);
});

it('without encryption nothing is sent to a server that is not allowed', async (t) => {
  const { link, imap, smtp } = await stage(t, { isAllowed: false });
  await rejectsAs(email.check(link), 'retry', /IMAP server offers no encryption \(STARTTLS\)/);
  await rejectsAs(email.send(link, part()), 'retry', /STARTTLS|TLS/i);
  assert.equal(imap.logins, 0);
  assert.deepEqual(smtp.mails, []);
});

function part(change: Partial<OutboundPart> = {}): OutboundPart {
  return {
    id: '0192aa00-0000-7000-8000-000000000000.0',
    to: { customerId: 'ada@example.org', identifiers: [] },
    text: 'Hello **Ada**, see [our page](https://example.com/a).',
    file: null,
    files: [],
    quoted: null,
    isByPerson: true,
    mail: {
      messageId: '0192aa00-0000-7000-8000-000000000000.0@example.com',
      inReplyTo: 'a@example.org',
      references: ['root@example.org', 'a@example.org'],
      subject: 'Re: Order',
      to: [{ name: 'Ada', address: 'ada@example.org' }],
      cc: [{ name: null, address: 'ben@example.org' }],
      quoted: {
        subject: 'Order',
        from: { name: 'Ada', address: 'ada@example.org' },
        to: [],
        date: Date.UTC(2026, 10, 2, 10, 0),
        text: 'Where is it?\n<b>Thanks</b>',
        html: null,
      },
      isForward: false,
    },
    ...change,
  };
}

it('a reply has its ids, both forms of its text, the signature, the quotation and its files', async (t) => {
  const { link, smtp } = await stage(t);
  const files = [
    {
      kind: 'document',
      name: 'bill é.pdf',
      mimeType: 'application/pdf',
      bytes: Buffer.from('%PDF-1'),
      url: null,
    },
  ] as const;
  const sent = await email.send(link, part({ files }));
  assert.match(sent.providerMsgId, /^[\w-]{43}$/);
  const [mail] = smtp.mails;
  assert.deepEqual(mail!.to, ['ada@example.org', 'ben@example.org']);
  assert.equal(mail!.from, 'shop@example.com');
  const raw = mail!.raw.replaceAll('\r\n', '\n').replaceAll('=\n', '');
  assert.match(raw, /^From: The shop <shop@example.com>$/m);
  assert.match(raw, /^Message-ID: <0192aa00-0000-7000-8000-000000000000.0@example.com>$/m);
  assert.match(raw, /^In-Reply-To: <a@example.org>$/m);
  assert.match(raw, /^References: <root@example.org> <a@example.org>$/m);
  assert.match(raw, /^Subject: Re: Order$/m);
  assert.doesNotMatch(raw, /Auto-Submitted/i);
  assert.match(
    raw,
    /Hello Ada, see our page \(https:\/\/example.com\/a\)\.\n\n--(?: |=20)\nKind regards\nThe shop\n\nOn Mon, 2 Nov 2026, 10:00 UTC, Ada <ada@example.org> wrote:\n> Where is it\?\n> <b>Thanks<\/b>\n/,
  );
  assert.match(raw, /<b>Ada<\/b>/);
  assert.match(raw, /&lt;b&gt;Thanks&lt;\/b&gt;/);
  assert.match(raw, /filename\*0?\*?=/);
});

it('what an agent wrote says so, so that programs do not answer it', async (t) => {
  const { link, smtp } = await stage(t);
  await email.send(link, part({ isByPerson: false }));
  assert.match(smtp.mails[0]!.raw, /^Auto-Submitted: auto-replied\r$/m);
});

it('refusals: a temporary one is tried again, a final one has the server’s sentence, a lost answer is lost', async (t) => {
  const { link, smtp } = await stage(t);
  smtp.refusals.push({ code: 451, text: 'Try later' }, { code: 451, text: 'Try later' });
  await rejectsAs(email.send(link, part()), 'retry', /Try later/);
  smtp.refusals.push({ code: 550, text: 'No such user' }, { code: 550, text: 'No such user' });
  await rejectsAs(email.send(link, part()), 'final', /No such user/);
  // Only the customer is refused: then nobody gets it, and it can be tried again.
  smtp.refusals.push({ code: 550, text: 'No such user' });
  await rejectsAs(email.send(link, part()), 'final', /rejected ada@example.org: 550 No such user/);
  smtp.refusals.push({ code: 451, text: 'Try later' });
  await rejectsAs(email.send(link, part()), 'retry', /451 Try later/);
  smtp.refusals.push({ code: 451, text: 'Try later' }, { code: 550, text: 'No such user' });
  await rejectsAs(email.send(link, part()), 'retry', /451 Try later/);
  assert.deepEqual(smtp.mails, []);
  smtp.losesAnswers = 1;
  await rejectsAs(email.send(link, part()), 'lost', /lost while the message was sent/);
  assert.equal(smtp.mails.length, 1);
});

it('a copy that is refused is a line for operators, and the customer gets the mail', async (t) => {
  const { link, smtp } = await stage(t);
  const accepted = { code: 250, text: '' };
  smtp.refusals.push(accepted, { code: 550, text: 'No such user' });
  const sent = await email.send(link, part());
  assert.equal(
    sent.notice,
    'The mail server rejected copies of the e-mail: ben@example.org (550 No such user)',
  );
  assert.deepEqual(smtp.mails[0]!.to, ['ada@example.org']);
});

it('an address has no spaces at its ends, no invisible characters and one at sign', () => {
  for (const right of ['a@b.co', 'ana.lima+x@sub.example.org', 'josé@exämple.org']) {
    assert.ok(isMailAddress(right), right);
  }
  const wrong = [
    ' a@b.co',
    'a@b.co ',
    'a@b.co\n',
    'a\0@b.co',
    'a@b\u007f.co',
    'a@b\u200b.co',
    'a@b@c.co',
    'a b@c.co',
  ];
  for (const one of wrong) assert.ok(!isMailAddress(one), JSON.stringify(one));
});
