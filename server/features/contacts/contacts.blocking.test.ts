import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

let number = 5_511_910_000_000;
const phone = () => String(++number);

describe('blocking by contact', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const contact = (id: string) => talk.expect(200, call('GET', `/contacts/${id}`));
  const block = (identifier: string, body?: object) =>
    call('POST', `/blocked-contacts/${encodeURIComponent(identifier)}`, { ...(body && { body }) });
  const unblock = async (identifier: string, query = '') =>
    (await talk.expect(200, call('DELETE', `/blocked-contacts/${encodeURIComponent(identifier)}${query}`)))
      .unblocked;
  const status = async (externalUserId: string, body: object = {}) =>
    (await talk.send({ sessionId: unique('s'), externalUserId, ...body })).status;
  const add = (id: string, ...identifiers: [string, string][]) => {
    const addIdentifiers = identifiers.map(([kind, value]) => ({ kind, value }));
    return talk.expect(200, call('PATCH', `/contacts/${id}`, { body: { addIdentifiers } }));
  };
  /** With a phone number, an e-mail address and a conversation of each. */
  const person = async () => {
    const [digits, address] = [phone(), `${unique('p')}@example.com`];
    const { sessionId } = await talk.accepted({ externalUserId: digits });
    const { contactId } = await talk.session(sessionId);
    await add(contactId, ['email', address]);
    return { digits, address, contactId, sessionId };
  };

  it('blocks every identifier that the contact has or gets, and counts all drops on one entry', async () => {
    const { digits, address, contactId, sessionId } = await person();
    assert.equal(await status(address), 202);
    await talk.expect(201, block(digits, { reason: 'spam' }));
    assert.equal((await contact(contactId)).blocked, true);
    assert.deepEqual([await status(digits), await status(address)], [403, 403]);
    const channel = (await talk.session(sessionId)).channelId;
    assert.equal((await talk.operatorSays(channel, sessionId, { content: 'Hi' })).status, 403);
    const later = phone();
    await add(contactId, ['phone', later]);
    assert.equal(await status(later), 403);
    const again = await block(address, { reason: 'other' });
    assert.deepEqual(
      [again.status, again.body.alreadyBlocked, again.body.identifierValue],
      [200, true, digits],
    );
    const { items } = await talk.expect(200, call('GET', '/blocked-contacts'));
    const entries = items.filter((one: Json) => [digits, address, later].includes(one.identifierValue));
    assert.deepEqual(
      entries.map((one: Json) => [one.identifierValue, one.droppedCount]),
      [[digits, 4]],
    );
    assert.equal(await unblock(later), true);
    assert.equal((await contact(contactId)).blocked, false);
    assert.deepEqual([await status(digits), await status(address), await status(later)], [202, 202, 202]);
    assert.equal(await unblock(digits), false);
  });

  it('an identifier that a blocked contact loses stays blocked, by an entry of its own', async () => {
    const { digits, address, contactId } = await person();
    await talk.expect(201, block(digits, { reason: 'spam' }));
    const remove = (kind: string, value: string) =>
      call('PATCH', `/contacts/${contactId}`, { body: { removeIdentifiers: [{ kind, value }] } });
    assert.equal((await talk.expect(200, remove('email', address))).blocked, true);
    assert.equal(await status(address), 403);
    const { items } = await talk.expect(200, call('GET', '/blocked-contacts'));
    const entry = items.find((one: Json) => one.identifierValue === address);
    assert.deepEqual([entry.identifierType, entry.reason, entry.droppedCount], ['email', 'spam', 1]);
    const other = phone();
    await add(contactId, ['phone', other]);
    assert.equal((await talk.expect(200, remove('phone', digits))).blocked, true);
    assert.deepEqual([await status(digits), await status(other)], [403, 403]);
    assert.equal(await unblock(address), true);
    assert.deepEqual([await status(address), await status(other)], [202, 403]);
    assert.equal(await unblock(other), true);
    assert.deepEqual([await status(digits), await status(other)], [202, 202]);
  });

  it('an identifier that is blocked makes no contact, and blocks the contact that gets it', async () => {
    const blocked = phone();
    await talk.expect(201, block(`+${blocked}`));
    assert.equal(await status(blocked), 403);
    assert.deepEqual((await talk.expect(200, call('GET', `/contacts?q=${blocked}`))).items, []);
    const { contactId, address } = await person();
    assert.equal((await add(contactId, ['phone', blocked])).blocked, true);
    assert.equal(await status(address), 403);
    assert.equal(await unblock(address), true);
    assert.equal(await status(blocked), 202);
  });

  it('chat ids and visitors are only compared with entries made for them', async () => {
    const [chatbot, web] = [await talk.channel({ type: 'chatbot' }), await talk.channel({ type: 'web' })];
    const on = (channel: Json) => ({ fromChannelIdentifier: channel.identifier, channelType: channel.type });
    const digits = phone();
    const all = async () => [
      await status(digits),
      await status(digits, on(chatbot)),
      await status(digits, on(web)),
    ];
    assert.deepEqual(await all(), [202, 202, 202]);
    await talk.expect(201, block(digits));
    assert.deepEqual(await all(), [403, 202, 202]);
    const chat = await talk.expect(201, block(digits, { identifierType: 'chatbot' }));
    assert.equal(chat.identifierType, 'chatbot');
    assert.deepEqual(await all(), [403, 403, 202]);
    assert.equal(await unblock(digits), true);
    assert.deepEqual(await all(), [202, 403, 202]);
    assert.equal(await unblock(digits, '?identifierType=chatbot'), true);
    assert.deepEqual(await all(), [202, 202, 202]);
    // Before the first message too.
    const visitor = phone();
    await talk.expect(201, block(visitor, { identifierType: 'web' }));
    assert.deepEqual([await status(visitor), await status(visitor, on(web))], [202, 403]);
    // Taken from the contact.
    const known = unique('visitor');
    const { sessionId } = await talk.accepted({ ...on(web), externalUserId: known });
    const { contactId } = await talk.session(sessionId);
    const number = phone();
    await add(contactId, ['phone', number]);
    await talk.expect(201, block(number));
    assert.equal(await status(known, on(web)), 403);
    assert.equal(await status(number, on(web)), 202, 'a visitor with the digits of the number');
  });

  it('after its answer nothing of the contact is stored, by whatever identifier it comes', async () => {
    const { digits, address, contactId } = await person();
    const statuses: number[] = [];
    let stop = false;
    const flood = [digits, address].map(async (externalUserId) => {
      while (!stop) statuses.push(await status(externalUserId));
    });
    while (statuses.filter((one) => one === 202).length < 10)
      await new Promise((resolve) => setImmediate(resolve));
    await talk.expect(201, block(digits));
    const { sessionCount } = await contact(contactId);
    while (statuses.filter((one) => one === 403).length < 10)
      await new Promise((resolve) => setImmediate(resolve));
    stop = true;
    await Promise.all(flood);
    assert.equal((await contact(contactId)).sessionCount, sessionCount);
  });
});
