import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const minute = 60_000;

describe('lists of conversations', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channel: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    channel = await talk.channel({ settings: { answersFirst: 'people' } });
  });
  after(() => service.close());

  const says = async (sessionId: string, body: object = {}): Promise<Json> =>
    (await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier, ...body })).userMessage;
  const begin = async () => {
    const sessionId = unique('listed');
    await says(sessionId);
    return sessionId;
  };
  const change = (sessionId: string, body: object): Promise<Json> =>
    talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body }));
  const answers = (sessionId: string, body: object = {}) =>
    talk.expect(201, talk.operatorSays(channel.id, sessionId, { content: 'Yes', ...body }));
  const waiting = async (sessionId: string) => (await talk.session(sessionId)).waitingSince;
  const path = (query: object, filter?: object) => {
    const text: object = filter === undefined ? {} : { filter: JSON.stringify(filter) };
    return `/sessions?${new URLSearchParams({ channelId: channel.id, ...query, ...text })}`;
  };
  const idsOf = async (query: object, filter?: object, options = {}): Promise<string[]> => {
    const { items } = await talk.expect(200, call('GET', path(query, filter), options));
    return items.map((one: Json) => one.sessionId);
  };
  const set = (sessionId: string, columns: ReturnType<typeof sql>) =>
    service.context.db.autocommit(sql`
      update sessions set ${columns}
      where account_id = ${service.admin.accountId} and session_id = ${sessionId} returning 1`);

  it('a customer waits from the first message that nobody has answered', async () => {
    const sessionId = unique('waits');
    const first = await says(sessionId);
    await says(sessionId);
    await answers(sessionId, { isNote: true });
    assert.equal(await waiting(sessionId), first.timestamp);
    await answers(sessionId);
    assert.equal(await waiting(sessionId), null);
    const second = await says(sessionId);
    assert.equal(await waiting(sessionId), second.timestamp);
    await change(sessionId, { status: 'resolved' });
    assert.equal(await waiting(sessionId), null, 'nobody waits in a resolved conversation');
    await change(sessionId, { status: 'open' });
    assert.equal(await waiting(sessionId), second.timestamp, 'the resolution was taken back');
    await change(sessionId, { status: 'resolved' });
    const third = await says(sessionId);
    assert.equal(await waiting(sessionId), third.timestamp, 'the wait before the resolution is over');
    const echo = { sessionId, content: 'By phone', isEcho: true, externalUserId: 'x' };
    await talk.expect(200, talk.send({ ...echo, fromChannelIdentifier: channel.identifier }));
    assert.equal(await waiting(sessionId), null);
  });

  it('a reply that is held is an answer when it is released, to what came before it', async () => {
    const sessionId = unique('held');
    const first = await says(sessionId);
    const { id } = (await answers(sessionId)).message;
    await service.context.db.autocommit(sql`
      update messages set held = true where account_id = ${service.admin.accountId} and id = ${id} returning 1`);
    await set(sessionId, sql`waiting_since = ${first.timestamp}`);
    const second = await says(sessionId);
    assert.equal(await waiting(sessionId), first.timestamp);
    await talk.expect(200, call('POST', `/sessions/${sessionId}/messages/${id}/release`));
    assert.equal(await waiting(sessionId), second.timestamp);
  });

  it('sorts are complete over pages, and put first what waits or is due', async () => {
    const now = service.context.clock.now();
    const ids: string[] = [];
    for (const minutes of [5, 4, 3, 2, 1]) {
      const id = await begin();
      const at = now - minutes * minute;
      await set(id, sql`last_message_at = ${at}, waiting_since = ${at}`);
      ids.unshift(id);
    }
    const [a, b, c, d, e] = ids as [string, string, string, string, string];
    await set(a, sql`waiting_since = null, sla_due = ${now + 2 * minute}`);
    await set(b, sql`waiting_since = ${now - 9 * minute}, sla_due = ${now + minute}`);
    await set(c, sql`status = 'resolved'`);
    const listed = async (sort: string) => {
      const found: string[] = [];
      let nextToken: string | null = null;
      do {
        const token: object = nextToken === null ? {} : { nextToken };
        const page = await talk.expect(200, call('GET', path({ sort, limit: '2', ...token })));
        found.push(...page.items.map((one: Json) => one.sessionId));
        nextToken = page.nextToken;
      } while (nextToken !== null);
      return found.filter((id) => ids.includes(id));
    };
    assert.deepEqual(await listed('newest'), [a, b, c, d, e]);
    assert.deepEqual(await listed('oldest'), [e, d, c, b, a]);
    assert.deepEqual(await listed('waiting'), [b, e, d, a, c]);
    assert.deepEqual(await listed('due'), [b, a, c, d, e]);
    assert.deepEqual(await listed('due_next'), [b, a]);

    const longer = (value: number) => ({ field: 'session.waitingMinutes', op: 'gt', value });
    const mine = (await idsOf({}, longer(4.5))).filter((id) => ids.includes(id));
    assert.deepEqual(mine, [b, e]);
    const none = { field: 'session.waitingMinutes', op: 'empty' };
    assert.deepEqual(
      (await idsOf({}, none)).filter((id) => ids.includes(id)),
      [a, c],
    );
  });

  it('a filter finds by owner, with me as the reader, by team, label, channel, agent, status and language', async () => {
    const operator = await service.createUser('operator');
    const team = await talk.expect(201, call('POST', '/teams', { body: { name: unique('Team') } }));
    const label = await talk.expect(
      201,
      call('POST', '/labels', { body: { name: unique('Label'), color: 'blue' } }),
    );
    const sessionId = await begin();
    await says(sessionId, { content: 'Olá, bom dia! O meu pedido ainda não chegou, podem ajudar?' });
    await change(sessionId, { assignedUserId: operator.id, teamId: team.id, addLabelIds: [label.id] });
    await begin();
    const is = (field: string, value: unknown, op = 'is') => ({ field: `session.${field}`, op, value });
    for (const part of [
      is('assignedUserId', operator.id),
      is('teamId', team.id),
      is('labelIds', label.id, 'contains'),
      is('language', 'pt'),
    ]) {
      const all = [
        part,
        is('channelId', channel.id),
        is('channelType', 'api'),
        is('agentId', channel.defaultAgentId),
        is('status', 'open'),
      ];
      assert.deepEqual(await idsOf({}, { and: all }), [sessionId], part.field);
    }
    const mine = is('assignedUserId', 'me');
    assert.deepEqual(await idsOf({ sort: 'waiting' }, mine, { token: operator.jwt }), [sessionId]);
    assert.deepEqual(await idsOf({}, mine), []);
    const inbox = path({}, mine).replace('/sessions', '/inbox/sessions');
    const { items } = await talk.expect(200, call('GET', inbox, { token: operator.jwt }));
    assert.equal(items[0].sessionId, sessionId);
  });

  it('400 names the place of a mistake; a token belongs to its filter and sort', async () => {
    for (const [query, message] of [
      ['filter=nonsense', /^filter must be/],
      [
        'filter={"and":[{"field":"contact.name","op":"is","value":"x"}]}',
        /^filter\.and\[0\]\.field must be one of session/,
      ],
      [
        'filter={"and":[{"field":"session.status","op":"is","value":"done"}]}',
        /^filter\.and\[0\]\.value must be one of open/,
      ],
      [
        'filter={"or":[{"field":"session.waitingMinutes","op":"contains","value":3}]}',
        /^filter\.or\[0\]\.op must be one of/,
      ],
      ['sort=random', /sort/],
    ] as const) {
      const { status, body } = await call(
        'GET',
        `/sessions?${query.replace(/[{}"[\]]/g, encodeURIComponent)}`,
      );
      assert.equal(status, 400, query);
      assert.match(body.message, message);
    }
    await Promise.all([begin(), begin()]);
    const filter = { field: 'session.status', op: 'is', value: 'open' };
    const { nextToken } = await talk.expect(200, call('GET', path({ limit: '1', sort: 'waiting' }, filter)));
    assert.equal((await call('GET', path({ limit: '1', sort: 'waiting', nextToken }, filter))).status, 200);
    for (const other of [path({ sort: 'waiting', nextToken }), path({ sort: 'due', nextToken }, filter)]) {
      assert.equal((await call('GET', other)).status, 400);
    }
  });

  it('marking as unread keeps the number of unread messages; bulk assigns a team, and takes it back', async () => {
    const sessionId = await begin();
    await says(sessionId);
    assert.equal((await change(sessionId, { unread: 1 })).unread, 2);
    assert.equal((await change(sessionId, { unread: 0 })).unread, 0);
    assert.equal((await change(sessionId, { unread: 1 })).unread, 1);
    assert.equal((await call('PATCH', `/sessions/${sessionId}`, { body: { unread: 2 } })).status, 400);
    const team = await talk.expect(201, call('POST', '/teams', { body: { name: unique('Team') } }));
    const bulk = (body: object) =>
      talk.expect(200, call('POST', '/sessions/bulk', { body: { sessionIds: [sessionId], ...body } }));
    const { results } = await bulk({ change: { teamId: team.id } });
    assert.deepEqual([results[0].session.teamId, results[0].previous.teamId], [team.id, null]);
    await bulk({ change: { teamId: null }, expected: { teamId: team.id } });
    assert.equal((await talk.session(sessionId)).teamId, null);
    const late = await bulk({ change: { teamId: null }, expected: { teamId: team.id } });
    assert.deepEqual(
      [late.results[0].status, late.results[0].message],
      [409, 'teamId has changed meanwhile'],
    );
    const body = { sessionIds: [sessionId], change: { teamId: channel.id } };
    const refused = await call('POST', '/sessions/bulk', { body });
    assert.deepEqual([refused.status, /^change\.teamId/.test(refused.body.message)], [400, true]);
  });
});
