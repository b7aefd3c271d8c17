import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { connectionOptions, createMailer, isPermanent, type MailSettings } from './mail.ts';

const settings: MailSettings = {
  host: '127.0.0.1',
  port: 25,
  isSecure: false,
  user: '',
  password: '',
  from: { name: 'Shop', address: 'shop@example.com' },
};
const mail = { messageId: '<1@example.com>', to: 'ada@example.com', subject: 's', text: 't', html: 'h' };

it('only a refusal of the message itself is permanent', () => {
  const cases: [number, string, boolean][] = [
    [550, 'RCPT TO', true],
    [552, 'DATA', true],
    [553, 'MAIL FROM', true],
    [530, 'MAIL FROM', false],
    [451, 'RCPT TO', false],
    [535, 'AUTH PLAIN', false],
    [554, 'CONN', false],
  ];
  for (const [responseCode, command, expected] of cases) {
    const error = Object.assign(new Error('no'), { responseCode, command });
    assert.equal(isPermanent(error), expected, `${responseCode} ${command}`);
  }
  assert.equal(isPermanent(new Error('no connection')), false);
});

it('a password is sent over TLS, except to this machine', () => {
  const requires = (change: Partial<MailSettings>) =>
    connectionOptions({ ...settings, user: 'shop', ...change }).requireTLS;
  assert.equal(requires({ host: 'mail.example.com' }), true);
  assert.equal(requires({ host: 'localhost' }), false);
  assert.equal(requires({ host: '::1' }), false);
  assert.equal(requires({ host: 'mail.example.com', user: '' }), false);
  assert.equal(requires({ host: 'mail.example.com', isSecure: true }), false);
});

async function serve(t: TestContext, onConnection: (socket: Socket) => void): Promise<MailSettings> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { ...settings, port: (server.address() as { port: number }).port };
}

it('an abort ends the wait for the server', async (t) => {
  const stop = new AbortController();
  const reason = new Error('stopping');
  // No greeting.
  const slow = await serve(t, () => stop.abort(reason));
  await assert.rejects(createMailer(slow).send(mail, stop.signal), reason);
  await assert.rejects(createMailer(slow).send(mail, stop.signal), reason);
});

it('an abort after the content was sent is ignored: the server has the message', async (t) => {
  const stop = new AbortController();
  const server = await serve(t, (socket) => {
    let isData = false;
    socket.write('220 ready\r\n');
    socket.on('data', (chunk) => {
      const text = String(chunk);
      if (isData) {
        stop.abort(new Error('stopping'));
        if (text.endsWith('\r\n.\r\n')) socket.write('250 queued\r\n');
      } else {
        isData = text.startsWith('DATA');
        socket.write(isData ? '354 go ahead\r\n' : '250 OK\r\n');
      }
    });
  });
  await createMailer(server).send(mail, stop.signal);
  assert.equal(stop.signal.aborted, true);
});

it('a rejected login is an error that is not permanent', async (t) => {
  const server = await serve(t, (socket) => {
    socket.write('220 ready\r\n');
    socket.on('data', (chunk) => {
      const isHello = String(chunk).startsWith('EHLO');
      socket.write(isHello ? '250-hello\r\n250 AUTH PLAIN\r\n' : '535 wrong password\r\n');
    });
  });
  const mailer = createMailer({ ...server, user: 'shop', password: 'wrong' });
  await assert.rejects(mailer.send(mail), (error) => /535/.test(String(error)) && !isPermanent(error));
  await assert.rejects(mailer.verify(), /535/);
});
