import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { connectLive, listen } from '../../../test/support/live.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { startWorker, type Worker } from '../../worker.ts';

describe('notifications', () => {
  let service: TestService;
  let talk: Conversations;
  let otherWorker: Worker;
  let operator: { id: string; jwt: string };
  before(async () => {
    service = await joinTestService({ worker: true });
    // Two workers on one database: everything must be made once.
    otherWorker = await startWorker({ ...service.context, db: { ...service.context.db } });
    talk = conversationsOf(service);
    operator = await service.createUser('operator');
  });
  after(async () => {
    await otherWorker?.stop();
    await service?.close();
  });

  const list = async (jwt: string, query = ''): Promise<Json> =>
    talk.expect(200, service.call('GET', `/notifications${query}`, { token: jwt }));
  const of = async (jwt: string, sessionId: string): Promise<Json[]> =>
    (await list(jwt, '?limit=100')).items.filter((one: Json) => one.sessionId === sessionId);
  const waitFor = async (jwt: string, sessionId: string, count = 1): Promise<Json> => {
    await eventually(async () => (await of(jwt, sessionId)).some((one) => one.count >= count));
    return (await of(jwt, sessionId))[0];
  };
  /** Everything that has happened so far was processed. */
  const considered = async () => {
    const { db } = service.context;
    await eventually(async () => {
      const [row] = await db.query<{ done: boolean }>(sql`
        select not exists (select from live_changes) and s.position = n.position as done
        from live_state s, live_notified n`);
      return row?.done === true;
    });
  };
  const paused = async () => {
    const sessionId = unique('waiting');
    await talk.accepted({ sessionId, sessionName: 'Ada' });
    await talk.settled(sessionId);
    await talk.pause(sessionId);
    return sessionId;
  };

  it('a customer writes where the AI is paused: everyone who may see it, once, and counted on', async () => {
    const sessionId = await paused();
    await talk.accepted({ sessionId, content: 'Is anybody  there?' });
    for (const jwt of [service.admin.jwt, operator.jwt]) {
      const { kind, title, body, count, readAt } = await waitFor(jwt, sessionId);
      assert.deepEqual(
        { kind, title, body, count, readAt },
        { kind: 'message', title: 'Ada', body: 'Is anybody there?', count: 1, readAt: null },
      );
    }
    await Promise.all(
      Array.from({ length: 9 }, (_, n) => talk.accepted({ sessionId, content: `again ${n}` })),
    );
    await waitFor(operator.jwt, sessionId, 10);
    await considered();
    const [only, ...more] = await of(operator.jwt, sessionId);
    assert.equal(only.count, 10);
    assert.deepEqual(more, []);
  });

  it('one that the database refuses holds up no other', async () => {
    const { db } = service.context;
    const [refused, other] = [await paused(), await paused()];
    await db.autocommit(sql`
      create function refuse_news() returns trigger language plpgsql as
        $$ begin if new.body = 'refused' then raise 'refused'; end if; return new; end $$`);
    await db.autocommit(sql`
      create trigger refuse_news before insert or update on notifications for each row execute function refuse_news()`);
    await talk.accepted({ sessionId: refused, content: 'refused' });
    await talk.accepted({ sessionId: other, content: 'taken' });
    assert.equal((await waitFor(operator.jwt, other)).body, 'taken');
    await db.autocommit(sql`drop function refuse_news cascade`);
    assert.deepEqual(await of(operator.jwt, refused), []);
  });

  it('none while the AI answers, none for what operators write', async () => {
    const sessionId = unique('answered');
    await talk.accepted({ sessionId });
    await talk.settled(sessionId);
    const quiet = await paused();
    const { channelId } = await talk.session(quiet);
    await talk.operatorSays(channelId, quiet, { content: 'We are here' });
    await talk.expect(200, talk.send({ sessionId: quiet, isEcho: true, externalUserId: 'someone' }));
    await considered();
    assert.deepEqual(await of(operator.jwt, sessionId), []);
    assert.deepEqual(await of(operator.jwt, quiet), []);
  });

  it('an assigned record: only those assigned, also while the AI answers', async () => {
    const sessionId = unique('assigned');
    await talk.accepted({ sessionId });
    await considered();
    const { recordId } = await talk.session(sessionId);
    await talk.expect(
      200,
      service.call('PUT', `/crm/records/${recordId}`, { body: { assignedUserIds: [operator.id] } }),
    );
    await considered();
    await talk.accepted({ sessionId, content: 'for you' });
    assert.equal((await waitFor(operator.jwt, sessionId)).body, 'for you');
    assert.deepEqual(await of(service.admin.jwt, sessionId), []);
  });

  it('needsAttention and a hand-over have their kinds', async () => {
    const sessionId = unique('attention');
    await talk.accepted({ sessionId });
    await talk.settled(sessionId);
    await service.call('PATCH', `/sessions/${sessionId}`, { body: { needsAttention: true } });
    assert.equal((await waitFor(operator.jwt, sessionId)).kind, 'attention');
    const handed = await paused();
    await service.call('PATCH', `/sessions/${handed}`, { body: { needsAttention: true } });
    assert.equal((await waitFor(operator.jwt, handed)).kind, 'handover');
  });

  it('users who may not see the board receive nothing', async () => {
    const board = await talk.kanban();
    const userIds = [service.admin.userId];
    await talk.expect(200, service.call('PUT', `/kanbans/${board.id}/members`, { body: { userIds } }));
    const sessionId = unique('closed');
    await talk.accepted({ sessionId, kanbanId: board.id });
    await service.call('PATCH', `/sessions/${sessionId}`, { body: { needsAttention: true } });
    await waitFor(service.admin.jwt, sessionId);
    assert.deepEqual(await of(operator.jwt, sessionId), []);
  });

  it('a webhook that the service disables: administrators; one that a person disables: nobody', async () => {
    const { db } = service.context;
    const hook = async () =>
      (
        await talk.expect(
          201,
          service.call('POST', '/webhooks', {
            body: { url: 'https://hooks.example.com/x', events: ['ai_pause'] },
          }),
        )
      ).id as string;
    const [failing, unwanted] = [await hook(), await hook()];
    await service.call('PATCH', `/webhooks/${unwanted}`, { body: { enabled: false } });
    await db.transaction((tx) =>
      tx.query(sql`update webhooks set enabled = false, disabled_reason = 'the endpoint answered 410 Gone'
        where account_id = ${service.admin.accountId} and id = ${failing}`),
    );
    const about = async (jwt: string) =>
      (await list(jwt)).items.filter((one: Json) => one.kind === 'webhook_disabled');
    await eventually(async () => (await about(service.admin.jwt)).length > 0);
    await considered();
    const all = await about(service.admin.jwt);
    assert.deepEqual(
      all.map((one: Json) => one.webhookId),
      [failing],
    );
    assert.match(all[0].body, /hooks\.example\.com.*410/);
    assert.deepEqual(await about(operator.jwt), []);
  });

  it('come live to their user alone, and are read in all windows; who looks at the chat gets none', async () => {
    const url = await listen(service.app);
    const sessionId = await paused();
    const [one, other, admin] = await Promise.all([
      connectLive(url, service.call, operator.jwt),
      connectLive(url, service.call, operator.jwt),
      connectLive(url, service.call, service.admin.jwt),
    ]);
    try {
      admin.say({ type: 'viewing', sessionId });
      await admin.next('presence', (data) => data.sessionId === sessionId);
      await talk.accepted({ sessionId, content: 'hello' });
      const about = (data: Json) => data.notification.sessionId === sessionId;
      const { notification, unread } = await one.next('notification.updated', about);
      assert.ok(unread > 0);
      const read = await service.call('POST', '/notifications/read', {
        token: operator.jwt,
        body: { ids: [notification.id] },
      });
      assert.equal(read.body.unread, unread - 1);
      assert.equal((await other.next('notifications.read')).unread, unread - 1);
      assert.deepEqual(admin.of('notification.updated'), []);
      await talk.accepted({ sessionId, content: 'hello again' });
      await eventually(async () => (await of(operator.jwt, sessionId)).length === 2);
      assert.deepEqual(await of(service.admin.jwt, sessionId), []);
    } finally {
      for (const client of [one, other, admin]) await client.end();
    }
  });

  it('pages, the unread alone, and marking all', async () => {
    const first = await list(operator.jwt, '?limit=2');
    assert.equal(first.items.length, 2);
    const second = await list(operator.jwt, `?limit=2&nextToken=${encodeURIComponent(first.nextToken)}`);
    assert.ok(second.items.every((one: Json) => first.items.every((two: Json) => one.id !== two.id)));
    const body = { all: true };
    const answer = await service.call('POST', '/notifications/read', { token: operator.jwt, body });
    assert.deepEqual(answer.body, { unread: 0 });
    assert.deepEqual((await list(operator.jwt, '?unread=true')).items, []);
    assert.ok((await list(service.admin.jwt)).unread > 0);
    const nothing = await service.call('POST', '/notifications/read', { token: operator.jwt, body: {} });
    assert.equal(nothing.status, 400);
  });
});
