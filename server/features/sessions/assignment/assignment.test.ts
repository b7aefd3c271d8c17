import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { connectLive, listen } from '../../../../test/support/live.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { startAssigner } from './assignment.jobs.ts';
import { type Candidate, selectWaiting, type Waiting } from './assignment.sql.ts';
import { choose, placesOf } from './assignment.ts';

describe('who gets which conversation', () => {
  const person = (id: string, some: Partial<Candidate> = {}): Candidate => ({
    id,
    role: 'operator',
    capacity: 10,
    open: 0,
    turn: 0,
    teamIds: [],
    ...some,
  });
  const sessions = (count: number, some: Partial<Waiting> = {}): Waiting[] =>
    Array.from({ length: count }, (_, n) => ({
      sessionId: `s${n}`,
      kanbanId: 'board',
      mode: 'round_robin',
      teamId: null,
      ownTeamId: null,
      ...some,
    }));
  const boards = (...memberIds: string[]) => ({
    kanbans: new Map([['board', { isRestricted: memberIds.length > 0, memberIds } as never]]),
  });
  const owners = (people: Candidate[], waiting: Waiting[], open = boards()) =>
    choose(people, waiting, open, 100).map((one) => one.userId);

  it('in turn, beginning with whoever has waited longest for one', () => {
    const people = [person('a', { turn: 7 }), person('b', { turn: 5, open: 9 }), person('c', { turn: 6 })];
    assert.deepEqual(owners(people, sessions(5)), ['b', 'c', 'a', 'c', 'a']);
  });

  it('least busy first, in turn among equals', () => {
    const people = [person('a', { open: 2 }), person('b', { open: 1, turn: 3 }), person('c', { open: 1 })];
    assert.deepEqual(owners(people, sessions(5, { mode: 'least_busy' })), ['c', 'b', 'a', 'c', 'b']);
  });

  it('only members of the team, only who may see the board, nobody beyond their capacity', () => {
    const people = [
      person('a', { teamIds: ['t'] }),
      person('b', { teamIds: ['t'], capacity: 2 }),
      person('c'),
      person('d', { teamIds: ['t'], role: 'admin', capacity: 1 }),
    ];
    assert.deepEqual(owners(people, sessions(5, { teamId: 't' }), boards('b')), ['b', 'd', 'b']);
  });

  it('conversations of a team on a board that only others may see are not even read', () => {
    const kanbans = new Map(
      [
        { id: 'open', isRestricted: false, memberIds: [] },
        { id: 'ours', isRestricted: true, memberIds: ['a'] },
        { id: 'theirs', isRestricted: true, memberIds: ['z'] },
      ].map((one) => [one.id, one as never]),
    );
    const people = [person('a', { teamIds: ['x'] }), person('b', { teamIds: ['y'] })];
    assert.deepEqual(
      placesOf(people, { kanbans }).map(({ kanbanId, teamId }) => `${kanbanId} ${teamId ?? '-'}`),
      ['open -', 'open x', 'open y', 'ours -', 'ours x'],
    );
  });
});

