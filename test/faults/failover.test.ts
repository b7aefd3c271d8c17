/**
 * A standby is promoted during a load of writes: a synchronous standby has every write that was acknowledged. The
 * service finds the new primary without a restart, and meanwhile answers 503.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts';
import {
  createToken,
  eventually,
  isFull,
  openWorkshop,
  type Program,
  untilReady,
  type Workshop,
} from './support.ts';

/** 20 lines that each send about every 100 ms. */
const lines = isFull ? 20 : 8;
const pauseMs = isFull ? 100 : 20;
const runMs = isFull ? 30_000 : 0;
/** The full run measures what is promised; the everyday run shares its machine with other tests. */
const backWithinMs = isFull ? 10_000 : 60_000;

describe('promotion of a synchronous standby under load', () => {
  let workshop: Workshop;
  let servers: ReplicatedPostgres;
  let program: Program;
  let auth: { authorization: string };
  before(async () => {
    workshop = openWorkshop();
    servers = await startReplicatedPostgres();
    await servers.primary.query('create database talkboard');
    program = await workshop.start({ DATABASE_URL: servers.url('talkboard') });
    auth = { authorization: `Bearer ${await createToken(program)}` };
    await servers.makeSynchronous();
  });
  after(async () => {
    await workshop.close();
    await servers?.stop();
  });

  it('no acknowledged write is lost, and nothing but 503 is answered in between', async () => {
    const acknowledged = new Map<string, string>();
    const refused: string[] = [];
    let requests = 0;
    const load = workshop.load(lines, async () => {
      const title = `write-${requests++}`;
      const reply = await program.call('POST', '/crm/records', { title }, auth);
      if (reply.status === 201) acknowledged.set(reply.body.recordId, title);
      else
        refused.push(
          `${reply.status} ${reply.body.code} ${reply.headers['retry-after'] ?? 'without Retry-After'}`,
        );
      await sleep(pauseMs);
    });
    const unexpected = () => refused.filter((one) => !/^503 (UNAVAILABLE|BUSY) [1-9]\d*$/.test(one));
    const someMore = async (count: number) => {
      const from = acknowledged.size;
      const enough = async () => unexpected().length > 0 || acknowledged.size > from + count;
      await eventually('writes are acknowledged', enough, 60_000).catch((error) => {
        throw new Error(
          `${error.message}: ${requests} sent, last refused ${refused.slice(-3)}\n${program.output()}`,
        );
      });
    };
    await someMore(lines * 3);
    await sleep(runMs);
    // kill -9 of the postmaster: its backends end without a word to their clients.
    await servers.primary.end('SIGKILL');
    await servers.promote();
    const ms = await untilReady(program, backWithinMs);
    await someMore(lines * 3);
    await sleep(runMs);
    await load.stop();
    assert.deepEqual(unexpected(), [], program.output());
    const stored = await servers.standby.query<{ id: string; title: string }>(
      'select id, title from records',
      'talkboard',
    );
    const titles = new Map(stored.map(({ id, title }) => [id, title]));
    const lost = [...acknowledged].filter(([id, title]) => titles.get(id) !== title);
    assert.deepEqual(lost, [], 'acknowledged records are missing');
    assert.ok(program.isRunning(), program.output());
    console.log(
      `${acknowledged.size} acknowledged, 0 lost, ${refused.length} turned away, ready after ${Math.round(ms)} ms`,
    );
  });
});
