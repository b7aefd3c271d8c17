import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../contract/limits.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

type Who = { id: string; jwt: string };

describe('inbox views', () => {
  let service: TestService;
  let talk: Conversations;
  let [ana, ben] = [{} as Who, {} as Who];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ana = await service.createUser('operator');
    ben = await service.createUser('operator');
  });
  after(() => service.close());

  const as = (who: Who | TestService['admin'], method: string, path: string, body?: object) =>
    service.call(method, path, { token: who.jwt, ...(body && { body }) });
  const create = (who: Who | TestService['admin'], body: object): Promise<Json> =>
    talk.expect(201, as(who, 'POST', '/inbox-views', { name: unique('View'), ...body }));
  const namesOf = async (who: Who) =>
    (await talk.expect(200, as(who, 'GET', '/inbox-views'))).items.map(({ name }: Json) => name);
  const is = (field: string, value: unknown, op = 'is') => ({ field: `session.${field}`, op, value });

  it('private ones are their owner’s, shared ones everyone’s; names are used once', async () => {
    const filter = { and: [is('assignedUserId', 'me'), is('status', 'open')] };
    const own = await create(ana, { name: ' Mine ', filter, sort: 'waiting' });
    const { id, createdAt, updatedAt, ...rest } = own;
    assert.ok(id && createdAt === updatedAt);
    assert.deepEqual(rest, {
      name: 'Mine',
      shared: false,
      ownerId: ana.id,
      filter,
      sort: 'waiting',
      order: 1,
    });
    await create(ben, { name: 'mine' });
    const all = await create(ana, { name: 'All', shared: true, order: 0 });
    assert.deepEqual([all.filter, all.sort], [null, 'newest']);
    assert.deepEqual(
      [await namesOf(ana), await namesOf(ben)],
      [
        ['All', 'Mine'],
        ['All', 'mine'],
      ],
    );
    for (const [who, name, shared] of [
      [ana, 'MINE', false],
      [ben, 'all', true],
    ] as const) {
      const { status, body } = await as(who, 'POST', '/inbox-views', { name, shared });
      assert.deepEqual([status, body.message], [409, 'name is already in use']);
    }
    const change = (who: Who | TestService['admin'], view: Json, body: object) =>
      as(who, 'PATCH', `/inbox-views/${view.id}`, body);
    assert.equal((await change(ben, own, { sort: 'due' })).status, 404);
    assert.equal((await change(ben, all, { sort: 'due' })).status, 403);
    const changed = await talk.expect(200, change(service.admin, all, { sort: 'due', name: 'Everything' }));
    assert.deepEqual([changed.sort, changed.name, changed.ownerId], ['due', 'Everything', ana.id]);
    assert.ok(changed.updatedAt > all.updatedAt);
    // A token belongs to a user, and so do its views.
    const ofToken = await talk.expect(
      201,
      service.call('POST', '/inbox-views', { body: { name: 'By a program' } }),
    );
    assert.equal(ofToken.ownerId, service.admin.userId);
    await talk.expect(200, service.call('DELETE', `/inbox-views/${ofToken.id}`));
    await talk.expect(200, as(service.admin, 'DELETE', `/inbox-views/${all.id}`));
    assert.equal((await as(ana, 'DELETE', `/inbox-views/${all.id}`)).status, 404);
  });

  it('400 names what a filter has wrong; 409 beyond the limits', async () => {
    for (const [filter, message] of [
      [is('teamId', ana.id), 'filter.value does not exist'],
      [{ and: [is('status', 'gone')] }, 'filter.and[0].value must be one of open, snoozed, resolved'],
      [{ and: [{ field: 'title', op: 'notEmpty' }] }, /^filter\.and\[0\]\.field must be one of session\./],
    ] as const) {
      const { status, body } = await as(ana, 'POST', '/inbox-views', { name: unique('Wrong'), filter });
      assert.equal(status, 400);
      assert.match(
        body.message,
        typeof message === 'string' ? new RegExp(message.replace(/[[\].]/g, '\\$&')) : message,
      );
    }
    const { accountId } = service.admin;
    await service.context.db.autocommit(sql`
      insert into inbox_views (account_id, id, owner_id, name, shared, sort, place, created_at, updated_at)
      select ${accountId}::uuid, gen_random_uuid(), ${ben.id}::uuid, 'Many ' || n, n <= ${limits.inboxViews.shared}::int,
        'newest', n, 0, 0
      from generate_series(1, ${limits.inboxViews.shared + limits.inboxViews.private - 1}::int) n returning 1`);
    const refused = await as(ana, 'POST', '/inbox-views', { name: unique('More'), shared: true });
    assert.deepEqual([refused.status, refused.body.code], [409, 'LIMIT_REACHED']);
    // Ben has one of before.
    assert.equal((await as(ben, 'POST', '/inbox-views', { name: unique('More') })).status, 409);
    const { items } = await talk.expect(200, as(ana, 'GET', '/inbox-views'));
    const own = items.find(({ shared }: Json) => !shared);
    assert.equal((await as(ana, 'PATCH', `/inbox-views/${own.id}`, { shared: true })).status, 409);
    await service.context.db.autocommit(sql`
      delete from inbox_views where account_id = ${accountId} and name like 'Many %' returning 1`);
  });

  it('counts are exact to 999, the reader’s own for me, and about the boards that the reader sees', async () => {
    const [mine, hers, portuguese] = [unique('count'), unique('count'), unique('count')];
    await talk.accepted({ sessionId: mine });
    await talk.accepted({ sessionId: hers });
    await talk.accepted({ sessionId: portuguese, content: 'Olá, bom dia! O meu pedido ainda não chegou.' });
    const assign = (sessionId: string, assignedUserId: string) =>
      talk.expect(200, service.call('PATCH', `/sessions/${sessionId}`, { body: { assignedUserId } }));
    await assign(mine, ben.id);
    await assign(hers, ana.id);
    await assign(portuguese, ana.id);
    const { accountId } = service.admin;
    const views = {
      mine: (await create(ana, { shared: true, filter: is('assignedUserId', 'me') })).id,
      language: (await create(ana, { shared: true, filter: is('language', 'pt') })).id,
      nobody: (await create(ana, { shared: true, filter: is('assignedUserId', undefined, 'empty') })).id,
      all: (await create(ana, { shared: true })).id,
    };
    const countsOf = async (who: Who) => {
      const { items } = await talk.expect(200, as(who, 'GET', '/inbox-views/counts'));
      const found = new Map(items.map((one: Json) => [one.id, one]));
      return Object.values(views).map((id) => {
        const { count, more } = found.get(id) as Json;
        return more ? `${count}+` : count;
      });
    };
    assert.deepEqual(await countsOf(ana), [2, 1, 0, 3]);
    assert.deepEqual(await countsOf(ben), [1, 1, 0, 3]);
    const add = (from: number, to: number) =>
      service.context.db.autocommit(sql`
        insert into sessions (account_id, session_id, channel_id, contact_key, agent_id, kanban_id, last_message_at,
          created_at, updated_at, message_count, event_sequence, search_text)
        select account_id, 'copy-' || n, channel_id, 'copy-' || n, agent_id, kanban_id, last_message_at, created_at,
          updated_at, 0, 0, ''
        from sessions, generate_series(${from}::int, ${to}::int) n
        where account_id = ${accountId} and session_id = ${mine} returning 1`);
    await add(1, 999);
    assert.deepEqual(await countsOf(ana), [2, 1, 0, 3], 'for a few seconds');
    const path = `/inbox-views/${views.nobody}`;
    const filter = { or: [is('assignedUserId', undefined, 'empty'), is('status', 'snoozed')] };
    await talk.expect(200, as(ana, 'PATCH', path, { filter }));
    assert.deepEqual((await countsOf(ana)).slice(2), [999, 3], 'another filter is another count');
    await add(1_000, 1_000);
    await talk.expect(
      200,
      as(ana, 'PATCH', path, { filter: { or: [...filter.or, is('status', 'snoozed')] } }),
    );
    assert.equal((await countsOf(ana))[2], '999+');
  });

  it('those that a removed user had shared stay, with the remover as owner', async () => {
    const user = await service.createUser('operator');
    const shared = await create(user, { shared: true });
    const own = await create(user, {});
    await talk.expect(200, as(service.admin, 'DELETE', `/users/${user.id}`));
    const { items } = await talk.expect(200, as(service.admin, 'GET', '/inbox-views'));
    const found = items.filter(({ id }: Json) => [shared.id, own.id].includes(id));
    assert.deepEqual(
      found.map(({ id, ownerId }: Json) => [id, ownerId]),
      [[shared.id, service.admin.userId]],
    );
  });
});
