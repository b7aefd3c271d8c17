import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Answer, type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('blocked contacts', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channel: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    channel = await talk.channel();
  });
  after(() => service.close());

  const block = (identifier: string, body?: object) =>
    call('POST', `/blocked-contacts/${encodeURIComponent(identifier)}`, { ...(body && { body }) });
  const unblock = (identifier: string) =>
    call('DELETE', `/blocked-contacts/${encodeURIComponent(identifier)}`);
  const send = (body: object) => talk.send({ fromChannelIdentifier: channel.identifier, ...body });
  const assertBlocked = ({ status, body, text }: Answer) => {
    assert.equal(status, 403, text);
    assert.deepEqual(Object.keys(body).sort(), ['error', 'requestId', 'timestamp']);
    assert.deepEqual(Object.keys(body.error).sort(), ['code', 'message']);
    assert.equal(body.error.code, 'CONTACT_BLOCKED');
    assert.equal(new Date(body.timestamp).toISOString(), body.timestamp);
  };

  it('201 for a new block, 200 with alreadyBlocked for the same contact in any form, first value kept', async () => {
    const first = await block(' +55 11 99999-8888 ', { reason: 'spam' });
    assert.equal(first.status, 201);
    const { createdAt, createdBy, ...rest } = first.body;
    assert.deepEqual(rest, {
      identifierValue: '+55 11 99999-8888',
      identifierType: 'phone',
      reason: 'spam',
      alreadyBlocked: false,
    });
    assert.ok(createdAt > 0 && createdBy);
    for (const same of ['5511999998888', '5511999998888@c.us', '+5511999998888']) {
      const again = await block(same, { reason: 'other' });
      assert.equal(again.status, 200);
      assert.deepEqual(again.body, { ...first.body, alreadyBlocked: true });
    }
  });

  it('unblocking is always 200 and says whether there was anything', async () => {
    await block('ada@example.com');
    const gone = await unblock('ADA@example.com');
    assert.deepEqual([gone.status, gone.body.unblocked], [200, true]);
    assert.equal(typeof gone.body.message, 'string');
    const again = await unblock('ada@example.com');
    assert.deepEqual([again.status, again.body.unblocked], [200, false]);
    assert.equal((await send({ externalUserId: 'ada@example.com' })).status, 202);
  });

  it('lists all without a limit, in pages with one, never another account’s', async () => {
    for (let n = 0; n < 120; n++) await block(`list-${n}`);
    const all = (await call('GET', '/blocked-contacts')).body;
    assert.ok(all.items.length >= 120);
    assert.equal(all.nextToken, null);
    const page = (await call('GET', '/blocked-contacts?limit=100')).body;
    assert.equal(page.items.length, 100);
    const rest = (
      await call('GET', `/blocked-contacts?limit=100&nextToken=${encodeURIComponent(page.nextToken)}`)
    ).body;
    assert.deepEqual([...page.items, ...rest.items], all.items);
    const other = await service.createAccount();
    const theirs = await call('GET', '/blocked-contacts', { token: other.token });
    assert.deepEqual(theirs.body, { items: [], nextToken: null });
    assert.equal((await talk.send({ externalUserId: 'list-1' }, { token: other.token })).status, 202);
  });

  it('400 for a blank, too long or unstorable identifier; 403 without the scope', async () => {
    for (const bad of ['%20', '%E2%80%8B', 'tel:', 'x'.repeat(256), 'a%00b']) {
      const { status } = await call('POST', `/blocked-contacts/${bad}`);
      assert.equal(status, 400, bad);
    }
    const { token } = await service.createToken(service.admin.jwt, { scopes: ['messages:write'] });
    assert.equal((await call('POST', '/blocked-contacts/x', { token })).status, 403);
  });

  it('every way in and out asks: POST /messages, echo, operator reply, release; each refusal is counted', async () => {
    const customer = '+5511900001111';
    const sessionId = unique('ways');
    await talk.expect(202, send({ sessionId, externalUserId: customer }));
    const held = (await talk.messages(sessionId))[0].id;
    // Only a model makes a held reply; here a message is marked as one.
    await service.context.db.transaction((tx) =>
      tx.query(sql`update messages set held = true, role = 'assistant' where id = ${held}::uuid`),
    );
    await block(customer);
    const before = await talk.messages(sessionId);
    const ways: [string, () => Promise<Answer>][] = [
      ['a message of the customer', () => send({ externalUserId: customer })],
      ['in another form', () => send({ externalUserId: '5511900001111@c.us' })],
      ['into their conversation, unnamed', () => send({ sessionId })],
      ['into their conversation, as another', () => send({ sessionId, externalUserId: 'someone else' })],
      ['by session id, when there is nobody else', () => send({ sessionId: customer })],
      ['an echo', () => send({ isEcho: true, externalUserId: customer })],
      ['an operator’s reply', () => talk.operatorSays(channel.id, sessionId, { content: 'Hi' })],
      ['a release', () => call('POST', `/sessions/${sessionId}/messages/${held}/release`)],
    ];
    for (const [name, way] of ways) {
      assertBlocked(await way());
      assert.deepEqual(await talk.messages(sessionId), before, name);
    }
    const { items } = (await call('GET', '/blocked-contacts')).body;
    const entry = items.find((one: Json) => one.identifierValue === customer);
    assert.equal(entry.droppedCount, ways.length);
    assert.ok(entry.lastDroppedAt > 0);
    const note = await talk.operatorSays(channel.id, sessionId, {
      content: 'blocked for a reason',
      isNote: true,
    });
    assert.equal(note.status, 201, 'notes stay possible');
  });

  it('full-width digits, invisible characters, prefixes and a leading 00 do not walk around a block', async () => {
    assert.equal((await block('+55 11 98888-0001')).status, 201);
    for (const externalUserId of [
      '５５11988880001',
      '55119\u200b88880001',
      'tel:+5511988880001',
      'WhatsApp:+55 11 98888-0001',
      '0055 11 98888 0001',
      '5511988880001:3@s.whatsapp.example',
    ]) {
      assertBlocked(await send({ externalUserId }));
      assertBlocked(await send({ externalUserId, isEcho: true }));
      assert.equal((await block(externalUserId)).body.alreadyBlocked, true, externalUserId);
    }
  });

  it('an anonymous chat-app id neither blocks a phone number nor is blocked by one', async () => {
    assert.equal((await block('154417159582282@lid')).status, 201);
    assert.equal((await send({ externalUserId: '154417159582282' })).status, 202);
    assert.equal((await send({ externalUserId: '154417159582282@c.us' })).status, 202);
    assertBlocked(await send({ externalUserId: '154417159582282:12@lid' }));
    assert.equal((await block('154417159582283')).status, 201);
    assert.equal((await send({ externalUserId: '154417159582283@lid' })).status, 202);
  });

  it('the session’s id is asked about only where there is no customer', async () => {
    const sessionId = unique('only-id');
    await talk.expect(202, send({ sessionId }));
    await block(sessionId);
    assertBlocked(await send({ sessionId }));
    assert.equal((await send({ sessionId, externalUserId: unique('customer') })).status, 202);
    assert.equal((await send({ sessionId })).status, 202, 'the session has a customer by now');
  });

  it('a block in a flood: after its answer nothing of that contact appears any more', async () => {
    const customer = unique('flooder');
    const things = async () => ({
      sessions: await talk.count(sql`sessions where contact_key = ${customer}`),
      messages: await talk.count(
        sql`messages m join sessions s using (account_id, session_id) where s.contact_key = ${customer}`,
      ),
      records: await talk.count(sql`records where title = ${customer}`),
      events: await talk.count(sql`events where body like ${`%${customer}%`}`),
      pending: await talk.count(
        sql`pending_replies p join sessions s using (account_id, session_id) where s.contact_key = ${customer}`,
      ),
    });
    let stop = false;
    const statuses = new Map<number, number>();
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let n = 0; !stop; n++) {
        const sessionId = n % 2 ? `${customer}-${client}` : undefined;
        const { status } = await send({ sessionId, externalUserId: customer });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const enough = async (status: number, count: number) => {
      while ((statuses.get(status) ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await enough(202, 40);
    assert.equal((await block(customer)).status, 201);
    const atBlock = await things();
    await enough(403, 40);
    stop = true;
    await Promise.all(clients);
    assert.deepEqual(await things(), atBlock);
    assert.equal(atBlock.pending, 0, 'what was unanswered is answered no more');
    assert.deepEqual([...statuses.keys()].sort(), [202, 403]);
    const { items } = (await call('GET', '/blocked-contacts')).body;
    const entry = items.find((one: Json) => one.identifierValue === customer);
    assert.equal(entry.droppedCount, statuses.get(403));
    const suppressed = await talk.count(
      sql`reply_log l join sessions s using (account_id, session_id)
        where s.contact_key = ${customer} and l.outcome = 'suppressed'`,
    );
    assert.equal(suppressed, statuses.get(202), 'each unanswered message is in the log');
  });
});
