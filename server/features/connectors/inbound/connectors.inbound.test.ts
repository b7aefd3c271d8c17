import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../../contract/limits.ts';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { customerOf, messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { wakeWorkers } from '../../../platform/jobs/jobs.ts';
import { type Inbound, ProviderError } from '../connectors.provider.ts';
import { maxPayload } from './connectors.bounds.ts';
import { insertItems } from './connectors.inbound.sql.ts';
import { findContent, selectWaiting } from './connectors.items.sql.ts';
import { wakeLanes } from './connectors.split.ts';

let connected: Connected;
before(async () => {
  connected = await startConnected();
});
after(() => connected.service.close());

const texts = (messages: Json[]) => messages.filter((one) => one.role === 'user').map((one) => one.content);

describe('messages', () => {
  it('are what POST /messages makes: session, record, AI reply, provider id', async () => {
    const { service, deliver, channel, settled, messages } = connected;
    const id = await channel();
    await deliver(id, [messageOf('77', 1, { text: 'What is Talkboard?' })]);
    await settled(id);
    const session = (await service.call('GET', '/sessions/telegram%3A77')).body;
    assert.equal(session.externalUserId, '77');
    assert.equal(session.sessionName, 'Ada');
    assert.equal(session.channelId, id);
    assert.ok(session.recordId);
    const [message] = await messages('telegram:77');
    assert.equal(message.providerMsgId, '77:1');
    await eventually(async () => (await messages('telegram:77')).some((one) => one.role === 'assistant'));
  });

  it('are stored once and in the provider’s order, redelivered, shuffled and in batches', async () => {
    const { deliver, channel, settled, messages } = connected;
    const id = await channel();
    const customers = ['a', 'b', 'c'];
    const all = customers.flatMap((customer) =>
      Array.from({ length: 12 }, (_, index) => messageOf(customer, index + 1)),
    );
    const again = all.filter((_, index) => index % 5 === 0);
    // A fixed shuffle: deterministic, and far from the order.
    const shuffled = [...all, ...again].map((item, index) => ({ item, at: (index * 7919) % 251 }));
    const items = shuffled.sort((one, two) => one.at - two.at).map(({ item }) => item);
    for (let at = 0; at < items.length; at += 7) {
      assert.equal((await deliver(id, items.slice(at, at + 7))).status, 200);
    }
    await settled(id);
    const expected = Array.from({ length: 12 }, (_, index) => `message ${index + 1}`);
    for (const customer of customers) {
      assert.deepEqual(texts(await messages(`telegram:${customer}`)), expected);
    }
  });

  it('that come late get their place, and times do not go backwards', async () => {
    const { deliver, channel, settled, messages } = connected;
    const id = await channel();
    for (const number of [3, 1, 2]) {
      await deliver(id, [messageOf('late', number)]);
      await settled(id);
    }
    const stored = (await messages('telegram:late')).filter((one) => one.role === 'user');
    assert.deepEqual(texts(stored), ['message 1', 'message 2', 'message 3']);
    const times = stored.map((one) => one.timestamp);
    assert.deepEqual(times, times.toSorted());
  });

  it('quote, have a name of their own on another channel, and are echoes if the business wrote them', async () => {
    const { deliver, channel, settled, messages } = connected;
    const first = await channel();
    const second = await channel();
    await deliver(first, [
      messageOf('q', 1),
      messageOf('q', 2, { quoted: 'q:1' }),
      messageOf('q', 3, { quoted: 'no' }),
    ]);
    await settled(first);
    const stored = (await messages('telegram:q')).filter((one) => one.role === 'user');
    assert.deepEqual(
      stored.map((one) => one.replyToMessageId),
      [null, stored[0].id, null],
    );
    await deliver(second, [messageOf('q', 1, { isEcho: true, text: 'From the phone' })]);
    await settled(second);
    const [echo] = await messages(`telegram:q:${second}`);
    assert.equal(echo.isEcho, true);
    assert.equal(echo.content, 'From the phone');
  });

  it('of a blocked contact are dropped', async () => {
    const { service, deliver, channel, settled, messages, inboundLog } = connected;
    const id = await channel();
    const block = { body: { identifierType: 'chatbot' } };
    await service.call('POST', '/blocked-contacts/blocked-person', block);
    await deliver(id, [messageOf('blocked-person', 1)]);
    await settled(id);
    assert.deepEqual(await messages('telegram:blocked-person'), []);
    const [entry] = await inboundLog(id);
    assert.deepEqual([entry.state, entry.summary], ['dropped', '']);
  });
});

