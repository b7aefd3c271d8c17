import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('searching messages', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let talk: Conversations;
  let channel: Json;
  let closed: Json;

  before(async () => {
    service = await startTestService();
    second = await service.startSecond();
    talk = conversationsOf(service);
    channel = await talk.channel();
    closed = await talk.kanban();
    const userIds = [service.admin.userId];
    await talk.expect(200, service.call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds } }));
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const find = async (query: object, via: { call: TestService['call'] } = service, token?: string) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
    const path = `/messages/search?${parameters}`;
    return talk.expect(200, via.call('GET', path, token ? { token } : {}));
  };
  const contents = async (query: object, via?: { call: TestService['call'] }, token?: string) =>
    (await find(query, via, token)).items.map(({ content }: Json) => content);
  const say = (content: string, body: object = {}) =>
    talk.accepted({ content, fromChannelIdentifier: channel.identifier, ...body });
  const noteOn = async (sessionId: string, content: string): Promise<Json> =>
    talk.expect(
      201,
      service.call('POST', `/channels/${channel.id}/sessions/${sessionId}/agent-messages`, {
        body: { content, isNote: true },
      }),
    );

  it('returns the message with its conversation, its author and what matched', async () => {
    const sessionId = unique('shown');
    const sent = await say('Where is my parcel from Straßburg?', {
      sessionId,
      sessionName: 'Ana Silva',
      externalUserId: '+49 170 5551234',
    });
    const { items, total, searchedFrom } = await find({ q: 'strassbrug' });
    assert.equal(total, 1);
    assert.equal(searchedFrom, null);
    const { kanbanId } = await talk.session(sessionId);
    assert.deepEqual(items, [
      {
        id: sent.userMessage.id,
        sessionId,
        role: 'user',
        content: 'Where is my parcel from Straßburg?',
        createdAt: sent.userMessage.timestamp,
        isNote: false,
        held: false,
        author: { kind: 'customer', id: null, name: 'Ana Silva' },
        sessionName: 'Ana Silva',
        externalUserId: '+49 170 5551234',
        channelId: channel.id,
        channelType: 'api',
        kanbanId,
        match: {
          typos: 1,
          excerpt: 'Where is my parcel from Straßburg?',
          ranges: [{ start: 24, end: 33 }],
        },
      },
    ]);
  });

  it('with one typo from five letters on, two from eight on, and what is exact or begins so first', async () => {
    const session = unique('typos');
    for (const text of [
      'the parcel came',
      'parcels came',
      'a parsel came',
      'the card',
      'a cart',
      'Strasbourg',
    ])
      await say(text, { sessionId: session });
    const found = async (q: string): Promise<[string, number][]> =>
      (await find({ q, sessionId: session })).items.map(({ content, match }: Json) => [content, match.typos]);
    assert.deepEqual(await found('parcel'), [
      ['parcels came', 0],
      ['the parcel came', 0],
      ['a parsel came', 1],
    ]);
    assert.deepEqual(await found('parzil'), [], 'two typos in six letters');
    assert.deepEqual(await found('card'), [['the card', 0]], 'no typo in four letters');
    assert.deepEqual(await found('carrd'), [['the card', 1]]);
    assert.deepEqual(await found('strazborg'), [['Strasbourg', 2]]);
  });

  it('by conversation, customer in any notation, channel, author, kind and time; without q the newest', async () => {
    const one = unique('filtered');
    const two = unique('filtered');
    await say('mango one', { sessionId: one, externalUserId: '+44 20 7946 0011' });
    await talk.pause(one);
    const { userMessage } = await say('mango two', { sessionId: two });
    await noteOn(one, 'mango note');
    await talk.expect(201, talk.operatorSays(channel.id, one, { content: 'mango reply' }));
    const q = 'mango';
    const { userId } = service.admin;
    const cases: [object, string[]][] = [
      [{ q }, ['mango note', 'mango one', 'mango reply', 'mango two']],
      [{ q, sessionId: two }, ['mango two']],
      [{ q, contact: '0044 (20) 7946-0011' }, ['mango note', 'mango one', 'mango reply']],
      [{ q, contact: '0044 (20) 7946-0011', sessionId: two }, []],
      [{ q, channelId: closed.id }, []],
      [{ q, author: 'customer' }, ['mango one', 'mango two']],
      [{ q, author: 'operator' }, ['mango note', 'mango reply']],
      [{ q, author: userId }, []],
      [{ q, kind: 'note' }, ['mango note']],
      [{ q, kind: 'message', author: 'operator' }, ['mango reply']],
      [{ q, to: userMessage.timestamp, author: 'customer' }, ['mango one']],
      [{ q, from: userMessage.timestamp, author: 'customer' }, ['mango two']],
      [{ q: 'MANGO nóte' }, ['mango note']],
    ];
    for (const [query, wanted] of cases)
      assert.deepEqual((await contents(query)).sort(), wanted, JSON.stringify(query));
    const [newest] = (await find({ sessionId: one })).items;
    assert.equal(newest.content, 'mango reply');
    assert.equal(newest.match, undefined);
    const { id } = newest.author;
    assert.deepEqual((await contents({ q, author: id })).sort(), ['mango note', 'mango reply']);
    const answers = await find({ author: 'ai', sessionId: one });
    assert.ok(answers.items.every((item: Json) => item.role === 'assistant'));
  });

  it('pages with an exact total', async () => {
    const sessionId = unique('paged');
    for (let i = 1; i <= 5; i++) await say(`papaya ${i}`, { sessionId });
    const query = { q: 'papaya', author: 'customer', pageSize: 2 };
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await find({ ...query, page }));
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ content }: Json) => content)),
      [['papaya 5', 'papaya 4'], ['papaya 3', 'papaya 2'], ['papaya 1'], []],
    );
    for (const { total, totalPages, pageSize } of pages)
      assert.deepEqual([total, totalPages, pageSize], [5, 3, 2]);
  });

  it('finds a message in the very next request after its 202, in another process, with 6 senders at work', async () => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, sender) => {
        const sessionId = unique('fresh');
        for (let i = 0; i < 8; i++) {
          const content = `Fresh${sender}x${i}y`;
          const { userMessage } = await say(content, { sessionId });
          const { items } = await find({ q: content, author: 'customer' }, i % 2 ? service : second);
          assert.ok(
            items.some(({ id }: Json) => id === userMessage.id),
            `${content} right after its 202`,
          );
        }
      }),
    );
  });

  it('follows edits and deletions of notes, transfers and renames', async () => {
    const sessionId = unique('edited');
    await say('hello', { sessionId });
    const note = await noteOn(sessionId, 'quince');
    const path = `/channels/${channel.id}/sessions/${sessionId}/notes/${note.messageId}`;
    assert.deepEqual(await contents({ q: 'quince' }, second), ['quince']);
    await talk.expect(200, service.call('PATCH', path, { body: { content: 'tamarind' } }));
    assert.deepEqual(await contents({ q: 'quince' }, second), []);
    assert.deepEqual(await contents({ q: 'tamarind' }, second), ['tamarind']);
    const operator = await service.createUser('operator');
    assert.deepEqual(await contents({ q: 'tamarind' }, second, operator.jwt), ['tamarind']);
    const transfer = { kanbanId: closed.id };
    await talk.expect(200, service.call('POST', `/sessions/${sessionId}/transfer`, { body: transfer }));
    const hidden = await find({ q: 'tamarind' }, second, operator.jwt);
    assert.deepEqual([hidden.items, hidden.total], [[], 0]);
    assert.deepEqual(await contents({ q: 'tamarind' }, second), ['tamarind']);
    await talk.expect(200, service.call('DELETE', path));
    assert.deepEqual(await contents({ q: 'tamarind' }, second), []);
  });

  it('shows another account nothing', async () => {
    await say('durian', { sessionId: unique('other') });
    const other = await service.createAccount();
    assert.deepEqual(await contents({ q: 'durian' }, service, other.token), []);
    assert.deepEqual(await contents({ channelId: channel.id }, service, other.token), []);
  });

  it('reads everything again after the numbers of changes began anew, or were removed', async () => {
    const sessionId = unique('again');
    await say('lychee one', { sessionId });
    assert.equal((await find({ q: 'lychee', author: 'customer' })).total, 1);
    const { db } = service.context;
    await db.transaction(async (tx) => {
      await tx.query(sql`delete from live_log where account_id = ${service.admin.accountId}`);
      await tx.query(sql`update live_heads set seq = seq + 5 where account_id = ${service.admin.accountId}`);
    });
    await say('lychee two', { sessionId });
    assert.equal((await find({ q: 'lychee', author: 'customer' })).total, 2);
    await db.transaction((tx) => tx.query(sql`truncate live_log, live_heads, live_state, live_changes`));
    await say('lychee three', { sessionId });
    assert.equal((await find({ q: 'lychee', author: 'customer' })).total, 3);
  });

  it('takes any text without an error', async () => {
    for (const value of ['%00', '%F0%9F', '%ED%A0%80', "'%22%5C%25_", 'a'.repeat(3000), '%E2%80%AE']) {
      for (const name of ['q', 'contact', 'sessionId', 'channelId', 'author']) {
        const { status } = await service.call('GET', `/messages/search?${name}=${value}`);
        assert.ok(status === 200 || status === 400, `${name}=${value.slice(0, 12)}: ${status}`);
      }
      const people = await service.call('GET', `/sessions?q=${value}`);
      assert.ok(people.status === 200 || people.status === 400, `sessions q=${value.slice(0, 12)}`);
    }
  });

  it('400 for a bad page, time or kind, with the name of the parameter', async () => {
    for (const [query, name] of [
      ['page=0', 'page'],
      ['pageSize=x', 'pageSize'],
      ['from=yesterday', 'from'],
      ['to=-1', 'to'],
      ['kind=mail', 'kind'],
    ]) {
      const { status, body } = await service.call('GET', `/messages/search?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.message, new RegExp(name!), query);
    }
  });
});

describe('searching more messages than the memory holds', () => {
  it('searches the newest and says from when on', async () => {
    const service = await startTestService({ env: { MESSAGE_SEARCH_MB: '1' } });
    try {
      const talk = conversationsOf(service);
      const { accountId } = service.admin;
      await talk.accepted({ sessionId: 'long', content: 'guava first' });
      await service.context.db.transaction((tx) =>
        tx.query(sql`
          insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at)
          select ${accountId}, 'long', 10 + n, ('018f' || lpad(to_hex(n), 8, '0') || '70008000000000000000')::uuid, 'user',
            'guava ' || md5(n::text) || ' ' || md5('b' || n), n, n
          from generate_series(1, 9000) n`),
      );
      const { total, searchedFrom } = (await service.call('GET', '/messages/search?q=guava')).body;
      assert.ok(total > 100 && total < 9000, `${total} found`);
      assert.ok(searchedFrom > 0);
      await talk.accepted({ sessionId: 'long', content: 'guava last' });
      const [newest] = (await service.call('GET', '/messages/search?q=guava')).body.items;
      assert.equal(newest.content, 'guava last');
    } finally {
      await service.close();
    }
  });
});
