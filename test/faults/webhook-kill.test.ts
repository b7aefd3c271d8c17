/**
 * kill -9 of workers and restarts of PostgreSQL under a load of creates: every acknowledged create's event arrives,
 * nothing arrives that was not committed, and what arrives twice is what was on its way. Two workers deliver; now one
 * of them is killed, now both.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Inbox, startInbox, verify } from '../support/webhooks.ts';
import {
  createToken,
  eventually,
  isFull,
  openWorkshop,
  type Program,
  untilReady,
  type Workshop,
} from './support.ts';
import { startWorker, type Worker } from './worker.ts';

const kills = isFull ? 100 : 1;
const freezes = isFull ? 10 : 1;
const restarts = isFull ? 10 : 1;
const createsPerSecond = isFull ? 50 : 25;
/** A receiver that takes its time, so that a kill finds calls on their way. */
const answersAfterMs = isFull ? 10 : 100;
const inFlightAtMost = 64;

describe('webhooks under faults', () => {
  let workshop: Workshop;
  let api: Program;
  let workers: Worker[] = [];
  let inbox: Inbox;
  let auth: { authorization: string };
  let secret: string;
  const everStarted: Worker[] = [];
  const shared = { SECRET_KEY: 'a key for tests that is long enough', OUTBOUND_ALLOW: '127.0.0.0/8' };

  before(async () => {
    workshop = openWorkshop();
    inbox = await startInbox((_received, response) => {
      setTimeout(() => response.end(), answersAfterMs + workshop.random() * 60);
    });
    api = await workshop.start({ PROCESS_ROLE: 'api', ...shared });
    auth = { authorization: `Bearer ${await createToken(api)}` };
    const hook = { url: inbox.url(), events: ['crm_record_created'] };
    secret = (await api.call('POST', '/webhooks', hook, auth)).body.secret;
    workers = await Promise.all([newWorker(), newWorker()]);
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await workshop.close();
    await inbox.close();
  });

  const newWorker = async (): Promise<Worker> => {
    const worker = await startWorker(workshop, { LOG_LEVEL: 'trace', ...shared });
    everStarted.push(worker);
    return worker;
  };

  /** Creates at a steady rate, whatever the outcome, until the test ends; the ids of the acknowledged ones. */
  function startCreating(t: TestContext) {
    const acknowledged = new Set<string>();
    const statuses = new Map<number | string, number>();
    const running = new Set<Promise<void>>();
    let n = 0;
    const create = async () => {
      let outcome: number | string = 'no answer';
      try {
        const { status, body } = await api.call('POST', '/crm/records', { title: `Record ${n++}` }, auth);
        outcome = status;
        if (status === 201) acknowledged.add(body.recordId);
      } catch {
        // Whether it was created is not known, and either is right.
      }
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    };
    const timer = setInterval(() => {
      const one = create().finally(() => running.delete(one));
      running.add(one);
    }, 1000 / createsPerSecond);
    const stop = async () => {
      clearInterval(timer);
      await Promise.all(running);
    };
    t.after(stop);
    return { acknowledged, statuses, stop };
  }

  /** Adds the events that workers have claimed, of the dead and the living. */
  async function noteClaimed(onItsWay: Set<string>): Promise<void> {
    const rows = await workshop.query<{ id: string }>(
      'select event_id as id from webhook_deliveries where lease_token is not null',
    );
    for (const { id } of rows) onItsWay.add(id);
  }

  async function checkArrivals(
    acknowledged: ReadonlySet<string>,
    before: number,
    duplicatesAtMost: number,
    onItsWay?: ReadonlySet<string>,
  ) {
    const arrived = () => new Set(inbox.received.map((one) => one.body.data.record.recordId));
    await eventually(
      'every event is delivered',
      async () => {
        const [row] = await workshop.query<{ open: number }>(
          `select count(*)::int as open from webhook_deliveries where status <> 'delivered'`,
        );
        return row!.open === 0;
      },
      60_000,
    );
    const got = arrived();
    const lost = [...acknowledged].filter((id) => !got.has(id));
    assert.deepEqual(lost, [], 'acknowledged and never sent');

    const committed = await workshop.query<{ id: string; body: string }>('select id, body from events');
    const bodies = new Map(committed.map((row) => [row.id, row.body]));
    const times = new Map<string, number>();
    for (const one of inbox.received.slice(before)) {
      const id = String(one.headers['webhook-id']);
      assert.equal(one.text, bodies.get(id), 'sent what was not committed, or other bytes');
      times.set(id, (times.get(id) ?? 0) + 1);
    }
    const twice = [...times].filter(([, count]) => count > 1).map(([id]) => id);
    if (onItsWay)
      assert.deepEqual(
        twice.filter((id) => !onItsWay.has(id)),
        [],
        'sent again without a reason',
      );
    for (const one of inbox.received.slice(-20)) verify(secret, one);
    const duplicates = inbox.received.length - before - times.size;
    assert.ok(duplicates <= duplicatesAtMost, `${duplicates} duplicates, at most ${duplicatesAtMost} may be`);
    return duplicates;
  }

  /** Whatever the dead had claimed: how long after the kill each of it was delivered by another. */
  async function recover(killedAt: number): Promise<number[]> {
    const claimed = await workshop.query<{ id: string; lease_token: string }>(
      'select id, lease_token from webhook_deliveries where lease_token is not null',
    );
    const took = new Map<string, number>();
    await eventually(
      'what was claimed is delivered',
      async () => {
        const rows = await workshop.query<{ id: string }>(
          `select id from webhook_deliveries where id = any($1::uuid[]) and status = 'delivered'`,
          [claimed.map((row) => row.id)],
        );
        for (const { id } of rows) if (!took.has(id)) took.set(id, performance.now() - killedAt);
        return took.size === claimed.length;
      },
      60_000,
    );
    const alive = await workshop.query<{ token: string }>('select id as token from processes');
    const tokens = new Set(alive.map((row) => row.token));
    return claimed.filter((row) => !tokens.has(row.lease_token)).map((row) => took.get(row.id)!);
  }

  it(`${kills} kills of workers: lost 0, uncommitted 0, duplicates only of what was on its way`, async (t) => {
    const load = startCreating(t);
    const recoveries: number[] = [];
    const onItsWay = new Set<string>();
    for (let round = 0; round < kills; round++) {
      await sleep(200 + workshop.random() * 1_000);
      await eventually('calls are on their way', async () => inbox.open > 1);
      const both = round % 5 === 4;
      const dying = both ? [0, 1] : [Math.floor(workshop.random() * 2)];
      await Promise.all(dying.map((one) => workers[one]!.kill()));
      const killedAt = performance.now();
      await noteClaimed(onItsWay);
      const restarted = Promise.all(
        dying.map(async (one) => {
          workers[one] = await newWorker();
        }),
      );
      const took = await recover(killedAt);
      // When nobody is left, how long a start takes is up to the machine.
      if (!both) recoveries.push(...took);
      await restarted;
    }
    await load.stop();
    const duplicates = await checkArrivals(load.acknowledged, 0, kills * 2 * inFlightAtMost, onItsWay);
    assert.ok(load.acknowledged.size > kills * 10, `only ${load.acknowledged.size} creates`);
    assert.deepEqual([...load.statuses.keys()], [201], 'the API felt the kills');
    recoveries.sort((a, b) => a - b);
    const at = (share: number) => Math.round(recoveries[Math.ceil(recoveries.length * share) - 1] ?? 0);
    console.log(
      `${kills} kills, ${load.acknowledged.size} acknowledged, lost 0, ${duplicates} duplicates, ` +
        `${recoveries.length} claimed deliveries done by another after p50 ${at(0.5)}, p99 ${at(0.99)}, ` +
        `at most ${at(1)} ms`,
    );
    // Five seconds is the figure to reach; a machine that also runs the rest of the tests gets the double.
    assert.ok(at(0.99) <= (isFull ? 5_000 : 10_000), `claimed work was done after ${at(0.99)} ms`);
  });

  it(`${freezes} freezes of a worker: it wakes late and changes nothing that another has taken up`, async (t) => {
    const load = startCreating(t);
    const before = inbox.received.length;
    const onItsWay = new Set<string>();
    for (let round = 0; round < freezes; round++) {
      await sleep(300 + workshop.random() * 500);
      const { pid } = workers[Math.floor(workshop.random() * 2)]!;
      process.kill(pid, 'SIGSTOP');
      await noteClaimed(onItsWay);
      try {
        await eventually('the frozen one is taken for dead', async () => {
          const [row] = await workshop.query<{ count: number }>(
            'select count(*)::int as count from processes',
          );
          // The other worker, and the API.
          return row!.count === 2;
        });
        await recover(performance.now());
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    }
    await sleep(300);
    await load.stop();
    const duplicates = await checkArrivals(load.acknowledged, before, freezes * inFlightAtMost, onItsWay);
    const [twice] = await workshop.query<{ count: number }>(`
      select count(*)::int as count from (
        select from (
          select id as delivery_id, attempt_status as status_code from webhook_deliveries
          union all select delivery_id, status_code from webhook_attempts) a
        where status_code = 200 group by delivery_id having count(*) > 1) d`);
    assert.equal(twice!.count, 0, 'a result that came late was written');
    console.log(
      `${freezes} freezes, ${load.acknowledged.size} acknowledged, lost 0, ${duplicates} duplicates`,
    );
  });

  it(`${restarts} restarts of PostgreSQL: the same`, async (t) => {
    const load = startCreating(t);
    const before = inbox.received.length;
    for (let round = 0; round < restarts; round++) {
      await sleep(300 + workshop.random() * 1_000);
      // By turns a fast shutdown, which cuts the connections in order, and a crash.
      process.kill(workshop.postmasterPid(), round % 2 === 0 ? 'SIGINT' : 'SIGKILL');
      await sleep(workshop.random() * 300);
      const ms = await untilReady(api, 10_000);
      console.log(`PostgreSQL is back after ${Math.round(ms)} ms`);
    }
    await sleep(300);
    await load.stop();
    const duplicates = await checkArrivals(load.acknowledged, before, restarts * 2 * inFlightAtMost);
    const odd = [...load.statuses.keys()].filter((status) => status !== 201 && status !== 503);
    assert.deepEqual(odd, [], api.output());
    console.log(
      `${restarts} restarts, ${load.acknowledged.size} acknowledged, lost 0, ${duplicates} duplicates, ` +
        `statuses ${JSON.stringify([...load.statuses])}`,
    );
  });

  it('no secret is in the output of the processes', () => {
    const written = everStarted.map((worker) => worker.output()).join('') + api.output();
    assert.ok(written.includes('"msg":"started"'));
    assert.ok(!written.includes(secret.slice(6)));
  });
});