describe('a delivery that the database cannot take as it is', () => {
  it('is stored with its ids shortened and its names cleaned, and an edit finds it', async () => {
    const { deliver, channel, settled, messages } = connected;
    const id = await channel();
    const providerMsgId = randomBytes(4_096).toString('base64');
    const customer = customerOf('odd');
    const payload = { 'na\0me\ud800': [{ '\0': 'te\0xt' }] };
    await deliver(id, [
      messageOf('odd', 1, { key: providerMsgId, providerMsgId, payload }),
      { type: 'edited', key: 'odd-edit', customer, providerMsgId, text: 'edited', at: 5 },
      messageOf('odd', 2, { quoted: providerMsgId }),
    ]);
    await settled(id);
    const [first, second] = (await messages('telegram:odd')).filter((one) => one.role === 'user');
    assert.equal(first.content, 'edited');
    assert.deepEqual(first.data.providerPayload, { 'name\ufffd': [{ '': 'text' }] });
    assert.equal(second.replyToMessageId, first.id);
  });

  it('is shortened, and says so: texts, edits, data of the provider', async () => {
    const { deliver, channel, settled, messages } = connected;
    const id = await channel();
    const long = 'x'.repeat(limits.messageLength + 1);
    await deliver(id, [
      messageOf('long', 1, { text: long }),
      messageOf('long', 2, { payload: { name: 'y'.repeat(maxPayload) } }),
      { type: 'edited', key: 'e', customer: customerOf('long'), providerMsgId: 'long:2', text: long, at: 5 },
    ]);
    await settled(id);
    const stored = (await messages('telegram:long')).filter((one) => one.role === 'user');
    for (const { content } of stored) {
      assert.equal(content.length, limits.messageLength);
      assert.ok(content.endsWith('x [shortened]'));
    }
    const { json, ...rest } = stored[1].data.providerPayload;
    assert.deepEqual(rest, { shortened: true, length: maxPayload + '{"name":""}'.length });
    assert.equal(json.length, maxPayload);
  });

  it('fails alone: what came with it, of any channel, is stored', async () => {
    const { deliver, channel, settled, messages, inboundLog } = connected;
    const [bad, good] = [await channel(), await channel()];
    await Promise.all([
      deliver(bad, [messageOf('refused', 1, { order: 'no number' as never })]),
      deliver(bad, [messageOf('beside', 1)]),
      deliver(good, [messageOf('beside', 2)]),
    ]);
    await settled(bad);
    await settled(good);
    const failed = (await inboundLog(bad)).filter((one) => one.state === 'failed');
    assert.deepEqual(
      failed.map((one) => [one.reason, one.canRetry]),
      [['it cannot be stored', true]],
    );
    const stored = [...(await messages('telegram:beside')), ...(await messages(`telegram:beside:${good}`))];
    assert.equal(texts(stored).length + texts(await messages(`telegram:beside:${bad}`)).length, 2);
  });

  it('waits for a job if it fails for another reason, and fifty of them hold up no other', async () => {
    const { service, deliver, channel, settled, messages } = connected;
    const { db } = service.context;
    const id = await channel();
    await db.autocommit(sql`
      create function refuse_items() returns trigger language plpgsql as
        $$ begin if new.customer = 'stuck' then raise 'this item is stuck'; end if; return new; end $$`);
    await db.autocommit(sql`
      create trigger refuse_items before insert on connector_items for each row execute function refuse_items()`);
    const count = 51;
    for (let number = 1; number <= count; number++) await deliver(id, [messageOf('stuck', number)]);
    await deliver(id, [messageOf('healthy', 1)]);
    await eventually(async () => texts(await messages('telegram:healthy')).length === 1, 30_000);
    const jobs = () => db.query(sql`select from jobs where kind = 'connector-split'`);
    await eventually(async () => (await jobs()).length === count, 30_000);
    await db.autocommit(sql`drop function refuse_items cascade`);
    await db.transaction(async (tx) => {
      await tx.query(
        sql`update jobs set run_at = now() where kind = 'connector-split' and lease_token is null`,
      );
      wakeWorkers(tx, 'connector-split');
    });
    const stored = () =>
      db.query(
        sql`select from connector_items where customer = 'stuck' and state = 'done' and message_id is not null`,
      );
    await eventually(async () => (await stored()).length === count, 30_000);
    await settled(id);
    assert.equal((await jobs()).length, 0);
  });
});

