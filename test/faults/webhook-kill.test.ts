/**
 * kill -9 of the worker and restarts of PostgreSQL under a load of creates: every acknowledged create's event arrives,
 * nothing arrives that was not committed, and what arrives twice is what was on its way.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
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

const kills = isFull ? 100 : 5;
const restarts = isFull ? 10 : 2;
const createsPerSecond = 50;
const inFlightAtMost = 64;
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Worker {
  pid: number;
  kill(): Promise<void>;
  stop(): Promise<void>;
  output(): string;
}

describe('webhooks under faults', () => {
  let workshop: Workshop;
  let api: Program;
  let worker: Worker;
  let inbox: Inbox;
  let auth: { authorization: string };
  let secret: string;
  let output = '';
  const shared = { SECRET_KEY: 'a key for tests that is long enough', OUTBOUND_ALLOW: '127.0.0.0/8' };

  before(async () => {
    workshop = openWorkshop();
    // A receiver that takes its time, so that a kill finds calls on their way.
    inbox = await startInbox((_received, response) => {
      setTimeout(() => response.end(), 10 + workshop.random() * 60);
    });
    api = await workshop.start({ PROCESS_ROLE: 'api', ...shared });
    auth = { authorization: `Bearer ${await createToken(api)}` };
    const hook = { url: inbox.url(), events: ['crm_record_created'] };
    secret = (await api.call('POST', '/webhooks', hook, auth)).body.secret;
    worker = await startWorker();
  });
  after(async () => {
    await worker?.stop();
    await workshop.close();
    await inbox.close();
  });

  async function startWorker(): Promise<Worker> {
    const socket = encodeURIComponent(`${workshop.dataDir}/postgres/data`);
    const child: ChildProcess = spawn(process.execPath, ['server/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: `${workshop.dataDir}/worker`,
        DATABASE_URL: `postgres://postgres@localhost/talkboard?host=${socket}`,
        PROCESS_ROLE: 'worker',
        LOG_LEVEL: 'trace',
        ...shared,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    const exited = once(child, 'exit').then(() => {
      output += text;
    });
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exited;
    };
    await eventually('the worker has started', async () => {
      assert.equal(child.exitCode, null, text);
      return text.includes('"msg":"started"');
    });
    return { pid: child.pid!, kill: () => end('SIGKILL'), stop: () => end('SIGTERM'), output: () => text };
  }

  /** Creates at a steady rate, whatever becomes of them; the ids of those that were acknowledged. */
  function startCreating() {
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
    return {
      acknowledged,
      statuses,
      async stop() {
        clearInterval(timer);
        await Promise.all(running);
      },
    };
  }

  async function checkArrivals(acknowledged: ReadonlySet<string>, before: number, duplicatesAtMost: number) {
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
    for (const one of inbox.received.slice(-20)) verify(secret, one);
    const duplicates = inbox.received.length - before - times.size;
    assert.ok(duplicates <= duplicatesAtMost, `${duplicates} duplicates, at most ${duplicatesAtMost} may be`);
    return duplicates;
  }

  it(`${kills} kills of the worker: lost 0, uncommitted 0, duplicates only of what was on its way`, async () => {
    const load = startCreating();
    const recoveries: number[] = [];
    let onTheirWay = 0;
    for (let round = 0; round < kills; round++) {
      await sleep(200 + workshop.random() * 1_000);
      onTheirWay += inFlightAtMost;
      await worker.kill();
      const killed = performance.now();
      const claimed = await workshop.query<{ event_id: string }>(
        'select event_id from webhook_deliveries where lease_token is not null',
      );
      const seen = inbox.received.length;
      worker = await startWorker();
      const waiting = new Set(claimed.map((row) => row.event_id));
      await eventually(
        'what the killed worker had claimed is sent again',
        async () => {
          for (const one of inbox.received.slice(seen)) {
            const id = String(one.headers['webhook-id']);
            if (waiting.delete(id)) recoveries.push(one.at - killed);
          }
          return waiting.size === 0;
        },
        30_000,
      );
    }
    await load.stop();
    const duplicates = await checkArrivals(load.acknowledged, 0, onTheirWay);
    assert.ok(load.acknowledged.size > kills * 10, `only ${load.acknowledged.size} creates`);
    assert.deepEqual([...load.statuses.keys()], [201], 'the API felt the kills');
    recoveries.sort((a, b) => a - b);
    const p99 = recoveries[Math.ceil(recoveries.length * 0.99) - 1] ?? 0;
    console.log(
      `${kills} kills, ${load.acknowledged.size} acknowledged, lost 0, ${duplicates} duplicates, ` +
        `${recoveries.length} claimed deliveries taken up after p50 ${Math.round(recoveries[recoveries.length >> 1] ?? 0)} ms, ` +
        `p99 ${Math.round(p99)} ms`,
    );
    assert.ok(p99 <= 5_000, `claimed work was taken up after ${p99} ms`);
  });

  it(`${restarts} restarts of PostgreSQL: the same`, async () => {
    const load = startCreating();
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
    const duplicates = await checkArrivals(load.acknowledged, before, restarts * inFlightAtMost);
    const odd = [...load.statuses.keys()].filter((status) => status !== 201 && status !== 503);
    assert.deepEqual(odd, [], api.output());
    console.log(
      `${restarts} restarts, ${load.acknowledged.size} acknowledged, lost 0, ${duplicates} duplicates, ` +
        `statuses ${JSON.stringify([...load.statuses])}`,
    );
  });

  it('no secret stands in what the processes wrote', () => {
    const written = output + worker.output() + api.output();
    assert.ok(written.includes('"msg":"started"'));
    assert.ok(!written.includes(secret.slice(6)));
  });
});
