import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('what the dashboard reads and keeps', () => {
  let service: TestService;
  let call: TestService['call'];
  let board: Json;
  let amount: string;
  let city: string;

  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    const made = await call('POST', '/kanbans', {
      body: {
        name: 'Sales',
        statuses: [
          { value: 'open', label: 'Open', color: '#112233' },
          { value: 'won', label: 'Won', color: '#223344' },
          { value: 'lost', label: 'Lost', color: '#334455' },
        ],
        fields: [
          { name: 'Amount', type: 'currency' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
        ],
      },
    });
    board = made.body;
    amount = board.fields.find((field: Json) => field.name === 'Amount').id;
    city = board.fields.find((field: Json) => field.name === 'City').id;
  });
  after(() => service.close());

  const create = async (title: string, body: object = {}) =>
    (await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title, ...body } })).body;
  const cards = (query = '', token?: string) =>
    call('GET', `/kanbans/${board.id}/cards${query}`, token ? { token } : {});
  const summary = (query = '') => call('GET', `/kanbans/${board.id}/board-summary${query}`);
  const titles = (answer: { body: Json }) => answer.body.items.map((card: Json) => card.title);

  it('cards come by column and page, newest first, and the summary counts and adds them up', async () => {
    for (let i = 0; i < 5; i++)
      await create(`Open ${i}`, { customFields: { [amount]: 10 + i, [city]: 'Oslo' } });
    await create('Won', { status: 'won', customFields: { [amount]: 0.5, [city]: 'Lima' } });
    const first = await cards('?status=open&limit=2');
    assert.deepEqual(titles(first), ['Open 4', 'Open 3']);
    const second = await cards(`?status=open&limit=2&nextToken=${first.body.nextToken}`);
    assert.deepEqual(titles(second), ['Open 2', 'Open 1']);
    assert.equal((await cards(`?status=won&limit=2&nextToken=${first.body.nextToken}`)).status, 400);

    const { body } = await summary(`?sumFieldId=${amount}`);
    assert.deepEqual(body, {
      count: 6,
      columns: [
        { status: 'open', count: 5, total: 60 },
        { status: 'won', count: 1, total: 0.5 },
        { status: 'lost', count: 0, total: 0 },
      ],
    });
    assert.equal((await summary()).body.columns[0].total, null);
    assert.equal((await summary(`?sumFieldId=${city}`)).status, 400);
  });

  it('both are narrowed by person, field and text', async () => {
    const operator = await service.createUser('operator');
    await create('Zanzibar travel', { assignedUserIds: [operator.id], customFields: { [city]: 'Lima' } });
    for (const query of [
      `?assignedUserId=${operator.id}`,
      '?q=zanzbar',
      `?fieldId=${city}&fieldValue=lima&q=travel`,
    ]) {
      assert.deepEqual(titles(await cards(query)), ['Zanzibar travel'], query);
      assert.equal((await summary(query)).body.count, 1, query);
    }
    assert.deepEqual(titles(await cards('?q=nothinglikethis')), []);
    assert.equal((await cards(`?fieldId=${city}`)).status, 400);
  });

  it('a card carries its latest conversation, but not for a token that may not read messages', async () => {
    const talk = conversationsOf(service);
    const { body: channel } = await call('POST', '/channels', {
      body: {
        name: 'Cards',
        identifier: 'cards',
        type: 'api',
        defaultAgentId: (await call('GET', '/agents')).body.items[0].id,
      },
    });
    await talk.accepted({
      sessionId: 'card-talk',
      fromChannelIdentifier: channel.identifier,
      kanbanId: board.id,
      content: 'Is it open?',
    });
    const find = async (token?: string) =>
      (await cards('', token)).body.items.find((card: Json) => card.title === 'card-talk');
    const card = await find();
    assert.equal(card.conversation.sessionId, 'card-talk');
    assert.equal(card.conversation.unread, 1);
    assert.deepEqual(card.conversation.lastMessage, { role: 'user', text: 'Is it open?' });
    const { token } = await service.createToken(service.admin.jwt, { scopes: ['crm:read'] });
    assert.equal((await find(token)).conversation, null);
    assert.deepEqual((await call('GET', '/inbox/counts')).body, { unread: 1, needsAttention: 0 });
  });

  it('activity lists who changed what, newest first, and ends with the creation', async () => {
    const record = await create('Watched');
    const put = (body: object, token: string) =>
      call('PUT', `/crm/records/${record.recordId}`, { body, token });
    const operator = await service.createUser('operator');
    await put({ status: 'won' }, service.admin.jwt);
    await put({ customFields: { [amount]: 7 } }, operator.jwt);
    const path = `/crm/records/${record.recordId}/activity`;
    const { body } = await call('GET', path);
    assert.deepEqual(
      body.items.map((one: Json) => [one.kind, one.fieldName, one.oldValue, one.newValue, one.by.id]),
      [
        ['changed', 'Amount', null, 7, operator.id],
        ['changed', 'status', 'open', 'won', service.admin.userId],
        ['created', null, null, null, record.createdBy],
      ],
    );
    assert.ok(body.items.every((one: Json) => typeof one.by.name === 'string'));
    const page = await call('GET', `${path}?limit=1`);
    assert.equal(page.body.items.length, 1);
    const rest = await call('GET', `${path}?limit=5&nextToken=${page.body.nextToken}`);
    assert.deepEqual(
      rest.body.items.map((one: Json) => one.kind),
      ['changed', 'created'],
    );
  });

  it('an operator sees nothing of a closed board', async () => {
    const operator = await service.createUser('operator');
    const { body: closed } = await call('POST', '/kanbans', { body: { name: 'Closed' } });
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const { body: record } = await call('POST', `/crm/records?kanbanId=${closed.id}`, {
      body: { title: 'Hidden' },
    });
    const paths = [
      `/kanbans/${closed.id}/cards`,
      `/kanbans/${closed.id}/board-summary`,
      `/crm/records/${record.recordId}/activity`,
      `/saved-views?kanbanId=${closed.id}`,
    ];
    for (const path of paths) {
      assert.equal((await call('GET', path, { token: service.admin.jwt })).status, 200, path);
      const refused = await call('GET', path, { token: operator.jwt });
      assert.equal(refused.status, 404, path);
    }
  });

  it('a view is its owner’s until it is shared; only they and administrators change it', async () => {
    const [ada, bob] = [await service.createUser('operator'), await service.createUser('operator')];
    const body = { kanbanId: board.id, name: ' Mine ', settings: { filters: { q: 'x' } } };
    const { status, body: view } = await call('POST', '/saved-views', { token: ada.jwt, body });
    assert.deepEqual([status, view.name, view.shared, view.ownerId], [201, 'Mine', false, ada.id]);
    const seenBy = async (token: string) =>
      (await call('GET', `/saved-views?kanbanId=${board.id}`, { token })).body.items.map(
        (one: Json) => one.id,
      );
    const change = (token: string, patch: object) =>
      call('PATCH', `/saved-views/${view.id}`, { token, body: patch });
    assert.deepEqual(await seenBy(bob.jwt), []);
    assert.equal((await change(bob.jwt, { name: 'Theirs' })).status, 404);
    assert.equal((await change(ada.jwt, { shared: true })).body.shared, true);
    assert.deepEqual(await seenBy(bob.jwt), [view.id]);
    assert.equal((await change(bob.jwt, { name: 'Theirs' })).status, 403);
    assert.equal((await change(service.admin.jwt, { name: 'Ours' })).body.name, 'Ours');
    assert.equal(
      (await call('POST', '/saved-views', { token: ada.jwt, body: { ...body, kanbanId: absentId } })).status,
      404,
    );
    assert.equal((await call('DELETE', `/saved-views/${view.id}`, { token: ada.jwt })).status, 200);
    assert.deepEqual(await seenBy(ada.jwt), []);
  });

  it('saved replies follow the same rule', async () => {
    const [ada, bob] = [await service.createUser('operator'), await service.createUser('operator')];
    const { body: reply } = await call('POST', '/saved-replies', {
      token: ada.jwt,
      body: { name: 'Hours', text: 'We are open from 9 to 5.' },
    });
    const seenBy = async (token: string) =>
      (await call('GET', '/saved-replies', { token })).body.items.map((one: Json) => one.name);
    assert.deepEqual([await seenBy(ada.jwt), await seenBy(bob.jwt)], [['Hours'], []]);
    const path = `/saved-replies/${reply.id}`;
    await call('PATCH', path, { token: ada.jwt, body: { shared: true, name: 'Opening hours' } });
    assert.deepEqual(await seenBy(bob.jwt), ['Opening hours']);
    assert.equal((await call('DELETE', path, { token: bob.jwt })).status, 403);
    assert.equal((await call('DELETE', path, { token: service.admin.jwt })).status, 200);
  });

  it('the inbox lists conversations with their last message, and tells who is blocked', async () => {
    const talk = conversationsOf(service);
    const channel = await talk.channel();
    const send = (sessionId: string, body: object = {}) =>
      talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier, ...body });
    await send('inbox-a', { content: `begin${'.'.repeat(300)}`, externalUserId: '+49 170 5550101' });
    await send('inbox-b', { content: 'second' });
    const say = (body: object) => talk.operatorSays(channel.id, 'inbox-b', body);
    await say({ content: 'answered' });
    await say({ content: 'among us', isNote: true });
    await call('POST', '/blocked-contacts/%2B491705550101');
    const mine = `channelId=${channel.id}`;
    const { items } = await talk.expect(200, call('GET', `/inbox/sessions?${mine}`));
    assert.deepEqual(
      items.map((one: Json) => [one.sessionId, one.blocked, one.lastMessage.role, one.lastMessage.text]),
      [
        ['inbox-b', false, 'operator', 'answered'],
        ['inbox-a', true, 'user', `begin${'.'.repeat(155)}`],
      ],
    );
    assert.deepEqual(await talk.expect(200, call('GET', '/inbox/sessions/inbox-a')), items[1]);
    const unread = await talk.expect(200, call('GET', `/inbox/sessions?${mine}&unread=true`));
    assert.deepEqual(
      unread.items.map((one: Json) => one.sessionId),
      ['inbox-a'],
    );
    await call('POST', '/blocked-contacts/inbox-b');
    assert.equal((await talk.expect(200, call('GET', '/inbox/sessions/inbox-b'))).blocked, true);
    assert.equal((await call('GET', '/inbox/sessions/none')).status, 404);
  });
});