describe('changes of messages', () => {
  it('edits, deletions and reactions apply, also before their message', async () => {
    const { deliver, channel, settled, messages } = connected;
    const id = await channel();
    const customer = customerOf('e');
    const edit: Inbound = { type: 'edited', key: 'edit', customer, providerMsgId: 'e:1', text: 'new', at: 5 };
    const older: Inbound = { ...edit, key: 'older', text: 'old', at: 4 };
    const reaction: Inbound = {
      type: 'reaction',
      key: 'r',
      customer,
      providerMsgId: 'e:1',
      emoji: '👍',
      at: 6,
    };
    await deliver(id, [edit, reaction]);
    await settled(id);
    await deliver(id, [messageOf('e', 1), messageOf('e', 2)]);
    await settled(id);
    await deliver(id, [older, { type: 'deleted', key: 'del', customer, providerMsgId: 'e:2', at: 9 }]);
    await settled(id);
    const [one, two] = (await messages('telegram:e')).filter((message) => message.role === 'user');
    assert.equal(one.content, 'new');
    assert.equal(one.editedAt, 5);
    assert.deepEqual(one.reactions, ['👍']);
    assert.equal(two.content, 'message 2');
    assert.equal(two.deletedAt, 9);
  });

  it('a bot that its user has blocked is a notice', async () => {
    const { deliver, channel, settled, messages } = connected;
    const id = await channel();
    const customer = customerOf('n');
    await deliver(id, [messageOf('n', 1)]);
    await settled(id);
    await deliver(id, [{ type: 'reachable', key: 'b', customer, isReachable: false, at: 1 }]);
    await settled(id);
    assert.ok(
      (await messages('telegram:n')).some((one) => one.role === 'system' && /blocked/.test(one.content)),
    );
  });

  it('a connected channel asks whether a state that came late is true', async () => {
    const { service, scripted, deliver, channel, settled, connector, state } = connected;
    const id = await channel();
    const closed: Inbound = { type: 'state', state: 'waiting_for_scan', detail: 'Scan the code.' };
    const asked = async () => {
      await deliver(id, [closed]);
      await settled(id);
      await eventually(async () => {
        const jobs = await service.context.db.query(sql`
          select 1 from jobs where kind = 'connector-connect' and payload ->> 'channelId' = ${id}`);
        return jobs.length === 0;
      });
    };
    const before = scripted.calls.length;
    await asked();
    assert.deepEqual(scripted.calls.slice(before), ['connect']);
    assert.equal((await connector(id)).state, 'connected');
    scripted.connected = { state: 'waiting_for_scan' };
    await asked();
    scripted.connected = { state: 'connected' };
    const { state: now, lastError } = await connector(id);
    assert.deepEqual([now, lastError], ['waiting_for_scan', 'Scan the code.']);
    await deliver(id, [{ type: 'state', state: 'connected', detail: null }]);
    await state(id, 'connected');
  });
});

