/**
 * Three processes search for each other while the owner of the account is killed, or frozen and then killed: the others
 * go on answering, and every search finds what was acknowledged before it, on whichever process.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { aliveSeconds } from '../../server/platform/nodes/nodes.ts';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import {
  createToken,
  eventually,
  isFull,
  openWorkshop,
  type Program,
  type Reply,
  type Workshop,
} from './support.ts';

const rounds = isFull ? 20 : 1;
const perPhase = isFull ? 500 : 40;
const lines = 8;
/** Other tests run beside this one. */
const pauseMs = isFull ? 10 : 40;

const noReply = (error: Error) => ({ status: null, body: { message: error.message }, ms: 0 });
const textOf = (
  { status, body, ms }: Pick<Reply, 'body' | 'ms'> & { status: number | null },
  from: Program,
) =>
  `${status} after ${Math.round(ms)} ms: ${JSON.stringify(body).slice(0, 1_000)}\n${from.output().slice(-2_000)}`;

describe('the owner of an account is lost', () => {
  let workshop: Workshop;
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    workshop = openWorkshop();
    database = await createTestDatabase();
    client = new pg.Client(database.connection);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await workshop.close();
    await database.drop();
  });

  it(`${rounds} times: no search fails, none misses what was acknowledged`, async () => {
    let started = 0;
    const start = () =>
      workshop.start({
        DATABASE_URL: urlOf(database.connection),
        DATA_DIR: join(workshop.dataDir, `node-${started++}`),
        SECRET_KEY: 'a key for tests that is long enough',
        PROCESS_ROLE: 'api',
        NODE_ADDRESS: '127.0.0.1',
      });
    // The first one creates the account.
    const serving = [await start()];
    serving.push(...(await Promise.all([start(), start()])));
    const auth = { authorization: `Bearer ${await createToken(serving[0]!)}` };
    const figure = async (program: Program, name: string) => {
      const { body } = await program.call('GET', '/metrics');
      const line = String(body)
        .split('\n')
        .find((one) => one.startsWith(`${name} `));
      return Number(line?.split(' ')[1] ?? 0);
    };
    const allKnown = () =>
      eventually(
        'the nodes know each other',
        async () => {
          // Otherwise a lost node may be counted instead of the one that replaced it.
          if ((await renewedSinceLosses()) < serving.length) return false;
          const counts = await Promise.all(serving.map((program) => figure(program, 'talkboard_nodes')));
          return counts.every((count) => count === serving.length);
        },
        60_000,
      );
    /** A node reads the list of nodes when it renews its own row. */
    const renewedSinceLosses = async () => {
      const { rows } = await client.query(
        `select count(*)::int as count from api_nodes where url = any($1) and seen_at > coalesce(
          (select max(seen_at) from api_nodes where url <> all($1)), '-infinity') + $2 * interval '1 second'`,
        [serving.map((program) => program.baseUrl), aliveSeconds],
      );
      return rows[0].count;
    };
    await allKnown();

    let found = 0;
    const wrong: string[] = [];
    const pick = () => serving[Math.floor(workshop.random() * serving.length)]!;
    const load = workshop.load(lines, async (n) => {
      await sleep(pauseMs);
      const title = `zq${n}yx`;
      const writer = pick();
      const made = await writer.call('POST', '/crm/records', { title }, auth).catch(noReply);
      // A process that was just lost gives no answer; a load balancer would not send it more.
      if (made.status !== 201) {
        if (serving.includes(writer)) wrong.push(`create ${title}: ${textOf(made, writer)}`);
        return;
      }
      const reader = pick();
      const answer = await reader.call('GET', `/crm/search?q=${title}`, undefined, auth).catch(noReply);
      const titles = answer.body.items?.map((item: { title: string }) => item.title) ?? [];
      if (titles.includes(title)) found++;
      else if (serving.includes(reader)) wrong.push(`search ${title}: ${textOf(answer, reader)}`);
    });
    const phase = async () => {
      const from = found;
      await eventually(
        'searches are answered',
        async () => wrong.length > 0 || found >= from + perPhase,
        120_000,
      );
      assert.deepEqual(wrong, []);
    };

    const calls = () =>
      Promise.all(
        serving.map((program) => figure(program, 'talkboard_node_calls_total{outcome="answered"}')),
      );

    for (let round = 0; round < rounds; round++) {
      const before = await calls();
      await phase();
      const after = await calls();
      // It alone calls nobody.
      const owners = serving.filter((_, i) => after[i] === before[i]);
      assert.equal(owners.length, 1, `calls ${before}, then ${after}`);
      const [owner] = owners as [Program];
      assert.equal(await figure(owner, 'talkboard_search_indexes{kind="records"}'), 1);
      // Requests that are running on it may be lost with it; those on the others may not.
      serving.splice(serving.indexOf(owner), 1);
      if (round % 2 === 0) process.kill(owner.pid, 'SIGSTOP');
      else await owner.kill();
      await phase();
      await owner.kill();
      await phase();
      // Without another round, nobody waits until it is forgotten.
      if (round + 1 < rounds) {
        serving.push(await start());
        await allKnown();
      }
      console.log(`owner ${round + 1} lost: ${found} searches so far`);
    }
    await phase();
    await load.stop();
    assert.deepEqual(wrong, []);
    console.log(`${rounds} owners lost, ${found} searches found what was just written, 0 did not`);
  });
});
