import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { startJobs } from '../../platform/jobs/jobs.ts';
import { startWorker, type Worker } from '../../worker.ts';
import { snoozeJobKind } from './sessions.bulk.sql.ts';
import { endSnoozes, snoozeHandler } from './sessions.jobs.ts';

const hour = 3_600_000;

describe('many conversations, their history and the end of snoozes', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const begin = async (sessionId = unique('many')) => {
    await talk.accepted({ sessionId });
    return sessionId;
  };
  const bulk = async (body: object, token?: string): Promise<Json[]> =>
    (await talk.expect(200, call('POST', '/sessions/bulk', { body, ...(token && { token }) }))).results;
  const changesOf = async (sessionId: string, query = ''): Promise<Json> =>
    talk.expect(200, call('GET', `/sessions/${sessionId}/changes${query}`));
  const eventsOf = async (sessionId: string): Promise<Json[]> =>
    (
      await service.context.db.query<{ body: string }>(sql`
        select body from events where subject_id = ${sessionId} and event = 'session_updated' order by sequence`)
    ).map(({ body }) => JSON.parse(body).data);

  it('resolves many, says what each was, and takes it back exactly', async () => {
    const [read, unread, done] = [await begin(), await begin(), await begin()];
    await talk.accepted({ sessionId: unread });
    await call('PATCH', `/sessions/${read}`, { body: { unread: 0, needsAttention: true } });
    await call('PATCH', `/sessions/${done}`, { body: { status: 'resolved' } });
    const sessionIds = [unread, 'nobody', done, read, unread];
    const results = await bulk({ sessionIds, change: { status: 'resolved' } });
    assert.deepEqual(
      results.map(({ sessionId, status, changed, message }) => [sessionId, status, changed ?? message]),
      [
        [unread, 200, true],
        ['nobody', 404, 'session not found'],
        [done, 200, false],
        [read, 200, true],
        [unread, 200, true],
      ],
    );
    const own = { status: 'open', snoozedUntil: null, assignedUserId: null, teamId: null, labelIds: [] };
    assert.deepEqual(results[0].previous, { ...own, unread: 2, needsAttention: false });
    assert.deepEqual(results[3].previous, { ...own, unread: 0, needsAttention: true });
    assert.deepEqual(
      [results[3].session.status, results[3].session.unread, results[3].session.needsAttention],
      ['resolved', 0, false],
    );
    assert.equal((await eventsOf(unread)).length, 1);
    for (const one of [results[0], results[3]]) {
      const change = one.previous;
      await bulk({ sessionIds: [one.sessionId], change, expected: { status: 'resolved', unread: 0 } });
      const { status, unread: count, needsAttention } = await talk.session(one.sessionId);
      assert.deepEqual([status, count, needsAttention], ['open', change.unread, change.needsAttention]);
    }
  });

  it('an undo leaves alone what has changed since', async () => {
    const sessionId = await begin();
    const [{ previous }] = await bulk({ sessionIds: [sessionId], change: { status: 'resolved' } });
    await talk.accepted({ sessionId });
    await talk.accepted({ sessionId });
    const [result] = await bulk({
      sessionIds: [sessionId],
      change: previous,
      expected: { status: 'resolved' },
    });
    assert.deepEqual([result.status, result.message], [409, 'status has changed meanwhile']);
    assert.equal((await talk.session(sessionId)).unread, 2);
  });

  it('an invalid change is an error that names the field, and writes nothing', async () => {
    const sessionId = await begin();
    const sessionIds = [sessionId];
    const cases: [object, string][] = [
      [{ sessionIds, change: { status: 'closed' } }, 'change.status'],
      [{ sessionIds, change: {} }, 'change'],
      [{ sessionIds: [], change: { unread: 0 } }, 'sessionIds'],
      [{ sessionIds, change: { unread: -1 } }, 'change.unread'],
      [{ sessionIds, change: { status: 'snoozed', snoozedUntil: 1 } }, 'change.snoozedUntil'],
      [{ sessionIds, change: { assignedUserId: service.admin.accountId } }, 'change.assignedUserId'],
      [{ sessionIds, change: { assignedUserId: '' } }, 'change.assignedUserId'],
    ];
    for (const [body, field] of cases) {
      const answer = await call('POST', '/sessions/bulk', { body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.ok(answer.body.message.startsWith(field), answer.body.message);
    }
    const change = { snoozedUntil: Date.now() + hour };
    const [result] = await bulk({ sessionIds, change });
    assert.deepEqual([result.status, result.message], [400, 'snoozedUntil requires status snoozed']);
    assert.deepEqual((await changesOf(sessionId)).items, []);
  });

  it('an owner who cannot see a board gets only the conversations of the others', async () => {
    const { body: closed } = await call('POST', '/kanbans', { body: { name: 'Closed' } });
    const [insider, outsider] = [await service.createUser('operator'), await service.createUser('operator')];
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [insider.id] } });
    const ids = [await begin(), unique('closed')];
    await talk.accepted({ sessionId: ids[1], kanbanId: closed.id });
    const results = await bulk({ sessionIds: ids, change: { assignedUserId: outsider.id } });
    assert.deepEqual(
      results.map(({ status, session }) => [status, session?.assignedUserId]),
      [
        [200, outsider.id],
        [400, undefined],
      ],
    );
    const hidden = await bulk({ sessionIds: ids, change: { status: 'resolved' } }, outsider.jwt);
    assert.deepEqual(
      hidden.map(({ status }) => status),
      [200, 404],
    );
  });

  it('two bulk changes of the same conversations in other orders both end', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => begin()));
    await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        bulk({
          sessionIds: n % 2 === 0 ? ids : ids.toReversed(),
          change: { status: n % 2 ? 'open' : 'resolved' },
        }),
      ),
    );
    for (const id of ids) {
      const values = (await eventsOf(id)).map(({ changes }) => changes[0].newValue);
      assert.deepEqual(
        values,
        [...values.keys()].map((n) => (n % 2 === 0 ? 'resolved' : 'open')),
      );
    }
  });

  it('lists who changed what, newest first, page by page', async () => {
    const sessionId = await begin();
    const user = await service.createUser('operator');
    const until = Date.now() + hour;
    const change = { status: 'snoozed', snoozedUntil: until };
    await call('PATCH', `/sessions/${sessionId}`, { body: change, token: user.jwt });
    await talk.accepted({ sessionId });
    const first = await changesOf(sessionId, '?limit=1');
    assert.deepEqual(first.items[0].changedBy, { type: 'customer', id: null, name: null });
    assert.deepEqual(first.items[0].changes[0], { field: 'status', oldValue: 'snoozed', newValue: 'open' });
    const second = await changesOf(sessionId, `?limit=1&nextToken=${first.nextToken}`);
    assert.equal(second.items[0].changedBy.id, user.id);
    assert.deepEqual(second.items[0].changes[1], { field: 'snoozedUntil', oldValue: null, newValue: until });
    assert.equal(second.nextToken, null);
    assert.equal((await call('GET', '/sessions/nobody/changes')).status, 404);
  });

  it('a snooze ends once, by several workers, at the time that it has now', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => begin()));
    const until = Date.now() + hour;
    await bulk({ sessionIds: ids, change: { status: 'snoozed', snoozedUntil: until, unread: 0 } });
    const [later, resolved, ...due] = ids as [string, string, ...string[]];
    await bulk({ sessionIds: [later], change: { snoozedUntil: until + hour } });
    await bulk({ sessionIds: [resolved], change: { status: 'resolved' } });
    await endSnoozes(service.context, until - 1);
    assert.equal((await talk.session(due[0]!)).status, 'snoozed');
    await Promise.all(Array.from({ length: 4 }, () => endSnoozes(service.context, until)));
    for (const id of due) {
      const { status, snoozedUntil, statusChangedBy, unread } = await talk.session(id);
      const by = { type: 'system', id: null, name: null };
      assert.deepEqual([status, snoozedUntil, statusChangedBy, unread], ['open', null, by, 1]);
      const events = await eventsOf(id);
      assert.deepEqual(
        events.map(({ changedBy }) => changedBy === 'system'),
        [false, true],
      );
    }
    assert.equal((await talk.session(later)).snoozedUntil, until + hour);
    assert.equal((await talk.session(resolved)).status, 'resolved');
  });

  it('a hundred snoozes that cannot end hold up no other, of their account or of another', async () => {
    const { db } = service.context;
    const until = Date.now() + hour;
    const stuck = await Promise.all(Array.from({ length: 101 }, () => begin(unique('stuck'))));
    const other = await service.createAccount();
    const [healthy, foreign] = [await begin(), unique('foreign')];
    const body = { content: 'Hello', fromChannelIdentifier: 'api', sessionId: foreign };
    await talk.expect(202, call('POST', '/messages', { token: other.token, body }));
    const snooze = (ids: readonly string[], at: number) =>
      db.autocommit(
        sql`update sessions set status = 'snoozed', snoozed_until = ${at} where session_id = any(${ids})`,
      );
    await snooze(stuck, until);
    await snooze([healthy, foreign], until + 1);
    await db.autocommit(sql`
      create function refuse_stuck() returns trigger language plpgsql as
        $$ begin raise 'this row is stuck'; end $$`);
    await db.autocommit(sql`
      create trigger refuse_stuck before update on sessions for each row
        when (new.session_id like 'stuck%') execute function refuse_stuck()`);
    assert.equal(await endSnoozes(service.context, until + 1), 2);
    await db.autocommit(sql`drop function refuse_stuck cascade`);
    assert.equal((await talk.session(healthy)).status, 'open');
    assert.equal(await endSnoozes(service.context, until + 1), 0);
    const clock = { ...service.context.clock, now: () => until + 1 };
    const jobs = startJobs({
      ...service.context,
      handlers: { [snoozeJobKind]: snoozeHandler({ ...service.context, clock }) },
    });
    await eventually(async () => (await talk.session(stuck.at(-1)!)).status === 'open');
    const left = () => db.query(sql`select from jobs where kind = ${snoozeJobKind}`);
    await eventually(async () => (await left()).length === 0);
    await jobs.stop();
    for (const id of stuck) assert.equal((await talk.session(id)).status, 'open');
  });

  it('snoozes of an account that is closed for a moment hold up no other account', async () => {
    const { db } = service.context;
    const until = Date.now() + hour;
    const other = await service.createAccount();
    const [own, foreign] = [await begin(), unique('foreign')];
    const body = { content: 'Hello', fromChannelIdentifier: 'api', sessionId: foreign };
    await talk.expect(202, call('POST', '/messages', { token: other.token, body }));
    await db.autocommit(sql`
      update sessions set status = 'snoozed', snoozed_until = case session_id when ${own} then ${until}::bigint + 1 else ${until} end
      where session_id in (${own}, ${foreign})`);
    // What the guard of an account that moves answers: try again.
    await db.autocommit(sql`
      create function refuse_foreign() returns trigger language plpgsql as
        $$ begin raise 'the account is moving' using errcode = 'TB001'; end $$`);
    await db.autocommit(sql`
      create trigger refuse_foreign before update on sessions for each row
        when (new.session_id like 'foreign%') execute function refuse_foreign()`);
    assert.equal(await endSnoozes(service.context, until + 1), 1);
    await db.autocommit(sql`drop function refuse_foreign cascade`);
    assert.equal((await talk.session(own)).status, 'open');
  });

  describe('with two workers', () => {
    let workers: Worker[];
    before(async () => {
      const { context } = service;
      workers = [await startWorker(context), await startWorker({ ...context, db: { ...context.db } })];
    });
    after(() => Promise.all(workers.map((worker) => worker.stop())));
    const ended = async (token: string, sessionId: string): Promise<Json[]> =>
      (await talk.expect(200, call('GET', '/notifications?limit=100', { token }))).items.filter(
        (one: Json) => one.kind === 'snooze_ended' && one.sessionId === sessionId,
      );

    it('a new owner is notified, unless they did it themselves; other members are ignored', async () => {
      const [owner, other] = [await service.createUser('operator'), await service.createUser('operator')];
      const [given, taken] = [await begin(), await begin()];
      const change = { assignedUserId: owner.id, group: 5 };
      await bulk({ sessionIds: [given], change }, other.jwt);
      await bulk({ sessionIds: [taken], change }, owner.jwt);
      const told = async (): Promise<string[]> =>
        (await talk.expect(200, call('GET', '/notifications?limit=100', { token: owner.jwt }))).items
          .filter((one: Json) => one.kind === 'assigned')
          .map((one: Json) => one.sessionId);
      await eventually(async () => (await told()).includes(given));
      assert.deepEqual(await told(), [given]);
      assert.equal((await talk.session(given)).teamId, null);
    });

    it('the owner is notified; without one, the person who snoozed it', async () => {
      const [owner, other] = [await service.createUser('operator'), await service.createUser('operator')];
      const [owned, free] = [await begin(), await begin()];
      const until = Date.now() + hour;
      const change = { status: 'snoozed', snoozedUntil: until };
      await bulk({ sessionIds: [owned], change: { ...change, assignedUserId: owner.id } }, other.jwt);
      await bulk({ sessionIds: [free], change }, other.jwt);
      await endSnoozes(service.context, until);
      await eventually(async () => (await ended(other.jwt, free)).length > 0);
      await eventually(async () => (await ended(owner.jwt, owned)).length > 0);
      const [{ body, count }] = await ended(owner.jwt, owned);
      assert.deepEqual([body, count], ['The snooze has ended.', 1]);
      assert.deepEqual(await ended(owner.jwt, free), []);
      assert.deepEqual(await ended(other.jwt, owned), []);
    });
  });
});