describe('media', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const photo = (ref: string) => ({
    ref,
    kind: 'image' as const,
    mimeType: 'image/png',
    fileName: `${ref}.png`,
    bytes: null,
  });

  it('are attached with the caption; what cannot be received is a line that says why', async () => {
    const { scripted, deliver, channel, settled, messages } = connected;
    const id = await channel();
    scripted.media.set('ok', { bytes: png, mimeType: 'image/png', fileName: null });
    scripted.media.set('odd', { bytes: png, mimeType: 'application/x-odd', fileName: null });
    scripted.media.set('large', new ProviderError('final', 'it is larger than 20 MB'));
    await deliver(id, [
      messageOf('m', 1, { text: 'Look', media: [photo('ok')] }),
      messageOf('m', 2, { text: '', media: [photo('gone')] }),
      messageOf('m', 3, { text: 'Caption', media: [photo('odd'), photo('large')] }),
      messageOf('m', 4, {
        text: '',
        media: [{ ...photo('inline'), ref: null, base64: png.toString('base64') }],
      }),
    ]);
    await settled(id);
    const stored = (await messages('telegram:m')).filter((one) => one.role === 'user');
    assert.deepEqual(texts(stored), [
      'Look',
      '[File not received: gone.png. Reason: it no longer exists at the provider.]',
      'Caption\n[File not received: odd.png. Reason: files of this type are not taken.]\n[File not received: large.png. Reason: it is larger than 20 MB.]',
      '',
    ]);
    assert.deepEqual(
      stored.map((one) => one.attachments.length),
      [1, 0, 0, 1],
    );
    assert.equal(stored[0].attachments[0].contentType, 'image/png');
  });

  it('in the messages themselves are read as far as they fit, a large one alone', async () => {
    const { service, channel, settled, messages } = connected;
    const { db } = service.context;
    const lane = { accountId: service.admin.accountId, channelId: await channel(), customer: 'f' };
    const { accountId, channelId, customer } = lane;
    const items = [600, 300, 2_000, 5_000_000].map((bytes, index) => {
      const base64 = randomBytes(bytes).toString('base64');
      const item = messageOf(customer, index + 1, { media: [{ ...photo('in'), ref: null, base64 }] });
      const { key, type, providerMsgId, order: place } = item;
      const more = { id: newId(), mediaGroup: null, summary: '', receivedAt: 1, item: JSON.stringify(item) };
      return { ...more, channelId, kind: null, key, customer, type, place, providerMsgId };
    });
    await db.transaction((tx) => insertItems(tx, accountId, items, ({ key }) => key));
    const next = async (maxBytes: number) => (await selectWaiting(db, [lane], 10, maxBytes))[0]!;
    const [first, second] = [await next(2_500), await next(500)];
    assert.deepEqual([first.items.length, first.hasMore], [2, true]);
    assert.deepEqual([second.items.length, second.items[0]!.item, second.hasMore], [1, null, true]);
    assert.equal((await findContent(db, accountId, items[3]!.id))?.type, 'message');
    await db.transaction((tx) => wakeLanes(tx, accountId, channelId, [customer]));
    await settled(channelId);
    const stored = (await messages('telegram:f')).filter((one) => one.role === 'user');
    assert.deepEqual(
      stored.map((one) => one.providerMsgId),
      ['f:1', 'f:2', 'f:3', 'f:4'],
    );
  });

  it('of one group are one message', async () => {
    const { scripted, deliver, channel, settled, messages } = connected;
    const id = await channel();
    for (const ref of ['g1', 'g2', 'g3'])
      scripted.media.set(ref, { bytes: png, mimeType: 'image/png', fileName: null });
    await deliver(id, [messageOf('g', 2, { text: '', media: [photo('g2')], group: 'x' })]);
    await deliver(id, [messageOf('g', 1, { text: 'Album', media: [photo('g1')], group: 'x' })]);
    await deliver(id, [messageOf('g', 3, { text: '', media: [photo('g3')], group: 'x' })]);
    await settled(id);
    const stored = (await messages('telegram:g')).filter((one) => one.role === 'user');
    assert.equal(stored.length, 1);
    assert.equal(stored[0].content, 'Album');
    assert.deepEqual(
      stored[0].attachments.map((one: Json) => one.fileName),
      ['g1.png', 'g2.png', 'g3.png'],
    );
  });

  it('of a blocked contact are not fetched, and the drop is counted', async () => {
    const { service, scripted, deliver, channel, settled, inboundLog } = connected;
    const id = await channel();
    const block = { body: { identifierType: 'chatbot' } };
    await service.call('POST', '/blocked-contacts/blocked-sender', block);
    scripted.media.set('unwanted', { bytes: png, mimeType: 'image/png', fileName: null });
    const fetched: string[] = [];
    scripted.onFetch = async (ref) => void fetched.push(ref);
    await deliver(id, [messageOf('blocked-sender', 1, { media: [photo('unwanted')] })]);
    await settled(id);
    scripted.onFetch = async () => {};
    assert.deepEqual(fetched, []);
    assert.equal((await inboundLog(id))[0].state, 'dropped');
    const { items } = (await service.call('GET', '/blocked-contacts')).body;
    const entry = items.find((one: Json) => one.identifierValue === 'blocked-sender');
    assert.equal(entry.droppedCount, 1);
  });

  it('wait while the credentials are wrong, and come when they are replaced', async () => {
    const { service, scripted, deliver, channel, settled, state, messages } = connected;
    const id = await channel();
    scripted.media.set('later', new ProviderError('credentials', `Unauthorized ${scripted.validToken}`));
    await deliver(id, [messageOf('w', 1, { text: 'With file', media: [photo('later')] }), messageOf('w', 2)]);
    await state(id, 'error');
    assert.equal((await connected.connector(id)).lastError, 'Unauthorized …');
    assert.deepEqual(await messages('telegram:w'), []);
    scripted.media.set('later', { bytes: png, mimeType: 'image/png', fileName: null });
    const connector = { credentials: { botToken: scripted.validToken } };
    await service.call('PATCH', `/channels/${id}`, { body: { connector } });
    await settled(id);
    const stored = (await messages('telegram:w')).filter((one) => one.role === 'user');
    assert.deepEqual(texts(stored), ['With file', 'message 2']);
    assert.equal(stored[0].attachments.length, 1);
  });
});

