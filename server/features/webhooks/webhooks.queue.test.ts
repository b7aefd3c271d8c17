/** Fairness, order, and what happens to claims if a process or a result of the database is lost. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import {
  answerWith,
  attemptsMade,
  type Hooks,
  hooksOf,
  type Inbox,
  loopbackAllowed,
  startInbox,
} from '../../../test/support/webhooks.ts';
import type { Db } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { emit } from '../../platform/events/outbox.ts';
import { unavailable } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { startTakeOver } from '../../platform/jobs/leases.ts';
import { startDeliverer } from './webhooks.deliver.ts';
import { lockEndpoint } from './webhooks.log.sql.ts';
import { claimDeliveries, finishAttempts } from './webhooks.queue.sql.ts';
import { Results } from './webhooks.results.ts';

describe('the queue', () => {
  let service: TestService;
  let hooks: Hooks;
  let inbox: Inbox;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    service = await startTestService({ env: loopbackAllowed });
    hooks = hooksOf(service);
  });
  after(() => service.close());
  beforeEach(async () => {
    inbox = await startInbox();
  });
  afterEach(async () => {
    // The receiver first: a hanging call would delay the stop.
    await inbox.close();
    for (const stop of stops.splice(0)) await stop();
    await hooks.change(sql`delete from webhooks`);
  });

  /** Each as a process of its own. */
  const deliverer = (db: Db = { ...service.context.db }) => {
    const context = { ...service.context, db };
    const { leased, stop } = startDeliverer(context);
    const takeOver = startTakeOver(context, [leased]);
    const stopBoth = async () => void (await Promise.all([stop(), takeOver.stop()]));
    stops.push(stopBoth);
    return stopBoth;
  };
  const count = async (condition: ReturnType<typeof sql>) => {
    const [row] = await service.context.db.query<{ count: number }>(
      sql`select count(*)::int as count from webhook_deliveries where ${condition}`,
    );
    return row!.count;
  };
  const allDelivered = () => eventually(async () => (await count(sql`status <> 'delivered'`)) === 0, 20_000);

  const endpoint = (path: string) => hooks.insert(inbox.url(path));
  const messages = (endpointId: string, many: number, orderKey?: string, first = 1) =>
    service.context.db.transaction(async (tx) => {
      for (let i = 0; i < many; i++) {
        await emit(tx, {
          event: 'message_created',
          accountId: service.admin.accountId,
          subjectId: orderKey ?? endpointId,
          sequence: first + i,
          kanbanId: null,
          fieldId: null,
          data: {},
          topLevel: { direction: 'outgoing', sessionId: orderKey ?? null },
          timestamp: service.context.clock.now(),
          endpointId,
          ...(orderKey && { orderKey }),
        });
      }
    });
  const arrived = (path = '/hook') =>
    inbox.received.filter((one) => one.path === path).map((one) => one.body.sequence);

  it('messages of a session arrive in order, those of other sessions in between', async () => {
    const id = await endpoint('/hook');
    for (const session of ['a', 'b', 'c']) await messages(id, 12, session);
    deliverer();
    await allDelivered();
    for (const session of ['a', 'b', 'c']) {
      const sequences = inbox.received
        .filter((one) => one.body.sessionId === session)
        .map((one) => one.body.sequence);
      assert.deepEqual(
        sequences,
        Array.from({ length: 12 }, (_, i) => i + 1),
      );
    }
  });

  it('a later message waits through the first four attempts of an earlier one, and no longer', async () => {
    const id = await endpoint('/hook');
    inbox.answer = ({ body }, response) => void response.writeHead(body.sequence === 1 ? 500 : 200).end();
    await messages(id, 3, 'session');
    await messages(id, 1, 'another session', 7);
    deliverer();
    await eventually(() => arrived().includes(7));
    for (let attempt = 1; attempt <= 4; attempt++) {
      await eventually(
        async () =>
          (await count(sql`status = 'retrying' and attempts = ${attempt} and lease_token is null`)) === 1,
      );
      if (attempt < 4) {
        assert.deepEqual(
          arrived().filter((n) => n !== 7),
          Array(attempt).fill(1),
        );
        await hooks.change(
          sql`update webhook_deliveries set next_attempt_at = now() where status = 'retrying'`,
        );
      }
    }
    await eventually(() => arrived().includes(3));
    assert.deepEqual(
      arrived().filter((n) => n !== 7),
      [1, 1, 1, 1, 2, 3],
    );
    assert.equal(await count(sql`status = 'retrying'`), 1);
  });

  it('one endpoint that hangs with a long queue takes four calls and delays nobody', async () => {
    inbox.answer = ({ path }, response) => path !== '/hangs' && response.end();
    const hanging = await endpoint('/hangs');
    await messages(hanging, 50);
    deliverer();
    await eventually(() => arrived('/hangs').length === 4);
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => endpoint(`/${i}`)));
    for (const id of others) await messages(id, 5);
    await eventually(() => inbox.received.length === 4 + 100);
    assert.equal(arrived('/hangs').length, 4);
    assert.equal(await count(sql`status = 'retrying'`), 0, 'none of the four had ended');
  });

  it('at most four calls run for an endpoint and 64 in all, and 64 do run', async () => {
    const waiting: (() => void)[] = [];
    const open = new Map<string, number>();
    let maxOfOne = 0;
    inbox.answer = ({ path }, response) => {
      const now = (open.get(path) ?? 0) + 1;
      open.set(path, now);
      maxOfOne = Math.max(maxOfOne, now);
      waiting.push(() => {
        open.set(path, open.get(path)! - 1);
        response.end();
      });
    };
    for (let i = 0; i < 20; i++) await messages(await endpoint(`/${i}`), 10);
    deliverer();
    await eventually(() => waiting.length === 64);
    for (let answered = 0; answered < 200; answered++) {
      await eventually(() => waiting.length > 0);
      waiting.shift()!();
    }
    await allDelivered();
    assert.deepEqual([maxOfOne, inbox.maxOpen, inbox.received.length], [4, 64, 200]);
  });

  it('with more busy endpoints than there are slots, all of them move on', async () => {
    const paths = Array.from({ length: 24 }, (_, i) => `/${i}`);
    for (const path of paths) await messages(await endpoint(path), 16);
    const counts = new Map<string, number>();
    let least = -1;
    inbox.answer = ({ path }, response) => {
      const now = (counts.get(path) ?? 0) + 1;
      counts.set(path, now);
      if (now === 12 && least < 0) least = Math.min(...paths.map((one) => counts.get(one) ?? 0));
      setImmediate(() => response.end());
    };
    deliverer();
    await allDelivered();
    assert.ok(least >= 6, `when the first endpoint had its 12th call, another one had ${least}`);
  });

  it('two deliverers at once never send the same delivery twice', async () => {
    await Promise.all([deliverer(), deliverer()]);
    const ids = await Promise.all(Array.from({ length: 10 }, (_, i) => endpoint(`/${i}`)));
    for (let round = 0; round < 3; round++)
      await Promise.all(ids.map((id) => messages(id, 20, undefined, 1 + round * 20)));
    await allDelivered();
    assert.equal(inbox.received.length, 600);
    assert.equal(new Set(inbox.received.map((one) => one.headers['webhook-id'])).size, 600);
  });

  it('what a claim has taken whose answer was lost is delivered all the same, once', async () => {
    const { db } = service.context;
    let lost = 0;
    const unreliable: Db = {
      ...db,
      async autocommit<R>(statement: Sql) {
        const rows = await db.autocommit<R>(statement);
        const isClaim = rows.some((row) => (row as { place?: unknown }).place);
        if (isClaim && lost++ === 0) throw unavailable('the answer was lost');
        return rows;
      },
    };
    const id = await endpoint('/hook');
    await messages(id, 5);
    deliverer(unreliable);
    await allDelivered();
    assert.ok(lost > 0);
    assert.deepEqual(arrived().sort(), [1, 2, 3, 4, 5]);
    assert.equal(await count(sql`attempts <> 1`), 0, 'an attempt that nobody made was counted');
  });

  it('a deliverer that was taken for dead changes nothing any more', async () => {
    const { db } = service.context;
    const answers: (() => void)[] = [];
    inbox.answer = (_one, response) => void answers.push(() => response.writeHead(500).end());
    const id = await endpoint('/hook');
    await messages(id, 1);
    deliverer();
    await inbox.first(1);
    // What another process does that finds the row expired, and then claims for itself.
    const other = newId();
    await db.transaction(async (tx) => {
      await tx.query(sql`delete from processes`);
      await tx.query(
        sql`insert into processes (id, alive_until) values (${other}, now() + interval '1 minute')`,
      );
      await tx.query(sql`update webhook_deliveries set lease_token = ${other}`);
    });
    answers[0]!();
    const second = await endpoint('/second');
    inbox.answer = answerWith(200);
    await messages(second, 1);
    await eventually(async () => (await count(sql`status = 'delivered'`)) === 1);
    assert.equal(await count(sql`status = 'pending' and lease_token = ${other}`), 1);
    assert.equal((await hooks.states(id))[0]!.made, 0, 'the late result was logged');
    await hooks.change(sql`update processes set alive_until = now() where id = ${other}`);
    await allDelivered();
  });

  it('the work of a vanished process is taken up when its row has expired, three seconds after its end', async () => {
    const gone = newId();
    const id = await endpoint('/hook');
    await messages(id, 1);
    await hooks.change(
      sql`insert into processes (id, alive_until) values (${gone}, now() + interval '1 hour')`,
    );
    await hooks.change(sql`update webhook_deliveries set lease_token = ${gone}, attempts = 1`);
    deliverer();
    const own = async () => {
      const rows = await service.context.db.query<{ until: number; isSoon: boolean }>(sql`
        select extract(epoch from alive_until)::float8 as until, alive_until <= now() + interval '3 seconds' as "isSoon"
        from processes where id <> ${gone}`);
      return rows[0]!;
    };
    const { until, isSoon } = await own();
    assert.ok(isSoon);
    // It looks for expired ones whenever it renews its own.
    await eventually(async () => (await own()).until > until);
    assert.deepEqual(arrived(), []);
    await hooks.change(sql`update processes set alive_until = now() where id = ${gone}`);
    await allDelivered();
    assert.equal(await count(sql`attempts = 1`), 1);
  });

  it('a claim whose worker was meanwhile taken for dead takes nothing', async () => {
    const { db } = service.context;
    const token = newId();
    const id = await endpoint('/hook');
    await messages(id, 1);
    const worker = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    await hooks.change(sql`insert into processes (id, alive_until) values (${token}, now())`);
    const removal = db.transaction(async (tx) => {
      await tx.query(sql`delete from processes where id = ${token}`);
      removed.resolve();
      await worker.promise;
    });
    await removed.promise;
    // It still sees the worker's row, and waits for the process that removes it.
    const claim = claimDeliveries(db, token, [], 16);
    worker.resolve();
    await removal;
    assert.deepEqual(await claim, []);
    assert.equal(await count(sql`lease_token is not null`), 0);
    await hooks.change(
      sql`insert into processes (id, alive_until) values (${token}, now() + interval '1 minute')`,
    );
    assert.equal((await claimDeliveries(db, token, [], 16)).length, 1, 'there was nothing to claim');
    await hooks.change(sql`delete from processes where id = ${token}`);
  });

  it('a claim brings each delivery with its own endpoint and event, the oldest first', async () => {
    const { db } = service.context;
    const token = newId();
    const ids = await Promise.all(['/a', '/b'].map((path) => endpoint(path)));
    for (const id of ids) await messages(id, 3);
    await hooks.change(
      sql`insert into processes (id, alive_until) values (${token}, now() + interval '1 minute')`,
    );
    const claimed = await claimDeliveries(db, token, [], 16);
    const rows = await db.query<{ id: string; url: string; secret: string; body: string }>(sql`
      select d.id, w.url, w.secret, e.body from webhook_deliveries d join webhooks w on w.id = d.webhook_id
      join events e on e.id = d.event_id`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    assert.equal(claimed.length, 6);
    for (const { id, url, secret, body } of claimed)
      assert.deepEqual({ id, url, secret, body: body.toString() }, byId.get(id));
    for (const id of ids) {
      const bodies = claimed.filter(({ webhookId }) => webhookId === id).map(({ body }) => body.toString());
      assert.deepEqual(
        bodies.map((body) => JSON.parse(body).sequence),
        [1, 2, 3],
      );
    }
    await hooks.change(sql`delete from processes where id = ${token}`);
  });

  it('a result finds its row also where somebody has changed it since the claim', async () => {
    const { db } = service.context;
    const token = newId();
    const id = await endpoint('/hook');
    await messages(id, 3);
    await hooks.change(
      sql`insert into processes (id, alive_until) values (${token}, now() + interval '1 minute')`,
    );
    const claimed = await claimDeliveries(db, token, [], 16);
    await hooks.change(sql`update webhook_deliveries set forced = true where id = ${claimed[1]!.id}`);
    const answer = { at: 1, durationMs: 1, statusCode: 200, error: null, response: null };
    await finishAttempts(
      db,
      claimed.map((delivery) => ({ ...answer, delivery, status: 'delivered', gapMs: null })),
    );
    assert.equal(await count(sql`status = 'delivered'`), 3);
    assert.equal((await db.query(attemptsMade)).length, 3);
    await hooks.change(sql`delete from processes where id = ${token}`);
  });

  it('a result that is written again does nothing to the claim after it', async () => {
    const { db } = service.context;
    const token = newId();
    await messages(await endpoint('/hook'), 1);
    await hooks.change(
      sql`insert into processes (id, alive_until) values (${token}, now() + interval '1 minute')`,
    );
    const [first] = await claimDeliveries(db, token, [], 16);
    const answer = { at: 1, durationMs: 1, statusCode: 500, error: null, response: null };
    const failed = { ...answer, delivery: first!, status: 'retrying' as const, gapMs: 0 };
    await finishAttempts(db, [failed]);
    const [second] = await claimDeliveries(db, token, [], 16);
    assert.deepEqual([first!.attempt, second!.attempt], [1, 2]);
    await finishAttempts(db, [failed]);
    assert.equal(await count(sql`lease_token = ${token} and attempts = 2`), 1);
    await finishAttempts(db, [{ ...answer, delivery: second!, status: 'delivered', gapMs: null }]);
    assert.equal(await count(sql`status = 'delivered'`), 1);
    assert.equal((await db.query(attemptsMade)).length, 2);
    await hooks.change(sql`delete from processes where id = ${token}`);
  });

  it('a result that the database refuses keeps no other back, and is written without its texts', async () => {
    const { db, logger } = service.context;
    const token = newId();
    await messages(await endpoint('/hook'), 3);
    await hooks.change(
      sql`insert into processes (id, alive_until) values (${token}, now() + interval '1 minute')`,
    );
    const claimed = await claimDeliveries(db, token, [], 16);
    const results = new Results({ db, logger, underWay: () => 3 });
    const answer = { at: 1, durationMs: 1, statusCode: 200, error: null, status: 'delivered' as const };
    await Promise.all(
      claimed.map((delivery, index) =>
        results.write({ ...answer, delivery, gapMs: null, response: index === 1 ? 'a\0b' : 'fine' }),
      ),
    );
    await results.settle();
    const rows = await db.query<{ status: string; response: string | null }>(
      sql`select status, attempt_response as response from webhook_deliveries order by id`,
    );
    assert.deepEqual(
      rows.map(({ status, response }) => [status, response]).sort(),
      [
        ['delivered', null],
        ['delivered', 'fine'],
        ['delivered', 'fine'],
      ].sort(),
    );
    await hooks.change(sql`delete from processes where id = ${token}`);
  });

  it('attempts go with their deliveries', async () => {
    const [id, other] = [await endpoint('/hook'), await endpoint('/other')];
    await messages(id, 3);
    await messages(other, 2);
    deliverer();
    await allDelivered();
    const length = async (rows: Sql) => (await service.context.db.query(rows)).length;
    const made = () => Promise.all([attemptsMade, sql`select from webhook_attempts`].map(length));
    assert.deepEqual(await made(), [5, 0], 'the first is in the row of its delivery');
    await hooks.change(sql`update webhook_deliveries set status = 'pending', attempts = 0`);
    await allDelivered();
    assert.deepEqual(await made(), [10, 5]);
    await hooks.change(sql`delete from webhooks where id = ${id}`);
    assert.deepEqual(await made(), [4, 2]);
    await hooks.change(sql`delete from events`);
    assert.deepEqual(await made(), [0, 0]);
  });

  it('a long replay keeps no record from being created', async () => {
    const { db } = service.context;
    const hook = await hooks.insert(inbox.url(), 'webhook');
    const replaying = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const replay = db.transaction(async (tx) => {
      await lockEndpoint(tx, service.admin.accountId, hook);
      locked.resolve();
      await replaying.promise;
    });
    await locked.promise;
    try {
      await hooks.createRecord();
    } finally {
      replaying.resolve();
      await replay;
    }
    assert.equal((await hooks.states(hook)).length, 1);
  });

  it('stopping gives back what was not begun, waits for what was, and leaves no lease', async () => {
    const answers: (() => void)[] = [];
    inbox.answer = (_one, response) => void answers.push(() => response.end());
    const id = await endpoint('/hook');
    await messages(id, 30);
    const stop = deliverer();
    await eventually(() => answers.length === 4);
    const stopped = stop();
    await eventually(async () => (await count(sql`lease_token is not null`)) === 4);
    for (const answer of answers) answer();
    await stopped;
    assert.equal(await count(sql`lease_token is not null`), 0);
    assert.equal(await count(sql`status = 'delivered' and attempts = 1`), 4);
    assert.equal(await count(sql`status = 'pending' and attempts = 0`), 26);
    const { length } = await service.context.db.query(sql`select from processes`);
    assert.equal(length, 1, 'of the service itself');
    assert.equal(inbox.received.length, 4);
  });
});
