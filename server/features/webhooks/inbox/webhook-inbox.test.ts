import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { inboxLimits } from '../../../../contract/webhook-inbox.ts';
import { queryRows } from '../../../../test/support/dump.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { inboxKeyOf, pruneInboxes } from './webhook-inbox.ts';

const base = 'http://127.0.0.1:3999';

describe('the receiver for webhooks', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ worker: true, env: { PUBLIC_URL: base } });
  });
  after(() => service.close());

  const open = async (token = service.token): Promise<Json> =>
    (await service.call('POST', '/webhook-inbox', { token })).body;
  const read = async (token = service.token): Promise<Json> =>
    (await service.call('GET', '/webhook-inbox', { token })).body.inbox;
  const pathOf = (url: string) => new URL(url).pathname;
  const send = (url: string, body: unknown = { any: 'thing' }, headers = {}) =>
    service.call('POST', pathOf(url), { token: null, body, headers });

  it('is not there until it is opened, and keeps its address when it is opened again', async () => {
    assert.equal(await read(), null);
    const first = await open();
    assert.match(first.url, /^http:\/\/127\.0\.0\.1:3999\/webhook-inbox\/[\w-]{65}$/);
    assert.equal(first.expiresAt - first.createdAt, inboxLimits.lifeMs);
    assert.equal((await open()).url, first.url);
    assert.deepEqual((await read()).requests, []);
  });

  it('gets a signed delivery though the service listens on a private address, and verifies it', async () => {
    const { url } = await open();
    const created = await service.call('POST', '/webhooks', {
      body: { url, events: ['crm_record_created'] },
    });
    assert.equal(created.status, 201, created.text);
    await service.call('POST', '/crm/records', { body: { title: 'Told to the receiver' } });
    await eventually(async () => (await read()).requests.length === 1);
    const { requests, webhookId } = await read();
    assert.equal(webhookId, created.body.id);
    assert.equal(requests[0].signature, 'valid');
    assert.equal(JSON.parse(requests[0].body).event, 'crm_record_created');
    assert.equal(requests[0].size, Buffer.byteLength(requests[0].body));
    const { headers } = requests[0];
    const expected = createHmac('sha256', Buffer.from(created.body.secret.slice('whsec_'.length), 'base64'))
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${requests[0].body}`)
      .digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${expected}`);
    await eventually(async () => {
      const { body } = await service.call('GET', `/webhooks/${created.body.id}/deliveries`);
      return body.items[0]?.status === 'delivered';
    });
  });

  it('opens no way to any other address of the service, nor to another one that looks like it', async () => {
    const { url } = await open();
    const key = url.split('/').at(-1);
    let called = 0;
    const secret = createServer((_request, response) => {
      called++;
      response.end();
    });
    await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
    const { port } = secret.address() as { port: number };
    const others = [
      `${base}/webhook-inbox/${key}/../../auth/login`,
      `${base}/webhook-inbox/${key}?to=1`,
      `${base}/webhook-inbox/${key}#x`,
      `${base}/webhook-inbox/%2e%2e`,
      `${base}/webhook-inbox/short`,
      `${base}/crm/records`,
      `${base}:80/webhook-inbox/${key}`,
      `http://127.0.0.1:${port}/webhook-inbox/${key}`,
      `http://localhost:3999/webhook-inbox/${key}`,
      `http://user@127.0.0.1:3999/webhook-inbox/${key}`,
      `${base}@example.invalid/webhook-inbox/${key}`,
      `http://127.0.0.1:3999.example.invalid/webhook-inbox/${key}`,
    ];
    for (const other of others) {
      assert.equal(inboxKeyOf(other, base), null, other);
      const { status } = await service.call('POST', '/webhooks', {
        body: { url: other, events: ['crm_record_created'] },
      });
      assert.equal(status, 400, other);
    }
    assert.equal(called, 0);
    await new Promise((resolve) => secret.close(resolve));
  });

  it('tells an unsigned request, a forged one and one that nobody can vouch for from a valid one', async () => {
    const { url } = await open();
    const now = Math.floor(service.context.clock.now() / 1000);
    const signed = { 'webhook-id': 'x', 'webhook-timestamp': String(now), 'webhook-signature': 'v1,AAAA' };
    assert.equal((await send(url)).status, 200);
    assert.equal((await send(url, {}, signed)).status, 200);
    const [forged, unsigned] = (await read()).requests;
    assert.deepEqual([unsigned.signature, forged.signature], ['missing', 'invalid']);
    const another = await service.createAccount();
    const inbox = await open(another.token);
    await send(inbox.url, {}, signed);
    assert.equal((await read(another.token)).requests[0].signature, 'unknown');
  });

  it("shows a request to its own account's administrators only, without the sender's credentials", async () => {
    const another = await service.createAccount();
    const { url } = await open();
    const told = { authorization: 'Bearer of-somebody', cookie: 'a=b', 'x-mine': 'yes' };
    await send(url, { secret: 'ours' }, told);
    assert.equal(await read(another.token), null);
    const operator = await service.createUser('operator');
    assert.equal((await service.call('GET', '/webhook-inbox', { token: operator.jwt })).status, 403);
    const { headers } = (await read()).requests[0];
    assert.equal(headers['x-mine'], 'yes');
    assert.ok(!('authorization' in headers) && !('cookie' in headers));
  });

  it('404 for a key that nobody has, 413 for a large body, 429 for a flood, and keeps the latest fifty', async () => {
    const another = await service.createAccount();
    const { url } = await open(another.token);
    assert.equal((await send(`${base}/webhook-inbox/${'x'.repeat(43)}`)).status, 404);
    assert.equal((await send(url, { text: 'x'.repeat(inboxLimits.bodyBytes) })).status, 413);
    const statuses: number[] = [];
    for (let index = 0; index < inboxLimits.perMinute + 1; index++) {
      statuses.push((await send(url, { index })).status);
    }
    assert.equal(statuses.filter((status) => status === 200).length, inboxLimits.perMinute);
    assert.equal(statuses.at(-1), 429);
    const { requests } = await read(another.token);
    assert.equal(requests.length, inboxLimits.keptRequests);
    assert.equal(JSON.parse(requests[0].body).index, inboxLimits.perMinute - 1);
  });

  it('410 when its hour is over, which disables the webhook; what it got is forgotten', async () => {
    const { accountId, token } = await service.createAccount();
    const { url } = await open(token);
    const { body: hook } = await service.call('POST', '/webhooks', {
      token,
      body: { url, events: ['crm_record_created'] },
    });
    await send(url);
    await queryRows(service.connection, 'update webhook_inboxes set expires_at = 0 where account_id = $1', [
      accountId,
    ]);
    assert.equal((await send(url)).status, 410);
    assert.equal(await read(token), null);
    await pruneInboxes(service.context.db, service.context.clock.now());
    assert.deepEqual((await open(token)).requests, []);
    await queryRows(service.connection, 'update webhook_inboxes set expires_at = 0 where account_id = $1', [
      accountId,
    ]);
    await service.call('POST', '/crm/records', { token, body: { title: 'Too late' } });
    await eventually(
      async () => (await service.call('GET', `/webhooks/${hook.id}`, { token })).body.enabled === false,
    );
  });
});
