import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { createRegistry } from '../connectors.registry.ts';
import { insertItems } from './connectors.inbound.sql.ts';
import { wakeLanes } from './connectors.split.ts';

let connected: Connected;
before(async () => {
  connected = await startConnected();
});
after(() => connected.service.close());

const texts = (messages: Json[]) => messages.filter((one) => one.role === 'user').map((one) => one.content);

describe('the inbound address', () => {
  it('404 without a connector, 401 with a wrong secret, 200 otherwise, also with large bodies', async () => {
    const { service, deliver, channel, settled, messages } = connected;
    for (const place of ['00000000-0000-7000-8000-000000000000', 'x']) {
      assert.equal((await deliver(place, [])).status, 404);
    }
    const id = await channel();
    const item = messageOf('large', 1, { payload: { filler: 'x'.repeat(2 * 1024 * 1024) } });
    assert.equal((await deliver(id, [item], { 'x-secret': 'wrong' })).status, 401);
    const stored = await service.context.db.query(
      sql`select 1 from connector_inbound where channel_id = ${id}
        union all select 1 from connector_items where channel_id = ${id}`,
    );
    assert.equal(stored.length, 0);
    const tooLarge = messageOf('large', 2, { payload: 'x'.repeat(4 * 1024 * 1024) });
    assert.equal((await deliver(id, [tooLarge])).status, 413);
    assert.equal((await deliver(id, [item])).status, 200);
    await settled(id);
    const [message] = await messages('telegram:large');
    assert.equal(message.data.providerPayload.shortened, true);
    assert.ok((await connected.connector(id)).lastInboundAt > 0);
  });

  it('503 with Retry-After while disabled or disconnected; it goes on afterwards', async () => {
    const { service, deliver, channel, state, settled, messages } = connected;
    const id = await channel();
    const send = (number: number) => deliver(id, [messageOf('waits', number)]);
    await service.call('PATCH', `/channels/${id}`, { body: { enabled: false } });
    const refused = await send(1);
    assert.equal(refused.status, 503);
    assert.equal((refused as Json).headers['retry-after'], '30');
    await service.call('PATCH', `/channels/${id}`, { body: { enabled: true } });
    assert.equal((await send(1)).status, 200);
    await service.call('POST', `/channels/${id}/connector/disconnect`);
    assert.equal((await send(2)).status, 503);
    await service.call('POST', `/channels/${id}/connector/connect`);
    await state(id, 'connected');
    assert.equal((await send(2)).status, 200);
    await settled(id);
    assert.deepEqual(texts(await messages('telegram:waits')), ['message 1', 'message 2']);
  });
});

describe('a body', () => {
  const received = async (id: string, headers: Record<string, string>, bytes: number) => {
    let read = 0;
    const body = Readable.from(
      (async function* () {
        for (; read < bytes; read += 65_536) yield Buffer.alloc(65_536, ' ');
      })(),
      { objectMode: false },
    );
    const answer = await connected.service.app.inject({
      method: 'POST',
      url: `/connect/${id}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload: body,
    });
    return { status: answer.statusCode };
  };

  it('without a length is read up to the limit of its provider, and only with the secret of a header', async () => {
    const { scripted, channel } = connected;
    const id = await channel();
    const secret = { 'x-secret': scripted.validToken };
    assert.equal((await received(id, secret, 5 * 1024 * 1024)).status, 413);
    scripted.provider.verifyHeaders = (link, headers) => headers['x-secret'] === link.credentials.botToken;
    const { verify } = scripted.provider;
    scripted.provider.verify = () => assert.fail('verified after its headers were refused');
    assert.equal((await received(id, {}, 65_536)).status, 401);
    scripted.provider.verify = verify;
    delete scripted.provider.verifyHeaders;
  });

  it('is checked again only if the connector has changed', async () => {
    const { scripted, channel, deliver } = connected;
    const id = await channel();
    const { verify } = scripted.provider;
    let times = 0;
    scripted.provider.verify = (...request) => {
      times += 1;
      return verify(...request);
    };
    assert.equal((await deliver(id, [], { 'x-secret': 'wrong' })).status, 401);
    scripted.provider.verify = verify;
    assert.equal(times, 1);
  });

  it('may hold a whole file where the provider puts it there', () => {
    const bytes = [...createRegistry().values()].map(({ kind, limits }) => [kind, limits.inboundBytes]);
    assert.deepEqual(Object.fromEntries(bytes), {
      telegram: 3 * 1024 * 1024,
      twilio: 64 * 1024,
      evolution: 100 * 1024 * 1024,
      whatsapp_cloud: 3 * 1024 * 1024,
      messenger: 3 * 1024 * 1024,
      email: 1024 * 1024,
    });
  });
});

it('leaves what came through a removed connector of another kind to nobody', async () => {
  const { service, deliver, channel, settled, messages, inboundLog } = connected;
  const { db } = service.context;
  const { accountId } = service.admin;
  const channelId = await channel();
  const items = JSON.stringify([messageOf('removed-body', 1)]);
  const item = { ...messageOf('removed-item', 1), kind: 'twilio', id: newId(), mediaGroup: null, place: 1 };
  const waiting = { ...item, customer: 'removed-item', summary: '', receivedAt: 1, item: items.slice(1, -1) };
  await db.transaction(async (tx) => {
    await tx.query(sql`
      insert into connector_inbound (account_id, channel_id, kind, id, body, received_at)
      values (${accountId}, ${channelId}, 'twilio', ${newId()}, ${items}, 1)`);
    await insertItems(tx, accountId, [{ ...waiting, channelId }], ({ key }) => key);
    await wakeLanes(tx, accountId, channelId, [waiting.customer]);
  });
  await deliver(channelId, [messageOf('own', 1)]);
  await settled(channelId);
  assert.deepEqual(texts(await messages('telegram:own')), ['message 1']);
  for (const customer of ['removed-body', 'removed-item']) {
    assert.equal((await service.call('GET', `/sessions/telegram:${customer}`)).status, 404);
  }
  const reasons = (await inboundLog(channelId)).flatMap(({ state, reason }) =>
    state === 'dropped' ? reason : [],
  );
  assert.deepEqual(reasons, ['its connector was removed']);
});
