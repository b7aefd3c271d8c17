import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { jwtVerify } from 'jose';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { connectLive, listen } from '../../../test/support/live.ts';
import { type Receiver, startReceiver } from '../../../test/support/receivers.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { expediteJobs } from '../../platform/jobs/jobs.ts';
import { parseOutboundAllow } from '../../platform/outbound/outbound-address.ts';
import { isPushEndpoint } from './realtime.push.ts';

/** A browser's half of RFC 8291: its keys, and decrypting what was sent to it. */
function createBrowser() {
  const ecdh = createECDH('prime256v1');
  const own = ecdh.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
    read(body: Buffer): Json {
      const salt = body.subarray(0, 16);
      const length = body[20]!;
      const sender = body.subarray(21, 21 + length);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
      const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
      const derive = (what: string, bytes: number) =>
        Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${what}\0`, bytes));
      const sealed = body.subarray(21 + length);
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString('utf8'));
    },
  };
}

describe('web push', () => {
  let service: TestService;
  let talk: Conversations;
  let pushService: Receiver;
  const arrived: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  /** By path; 201 otherwise. */
  const answers = new Map<string, number[]>();
  before(async () => {
    pushService = await startReceiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        arrived.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
        response.writeHead(answers.get(path)?.shift() ?? 201).end();
      });
    });
    service = await startTestService({
      worker: true,
      env: { OUTBOUND_ALLOW: `127.0.0.1:${pushService.port}` },
    });
    talk = conversationsOf(service);
  });
  after(async () => {
    await service?.close();
    await pushService?.close();
  });

  const subscribe = (jwt: string, endpoint: string, keys = createBrowser().keys) =>
    service.call('POST', '/push/subscriptions', { token: jwt, body: { endpoint, keys } });
  const at = (path: string) => pushService.origin + path;
  const to = (path: string) => arrived.filter((one) => one.path === path);
  const waiting = async () => {
    const sessionId = unique('push');
    await talk.accepted({ sessionId, sessionName: 'Grace' });
    await talk.settled(sessionId);
    await talk.pause(sessionId);
    return sessionId;
  };
  const subscriptions = (jwt: string) =>
    service.context.db.query<{ id: string }>(sql`
      select p.id from push_subscriptions p join users u on u.id = p.user_id
      where u.id = (select user_id from user_sessions where id = ${sessionOf(jwt)})`);
  const sessionOf = (jwt: string) =>
    JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()).session as string;

  it('one key for all processes; its private half is sealed', async () => {
    const second = await service.startSecond();
    try {
      const keys = await Promise.all(
        [service.call, second.call].map((call) => call('GET', '/push/key', { token: service.admin.jwt })),
      );
      assert.equal(keys[0]!.body.publicKey, keys[1]!.body.publicKey);
      assert.equal(Buffer.from(keys[0]!.body.publicKey, 'base64url').length, 65);
      const [row] = await service.context.db.query<{ key: string }>(
        sql`select private_key as key from push_keys`,
      );
      assert.match(row!.key, /^v1\./);
    } finally {
      await second.close();
    }
  });

  it('a customer’s message reaches the browser: encrypted for it, signed by the service', async () => {
    const operator = await service.createUser('operator');
    const browser = createBrowser();
    const created = await subscribe(operator.jwt, at('/one'), browser.keys);
    assert.equal(created.status, 201, created.text);
    const sessionId = await waiting();
    await talk.accepted({ sessionId, content: 'Please call me' });
    await eventually(() => to('/one').length > 0);
    const [{ headers, body }] = to('/one') as [(typeof arrived)[0]];
    const message = browser.read(body);
    assert.equal(message.title, 'Grace');
    assert.equal(message.body, 'Please call me');
    assert.equal(message.sessionId, sessionId);
    assert.equal(message.url, `/app/inbox/${sessionId}`);
    assert.equal(headers['content-encoding'], 'aes128gcm');
    assert.ok(Number(headers.ttl) > 0);
    const [, jwt, key] = /^vapid t=(\S+), ?k=(\S+)$/.exec(headers.authorization ?? '') ?? [];
    const bytes = Buffer.from(key!, 'base64url');
    const publicKey = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: bytes.subarray(1, 33).toString('base64url'),
        y: bytes.subarray(33).toString('base64url'),
      },
    });
    const { payload } = await jwtVerify(jwt!, publicKey, { audience: pushService.origin });
    assert.match(String(payload.sub), /^(mailto|https):/);
  });

  it('a reminder of a task reaches the browser of its assigned user', async () => {
    const operator = await service.createUser('operator');
    const browser = createBrowser();
    assert.equal((await subscribe(operator.jwt, at('/task'), browser.keys)).status, 201);
    const { recordId } = (await service.call('POST', '/crm/records', { body: { title: 'Ada' } })).body;
    const task = await service.call('POST', `/crm/records/${recordId}/tasks`, {
      token: operator.jwt,
      body: { title: 'Call back', assignedUserId: operator.id, remindAt: Date.now() + 3_600_000 },
    });
    assert.equal(task.status, 201, task.text);
    const { taskId } = task.body;
    await service.context.db.transaction((tx) =>
      expediteJobs(tx, {
        accountId: service.admin.accountId,
        kind: 'task-reminder',
        payload: { taskId },
      }),
    );
    await eventually(() => to('/task').length > 0);
    const { kind, title, body, url } = browser.read(to('/task')[0]!.body);
    assert.deepEqual([kind, title, body], ['task_reminder', 'Reminder: Call back', 'Ada']);
    assert.equal(url, `/app/records/${recordId}`);
  });

  it('posted again it is the same; in another user’s hands it is theirs', async () => {
    const [first, second] = [await service.createUser('operator'), await service.createUser('operator')];
    const { body } = await subscribe(first.jwt, at('/shared'));
    assert.equal((await subscribe(first.jwt, at('/shared'))).body.id, body.id);
    await subscribe(second.jwt, at('/shared'));
    assert.equal((await subscriptions(first.jwt)).length, 0);
    assert.equal((await subscriptions(second.jwt)).length, 1);
    const gone = await service.call('DELETE', `/push/subscriptions/${body.id}`, { token: first.jwt });
    assert.equal(gone.status, 404);
  });

  it('one that the push service does not know any more is removed; one that fails is tried again', async () => {
    const operator = await service.createUser('operator');
    for (const path of ['/gone', '/missing', '/busy']) await subscribe(operator.jwt, at(path));
    answers.set('/gone', [410]).set('/missing', [404]).set('/busy', [503, 429]);
    const sessionId = await waiting();
    await talk.accepted({ sessionId });
    await eventually(async () => (await subscriptions(operator.jwt)).length === 1);
    await eventually(() => to('/busy').length === 3, 15_000);
    assert.equal(to('/gone').length, 1);
    assert.equal(to('/missing').length, 1);
    const { text } = await service.call('GET', '/metrics');
    assert.match(text, /talkboard_push_sent_total\{outcome="gone"\} 2/);
  });

  it('quiet while the operator looks at that chat', async () => {
    const url = await listen(service.app);
    const operator = await service.createUser('operator');
    await subscribe(operator.jwt, at('/looking'));
    const [sessionId, other] = [await waiting(), await waiting()];
    const client = await connectLive(url, service.call, operator.jwt);
    try {
      client.say({ type: 'viewing', sessionId });
      await client.next('presence', (data) => data.sessionId === sessionId);
      await talk.accepted({ sessionId, content: 'seen' });
      await talk.accepted({ sessionId: other, content: 'not seen' });
      await client.next('notification.updated', (data) => data.notification.sessionId === other);
      await eventually(() => to('/looking').length === 1);
      client.say({ type: 'viewing' });
      await client.next('presence', (data) => data.sessionId === sessionId && data.people.length === 0);
      await talk.accepted({ sessionId, content: 'now unseen' });
      await eventually(() => to('/looking').length === 2);
    } finally {
      await client.end();
    }
  });

  it('what its person does not want pushed is not, and a test comes in spite of it', async () => {
    const operator = await service.createUser('operator');
    const browser = createBrowser();
    const { body } = await subscribe(operator.jwt, at('/unwanted'), browser.keys);
    const settings = (given: object) =>
      service.call('PATCH', '/notifications/settings', { token: operator.jwt, body: given });
    await settings({ topics: { message_waiting: { push: false } } });
    const sessionId = await waiting();
    await talk.accepted({ sessionId, content: 'not pushed' });
    const isListed = async (count: number) => {
      const list = await service.call('GET', '/notifications', { token: operator.jwt });
      return list.body.items.some((one: Json) => one.sessionId === sessionId && one.count === count);
    };
    await eventually(() => isListed(1));
    // All day, in any time zone.
    const quietHours = { enabled: true, from: '00:00', to: '00:00' };
    await settings({ topics: { message_waiting: { push: true } }, quietHours });
    await talk.accepted({ sessionId, content: 'not in quiet hours' });
    await eventually(() => isListed(2));
    await service.call('PATCH', '/auth/me', { token: operator.jwt, body: { language: 'pt' } });
    const test = (jwt: string) => service.call('POST', `/push/subscriptions/${body.id}/test`, { token: jwt });
    assert.equal((await test(service.admin.jwt)).status, 404);
    assert.equal((await test(operator.jwt)).status, 202);
    await eventually(() => to('/unwanted').length > 0);
    assert.deepEqual(
      to('/unwanted')
        .map((one) => browser.read(one.body))
        .map(({ kind, body: text }) => [kind, text]),
      [['test', 'As notificações chegam a este navegador.']],
    );
  });

  it('400 for every address that is no push service’s', async () => {
    const { jwt } = await service.createUser('operator');
    for (const endpoint of [
      'https://example.com/push',
      'http://fcm.googleapis.com/fcm/send/x',
      'https://fcm.googleapis.com.evil.example/x',
      'https://evil-fcm.googleapis.com/x',
      'https://fcm.googleapis.com:8443/x',
      'https://user@fcm.googleapis.com/x',
      'https://notify.windows.com/x',
      'https://x.notify.windows.com.evil.example/x',
      'http://127.0.0.1:1/x',
      'http://169.254.169.254/latest',
      'not an address',
    ]) {
      const answer = await subscribe(jwt, endpoint);
      assert.equal(answer.status, 400, endpoint);
      assert.match(answer.body.message, /^endpoint /);
    }
    const keys = { p256dh: 'AAAA', auth: 'AAAA' };
    assert.equal((await subscribe(jwt, at('/x'), keys)).status, 400);
  });

  it('the real push services are let through', () => {
    const none = parseOutboundAllow('');
    for (const host of [
      'fcm.googleapis.com',
      'updates.push.services.mozilla.com',
      'autopush.prod.push.services.mozilla.com',
      'wns2-par02p.notify.windows.com',
      'web.push.apple.com',
    ]) {
      assert.ok(isPushEndpoint(`https://${host}/wpush/v2/abc`, none), host);
    }
  });
});
