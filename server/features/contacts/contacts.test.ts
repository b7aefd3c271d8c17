import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { IdentifierKind } from '../../../contract/connectors.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { importCsv } from '../../../test/support/import.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { systemActor } from '../accounts/accounts.ts';

let number = 5_511_900_000_000;
const phone = () => String(++number);

describe('contacts', () => {
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
  const contactOf = async (body: object): Promise<Json> => {
    const { sessionId } = await talk.accepted(body);
    return contact((await talk.session(sessionId)).contactId);
  };
  const patch = (id: string, body: object) => call('PATCH', `/contacts/${id}`, { body });
  const found = async (q: string, token?: string) =>
    (await talk.expect(200, call('GET', `/contacts?q=${encodeURIComponent(q)}`, { ...(token && { token }) })))
      .items;
  const values = (one: Json) => one.identifiers.map(({ kind, value }: Json) => `${kind}:${value}`);
  /** As a connector does. */
  const told = async (
    channel: Json,
    identifiers: [IdentifierKind, string][],
    { name = null, sessionId = unique('told') }: { name?: string | null; sessionId?: string } = {},
  ) => {
    const customer = { identifiers: identifiers.map(([kind, value]) => ({ kind, value })), name };
    const { accepted } = await service.context.intake.send(
      systemActor(service.admin.accountId),
      {
        content: 'Hi',
        fromChannelIdentifier: channel.identifier,
        channelType: channel.type,
        sessionId,
        externalUserId: identifiers[0]![1],
      },
      { customer },
    );
    return {
      sessionId,
      messageId: accepted.userMessage.id,
      contactId: (await talk.session(sessionId)).contactId,
    };
  };

  it('a conversation gets the contact of its customer, in any notation; without a customer it has none', async () => {
    const digits = phone();
    const first = await talk.accepted({ externalUserId: `+${digits}`, sessionName: 'Ada' });
    const second = await talk.accepted({ sessionId: unique('s'), externalUserId: `${digits}@c.us` });
    const { contactId, recordId } = await talk.session(first.sessionId);
    assert.equal((await talk.session(second.sessionId)).contactId, contactId);
    const { createdAt, updatedAt, identifiers, recordIds, ...rest } = await contact(contactId);
    assert.deepEqual(rest, {
      id: contactId,
      name: 'Ada',
      sessionCount: 2,
      blocked: false,
      merges: [],
      mergeOffers: [],
    });
    assert.deepEqual(identifiers, [{ kind: 'phone', value: digits, channelId: null, addedAt: createdAt }]);
    assert.equal(updatedAt, createdAt);
    const cards = [recordId, (await talk.session(second.sessionId)).recordId].sort();
    assert.deepEqual(recordIds, cards);
    const none = await talk.accepted({});
    assert.equal((await talk.session(none.sessionId)).contactId, null);
    const listed = await talk.expect(200, call('GET', `/sessions?contactId=${contactId}`));
    assert.equal(listed.items.length, 2);
  });

  it('the kind depends on the form and on the channel', async () => {
    const channels: { [type: string]: Json } = {};
    for (const type of ['chatapp', 'chatbot', 'sms', 'web', 'api'])
      channels[type] = await talk.channel({ type });
    const digits = phone();
    const cases: [string, string, string, boolean][] = [
      ['chatapp', `${digits}@s.whatsapp.net`, `phone:${digits}`, false],
      ['chatapp', `${digits}@lid`, `chatapp:${digits}@lid`, false],
      ['chatapp', 'US.1349', 'chatapp:US.1349', false],
      ['chatbot', digits, `chatbot:${digits}`, false],
      ['sms', `+${digits}`, `phone:${digits}`, false],
      ['web', digits, `web:${digits}`, true],
      ['api', 'Ada@Example.com', 'email:ada@example.com', false],
      ['api', 'crm-17', 'external:crm-17', true],
    ];
    const ids = new Set<string>();
    for (const [type, externalUserId, expected, isOfChannel] of cases) {
      const { identifier, id } = channels[type]!;
      const one = await contactOf({ fromChannelIdentifier: identifier, channelType: type, externalUserId });
      assert.deepEqual(values(one), [expected]);
      assert.equal(one.identifiers[0].channelId, isOfChannel ? id : null);
      ids.add(one.id);
    }
    assert.equal(ids.size, cases.length - 1, 'the phone number is one contact on two channels');
    const visitor = await talk.accepted({
      fromChannelIdentifier: channels.web!.identifier,
      channelType: 'web',
    });
    const { contactId } = await talk.session(visitor.sessionId);
    assert.deepEqual(values(await contact(contactId)), [`web:${visitor.sessionId}`]);
  });

  it('20 first messages of one person at once make one contact', async () => {
    const externalUserId = phone();
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => talk.send({ sessionId: unique('burst'), externalUserId })),
    );
    assert.deepEqual([...new Set(sent.map((one) => one.status))], [202]);
    const [one, ...more] = await found(externalUserId);
    assert.deepEqual([one.sessionCount, more.length], [20, 0]);
  });

  it('identifiers that are told together belong to one contact; names by their rank', async () => {
    const channel = await talk.channel({ type: 'chatapp_no' });
    const digits = phone();
    const lid = `${phone()}@lid`;
    const first = await told(channel, [['chatapp', lid]]);
    assert.equal((await contact(first.contactId)).name, null);
    const both = await told(
      channel,
      [
        ['phone', digits],
        ['chatapp', lid],
      ],
      { name: 'Ada' },
    );
    assert.equal(both.contactId, first.contactId);
    const one = await contact(first.contactId);
    assert.deepEqual(values(one), [`chatapp:${lid}`, `phone:${digits}`]);
    assert.equal(one.name, 'Ada');
    await told(channel, [['phone', digits]], { name: 'Ada L.', sessionId: both.sessionId });
    assert.equal((await contact(one.id)).name, 'Ada L.');
    await talk.expect(200, patch(one.id, { name: ' Countess ' }));
    await told(channel, [['phone', digits]], { name: 'Ada K.', sessionId: both.sessionId });
    assert.equal((await contact(one.id)).name, 'Countess');
    const sms = await talk.channel({ type: 'sms' });
    const texted = await contactOf({
      fromChannelIdentifier: sms.identifier,
      channelType: 'sms',
      externalUserId: `+${digits}`,
    });
    assert.equal(texted.id, one.id);
  });

  it('two contacts that turn out to be one are offered with the evidence, and can be dismissed', async () => {
    const channel = await talk.channel({ type: 'chatapp' });
    const [digits, bsuid] = [phone(), unique('US.1')];
    const a = await told(channel, [['phone', digits]], { name: 'By phone' });
    const b = await told(channel, [['chatapp', bsuid]], { name: 'By id' });
    assert.notEqual(a.contactId, b.contactId);
    const both = await told(channel, [
      ['phone', digits],
      ['chatapp', bsuid],
    ]);
    assert.equal(both.contactId, a.contactId);
    const evidence = {
      channelId: channel.id,
      messageId: both.messageId,
      identifiers: [
        { kind: 'phone', value: digits },
        { kind: 'chatapp', value: bsuid },
      ],
    };
    const [offered, other] = [await contact(a.contactId), await contact(b.contactId)];
    assert.deepEqual(offered.mergeOffers, [{ contactId: b.contactId, name: 'By id', evidence }]);
    assert.deepEqual(other.mergeOffers, [{ contactId: a.contactId, name: 'By phone', evidence }]);
    const path = `/contacts/${b.contactId}/merge-offers/${a.contactId}`;
    await talk.expect(200, call('DELETE', path));
    await talk.expect(404, call('DELETE', path));
    await told(channel, [
      ['phone', digits],
      ['chatapp', bsuid],
    ]);
    assert.deepEqual((await contact(a.contactId)).mergeOffers, [], 'it is not offered again');
  });

  it('another customer in the same conversation says nothing about either', async () => {
    const sessionId = unique('shared');
    const one = await contactOf({ sessionId, externalUserId: phone() });
    const other = phone();
    await talk.accepted({ sessionId, externalUserId: other });
    assert.deepEqual(await contact(one.id), one);
    assert.deepEqual(await found(other), []);
  });

  it('has imported records with its phone number or e-mail address, in any notation', async () => {
    const board = await talk.expect(201, service.call('POST', '/kanbans', { body: { name: 'Customers' } }));
    const { rows } = await importCsv(
      service,
      'title,Phone,E-mail\nOne,+55 (11) 96666-0001,\nTwo,005511966660001,\nThree,,Imported.One@Example.com\nFour,5511966660002,\n',
      { query: `?kanbanId=${board.id}` },
    );
    const [one, two, three, four] = rows.map((row: Json) => row.recordId);
    const { sessionId } = await talk.accepted({ externalUserId: '+55 11 96666 0001' });
    const { contactId, recordId } = await talk.session(sessionId);
    const recordIds = async () =>
      (await talk.expect(200, service.call('GET', `/contacts/${contactId}`))).recordIds;
    assert.deepEqual(await recordIds(), [recordId, one, two].sort());
    const addIdentifiers = [{ kind: 'email', value: 'imported.one@example.com' }];
    await talk.expect(200, service.call('PATCH', `/contacts/${contactId}`, { body: { addIdentifiers } }));
    assert.deepEqual(await recordIds(), [recordId, one, two, three].sort());
    const phone = board.fields.find((field: Json) => field.name === 'Phone').id;
    const change = (id: string, text: string) =>
      talk.expect(
        200,
        service.call('PUT', `/crm/records/${id}`, { body: { customFields: { [phone]: text } } }),
      );
    await change(one, '+55 11 96666-0009');
    await change(four, '+55 11 96666-0001');
    assert.deepEqual(await recordIds(), [recordId, two, three, four].sort());
  });

  it('is found by parts of names and identifiers, in pages', async () => {
    const digits = phone();
    const one = await contactOf({ externalUserId: `+${digits}`, sessionName: 'Zoë Ångström_100%' });
    for (const q of [
      'zoe',
      'ngstr',
      'angstrom zoë',
      digits.slice(3, 9),
      `+55 (11) ${digits.slice(4)}`,
      '_100%',
    ]) {
      assert.ok(
        (await found(q)).some((item: Json) => item.id === one.id),
        q,
      );
    }
    for (const q of ['zoex', 'zo%', `${digits}9`]) assert.deepEqual(await found(q), [], q);
    await talk.expect(
      200,
      patch(one.id, { name: 'Bea', addIdentifiers: [{ kind: 'email', value: 'B@x.io' }] }),
    );
    assert.deepEqual(await found('angstrom'), []);
    assert.equal((await found('b@x.io'))[0].id, one.id);
    const tag = unique('paged');
    for (let n = 0; n < 5; n++) await talk.accepted({ externalUserId: `${tag}-${n}` });
    const first = await talk.expect(200, call('GET', `/contacts?q=${tag}&limit=3`));
    const next = `/contacts?q=${tag}&limit=3&nextToken=${encodeURIComponent(first.nextToken)}`;
    const second = await talk.expect(200, call('GET', next));
    assert.equal(second.nextToken, null);
    const ids = [...first.items, ...second.items].map((item: Json) => item.id);
    assert.equal(new Set(ids).size, 5);
    assert.equal((await call('GET', `/contacts?nextToken=${first.nextToken}`)).status, 400);
    assert.equal((await call('GET', '/contacts?limit=0')).status, 400);
  });

  it('PATCH adds and removes identifiers, normalised; 409 names the contact that has one', async () => {
    const [one, two] = [
      await contactOf({ externalUserId: phone() }),
      await contactOf({ externalUserId: phone() }),
    ];
    const theirs = two.identifiers[0].value;
    const taken = await patch(one.id, { addIdentifiers: [{ kind: 'phone', value: `+${theirs}` }] });
    assert.deepEqual([taken.status, taken.body.code, taken.body.contactId], [409, 'CONFLICT', two.id]);
    assert.ok(taken.body.message.includes(theirs));
    const address = `${unique('Ada')}@Example.com`;
    const body = {
      addIdentifiers: [
        { kind: 'email', value: `mailto:${address}` },
        { kind: 'external', value: 'crm-9' },
        { kind: 'chatapp', value: '1234567890@lid' },
      ],
    };
    const added = await talk.expect(200, patch(one.id, body));
    assert.deepEqual(values(added).sort(), [
      'chatapp:1234567890@lid',
      `email:${address.toLowerCase()}`,
      'external:crm-9',
      values(one)[0],
    ]);
    assert.ok(added.updatedAt >= one.updatedAt);
    assert.deepEqual(await talk.expect(200, patch(one.id, body)), added, 'nothing changes');
    const removed = { removeIdentifiers: [{ kind: 'external', value: 'crm-9' }] };
    assert.equal(values(await talk.expect(200, patch(one.id, removed))).includes('external:crm-9'), false);
    for (const [wrong, field] of [
      [{ addIdentifiers: [{ kind: 'fax', value: '1' }] }, 'addIdentifiers[0].kind'],
      [{ addIdentifiers: [{ kind: 'phone', value: 'Ada' }] }, 'addIdentifiers[0].value'],
      [{ addIdentifiers: [{ kind: 'phone', value: '123456789@lid' }] }, 'addIdentifiers[0].value'],
      [{ removeIdentifiers: [{ kind: 'email', value: 'x' }] }, 'removeIdentifiers[0].value'],
      [{ addIdentifiers: [{ kind: 'web', value: 'x' }] }, 'addIdentifiers[0].channelId'],
      [{ name: ' ' }, 'name'],
    ] as const) {
      const answer = await patch(one.id, wrong);
      assert.equal(answer.status, 400, answer.text);
      assert.ok(answer.body.message.includes(field), answer.body.message);
    }
    const { items } = await talk.expect(200, call('GET', '/audit-log'));
    const entry = items.find((item: Json) => item.action === 'contact.updated');
    assert.deepEqual(entry.target, { type: 'contact', id: one.id });
  });

  it('is shown to those who may see one of its conversations, with what they may see', async () => {
    const board = await talk.kanban();
    const digits = phone();
    const open = await contactOf({ externalUserId: digits });
    await talk.accepted({ sessionId: unique('s'), externalUserId: digits, kanbanId: board.id });
    // Found by its phone number, not by a conversation.
    await importCsv(service, `title,Phone\nHidden,${digits}\n`, { query: `?kanbanId=${board.id}` });
    assert.equal((await contact(open.id)).recordIds.length, 3);
    const hidden = await contactOf({ externalUserId: phone(), kanbanId: board.id });
    const admin = (await talk.expect(200, call('GET', '/auth/me', { token: service.admin.jwt }))).user.id;
    await talk.expect(200, call('PUT', `/kanbans/${board.id}/members`, { body: { userIds: [admin] } }));
    const { jwt: token } = await service.createUser('operator');
    const seen = await talk.expect(200, call('GET', `/contacts/${open.id}`, { token }));
    assert.deepEqual([seen.sessionCount, seen.recordIds.length], [1, 1]);
    await talk.expect(404, call('GET', `/contacts/${hidden.id}`, { token }));
    assert.deepEqual(await found(hidden.identifiers[0].value, token), []);
    await talk.expect(404, call('PATCH', `/contacts/${hidden.id}`, { token, body: { name: 'x' } }));
    const addIdentifiers = [{ kind: 'phone', value: hidden.identifiers[0].value }];
    const take = (as?: string) =>
      call('PATCH', `/contacts/${open.id}`, { ...(as && { token: as }), body: { addIdentifiers } });
    assert.equal((await talk.expect(409, take())).contactId, hidden.id);
    assert.ok(!JSON.stringify(await talk.expect(409, take(token))).includes(hidden.id));
    const other = await service.createAccount();
    await talk.expect(404, call('GET', `/contacts/${open.id}`, { token: other.token }));
    assert.deepEqual(await found(digits, other.token), []);
  });

  it('conversations that are older get their contact with their next message', async () => {
    const sessionId = unique('older');
    const externalUserId = phone();
    const one = await contactOf({ sessionId, externalUserId });
    await service.context.db.transaction((tx) =>
      tx.query(sql`update sessions set contact_id = null where session_id = ${sessionId}`),
    );
    await talk.accepted({ sessionId });
    assert.equal((await talk.session(sessionId)).contactId, one.id);
  });
});