describe('automatic assignment', () => {
  let service: TestService;
  let talk: Conversations;
  let workers: { stop(): Promise<void> }[];
  let accountId: string;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ accountId } = service.admin);
    const start = () => startAssigner(service.context);
    workers = [start(), start()];
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await service.close();
  });

  const all = <T>(work: readonly Promise<T>[]) => Promise.all(work);
  const change = (path: string, body: object, token?: string) =>
    talk.expect(200, service.call('PATCH', path, { body, ...(token && { token }) }));
  const waiting = async (channel: Json, body: object = {}) => {
    const sessionId = unique('waits');
    await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier, ...body });
    await talk.pause(sessionId);
    return sessionId;
  };
  const ownerOf = async (sessionId: string) => (await talk.session(sessionId)).assignedUserId;

  it('a conversation that needs a person goes to whoever is connected and available', async () => {
    const [ana, bob] = [await service.createUser('operator'), await service.createUser('operator')];
    const team = await talk.expect(
      201,
      service.call('POST', '/teams', { body: { name: 'Support', userIds: [ana.id] } }),
    );
    const channel = await talk.channel({ assignment: { mode: 'round_robin', teamId: team.id } });
    assert.deepEqual(channel.assignment, { mode: 'round_robin', teamId: team.id });
    const url = await listen(service.app);
    const clients = [await connectLive(url, service.call, bob.jwt)];
    await change('/auth/me', { availability: 'away' }, ana.jwt);
    clients.push(await connectLive(url, service.call, ana.jwt));
    const sessionId = await waiting(channel);
    const withAi = unique('answered');
    await talk.accepted({ sessionId: withAi, fromChannelIdentifier: channel.identifier });
    await change('/auth/me', { availability: 'available' }, ana.jwt);
    await eventually(async () => (await ownerOf(sessionId)) === ana.id);
    assert.equal(await ownerOf(withAi), null);
    // Full: the next one waits until the capacity grows.
    await change(`/users/${ana.id}`, { capacity: 1 });
    const next = await waiting(channel);
    const free = await waiting(await talk.channel({ assignment: { mode: 'least_busy' } }));
    await eventually(async () => (await ownerOf(free)) === bob.id);
    assert.equal(await ownerOf(next), null);
    await change(`/users/${ana.id}`, { capacity: 2 });
    await eventually(async () => (await ownerOf(next)) === ana.id);
    const [event] = (await talk.events(next)).filter((one) => one.event === 'session_updated');
    assert.equal(event.data.changedBy, 'system');
    for (const client of clients) await client.end();
    // Nobody is connected any longer.
    await eventually(
      async () => (await talk.count(sql`live_presence where account_id = ${accountId}`)) === 0,
    );
  });

  it('begins with the conversation that waits longest', async () => {
    const channel = await talk.channel({ assignment: { mode: 'round_robin' } });
    const ids = [await waiting(channel), await waiting(channel)];
    const { kanbanId } = await talk.session(ids[0]!);
    const found = await selectWaiting(service.context.db, accountId, [{ kanbanId, teamId: null }]);
    await all(ids.map((id) => change(`/sessions/${id}`, { status: 'resolved' })));
    assert.deepEqual(
      found.map((one) => one.sessionId),
      ids,
    );
  });

  it('50 operators, 200 conversations, two workers: exact while people resolve, come and go', async () => {
    const { db } = service.context;
    const capacity = 3;
    const people = Array.from({ length: 50 }, () => ({ id: newId(), connectionId: newId() }));
    const ids = people.map((one) => one.id);
    const connections = people.map((one) => one.connectionId);
    await db.transaction((tx) =>
      tx.query(sql`
        insert into users (account_id, id, email, name, role, password_hash, capacity, created_at, updated_at)
        select ${accountId}::uuid, id, id || '@example.com', 'Operator ' || id, 'operator', '-', ${capacity}::int, 0, 0
        from unnest(${ids}::uuid[]) as u (id)`),
    );
    const come = (from: number, to: number) =>
      db.transaction((tx) =>
        tx.query(sql`
          insert into live_presence (account_id, connection_id, user_id, user_name)
          select ${accountId}::uuid, c.id, c.user_id, 'Operator'
          from unnest(${connections.slice(from, to)}::uuid[], ${ids.slice(from, to)}::uuid[]) as c (id, user_id)
          on conflict do nothing`),
      );
    const go = (from: number, to: number) =>
      db.transaction((tx) =>
        tx.query(
          sql`delete from live_presence where connection_id = any(${connections.slice(from, to)}::uuid[])`,
        ),
      );
    const channel = await talk.channel({ assignment: { mode: 'least_busy' } });
    /** Not all at once: a busy service refuses what it cannot take, and says to retry. */
    const begin = async (count: number) => {
      for (let begun = 0; begun < count; begun += 10) {
        await all(Array.from({ length: 10 }, () => waiting(channel)));
      }
    };
    const loads = () =>
      db.query<{ id: string; open: number }>(sql`
        select assigned_user_id as id, count(*)::int as open from sessions
        where account_id = ${accountId} and channel_id = ${channel.id} and status = 'open'
          and assigned_user_id is not null
        group by 1`);
    const total = async () => (await loads()).reduce((sum, { open }) => sum + open, 0);

    await come(0, 50);
    await begin(200);
    await eventually(async () => (await total()) === 150, 30_000);
    assert.deepEqual(
      (await loads()).map(({ open }) => open),
      Array.from({ length: 50 }, () => capacity),
    );

    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        for (const { open } of await loads()) assert.ok(open <= capacity, `${open} of ${capacity}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const watching = watch();
    const resolved: string[] = [];
    const resolveSome = async () => {
      const owned = await db.query<{ id: string }>(sql`
        select session_id as id from sessions
        where account_id = ${accountId} and channel_id = ${channel.id} and status = 'open'
          and assigned_user_id is not null order by random() limit 20`);
      await all(owned.map(({ id }) => change(`/sessions/${id}`, { status: 'resolved' })));
      resolved.push(...owned.map(({ id }) => id));
    };
    for (const step of [0, 10, 20]) await Promise.all([resolveSome(), go(step, step + 20), begin(10)]);
    await come(0, 50);
    const open = 200 + 30 - resolved.length;
    await eventually(async () => (await total()) === Math.min(open, 150), 30_000);
    isOver = true;
    await watching;
    // Each conversation was assigned at most once: nobody gave one back.
    const twice = await db.query(sql`
      select session_id from session_changes
      where account_id = ${accountId} and changes @> '[{"field":"assignedUserId"}]'
      group by session_id having count(*) > 1`);
    assert.deepEqual(twice, []);
  });
});
