/** Encrypted connections to mail servers: from the start and by STARTTLS, with a certificate that is checked. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startImapServer } from '../../../../test/support/providers/imap-server.ts';
import { startMailSubmission } from '../../../../test/support/providers/mail-submission.ts';
import { providerLink } from '../../../../test/support/providers/provider-link.ts';
import { tlsCertificate, tlsName } from '../../../../test/support/tls-certificate.ts';
import { email } from './email.ts';

async function stage(t: TestContext, tls: 'starttls' | 'implicit', host = tlsName) {
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, tlsCertificate]);
  t.after(() => setDefaultCACertificates(usual));
  const [imap, smtp] = await Promise.all([startImapServer({ tls }), startMailSubmission({ tls })]);
  t.after(() => Promise.all([imap.close(), smtp.close()]));
  const isImplicit = tls === 'implicit';
  const link = providerLink({
    settings: {
      address: 'shop@example.com',
      imap: { host, port: imap.port, tls: isImplicit },
      smtp: { host, port: smtp.port, tls: isImplicit },
    },
    credentials: {
      'imap.user': 'shop',
      'imap.password': 'imap-password',
      'smtp.user': 'shop',
      'smtp.password': 'smtp-password',
    },
    // Not a server that may be used without encryption.
    resolve: async () => ({ address: '127.0.0.1', isAllowed: false }),
  });
  return { imap, smtp, link };
}

const reply = {
  id: 'part',
  to: { customerId: 'ada@example.org', identifiers: [] },
  text: 'Hello',
  file: null,
  quoted: null,
  mail: {
    messageId: 'part@example.com',
    references: [],
    inReplyTo: null,
    subject: 'Hello',
    to: [{ name: null, address: 'ada@example.org' }],
    cc: [],
    quoted: null,
    isForward: false,
  },
};

for (const tls of ['implicit', 'starttls'] as const) {
  it(`mail is read and sent by an encrypted connection (${tls})`, async (t) => {
    const { imap, smtp, link } = await stage(t, tls);
    assert.deepEqual(await email.check(link), { detail: 'Connected to the mailbox of shop@example.com.' });
    const stop = new AbortController();
    t.after(() => stop.abort());
    const { cursor } = await email.poll!(link, null, stop.signal, async () => {});
    imap.deliver('From: ada@example.org\nSubject: Hi\n\nHi\n');
    const { bodies } = await email.poll!(link, cursor, stop.signal, async () => {});
    assert.equal(bodies.length, 1);
    await email.send(link, reply);
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [['ada@example.org']],
    );
  });

  it(`a certificate of another name is an error, and nothing is sent (${tls})`, async (t) => {
    const { imap, smtp, link } = await stage(t, tls, 'another.test');
    await assert.rejects(email.check(link), /IMAP server cannot be used/);
    await assert.rejects(email.send(link, reply), /SMTP server cannot be used/);
    assert.equal(imap.logins, 0);
    assert.deepEqual(smtp.mails, []);
  });
}

it('TLS on a port without it says which setting to change', async (t) => {
  const { link: right } = await stage(t, 'starttls');
  const withTls = (name: 'imap' | 'smtp') => ({ ...(right.settings[name] as object), tls: true });
  const link = { ...right, settings: { ...right.settings, imap: withTls('imap'), smtp: withTls('smtp') } };
  await assert.rejects(email.check(link), {
    message: 'The IMAP server does not speak TLS on this port. Choose STARTTLS, or port 993.',
  });
  await assert.rejects(email.send(link, reply), {
    message: 'The SMTP server does not speak TLS on this port. Choose STARTTLS, or port 465.',
  });
});

it('a certificate of an unknown authority, or of another name, is named as the problem', async (t) => {
  const { link } = await stage(t, 'implicit', 'another.test');
  await assert.rejects(email.check(link), /its certificate is for another name\. Enter the name/);
  setDefaultCACertificates(getCACertificates('bundled'));
  await assert.rejects(email.check(link), /its certificate is not from a known authority\./);
});