describe('the log', () => {
  it('has each entry with its reason, and tries a failed one again', async () => {
    const { service, scripted, deliver, channel, settled, messages, inboundLog } = connected;
    const id = await channel();
    const { translate } = scripted.provider;
    scripted.provider.translate = () => {
      throw new Error(`cannot read ${scripted.validToken}`);
    };
    await deliver(id, [messageOf('l', 1, { isEcho: true }), messageOf('l', 2, { isEcho: true })]);
    await settled(id);
    scripted.provider.translate = translate;
    const [unread] = await inboundLog(id);
    assert.equal(unread.state, 'failed');
    assert.equal(unread.reason, 'cannot read …');
    assert.equal(unread.canRetry, true);
    const retry = (entry: string) => service.call('POST', `/channels/${id}/connector/log/${entry}/retry`);
    assert.equal((await retry(unread.id)).status, 200);
    await settled(id);
    assert.deepEqual(texts(await messages('telegram:l')), ['message 1', 'message 2']);
    const page = (await service.call('GET', `/channels/${id}/connector/log?limit=1`)).body;
    assert.equal(page.items.length, 1);
    const next = encodeURIComponent(page.nextToken);
    const rest = (await service.call('GET', `/channels/${id}/connector/log?limit=5&nextToken=${next}`)).body;
    const entries = [...page.items, ...rest.items];
    assert.deepEqual(
      entries
        .filter(({ direction }: Json) => direction === 'in')
        .map((one: Json) => [one.direction, one.state, one.customer, one.summary, one.canRetry]),
      [
        ['in', 'done', 'l', 'message 2', false],
        ['in', 'done', 'l', 'message 1', false],
      ],
    );
    assert.ok(entries[0].messageId);
    assert.equal(entries[0].sessionId, 'telegram:l');
    assert.equal((await retry(entries[0].id)).status, 409);
    assert.equal((await retry('x')).status, 404);
  });
});
