import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { connectDb } from '../../open-database.ts';
import type { Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { AppError } from '../http/errors.ts';
import { createHttp } from '../http/http.ts';
import { createLogger } from '../logger.ts';
import { createSecrets } from '../secrets/secrets.ts';
import type { CallLimits } from './node-calls.ts';
import { nodesRoutes } from './nodes.routes.ts';
import { createNodes, type Nodes } from './nodes.ts';

const secret = 'a key for tests that is long enough';

describe('nodes', () => {
  let database: TestDatabase;
  let db: Db;
  let warnings: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => void warnings.push(line) });
  const closers: (() => Promise<unknown>)[] = [];
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ connection: database.connection, stop: async () => {} }, logger);
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    warnings = [];
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  interface Started {
    nodes: Nodes;
    url: string;
    failures(): number;
  }

  async function start(limits?: CallLimits): Promise<Started> {
    let failures = 0;
    const nodes = createNodes({
      db,
      secrets: createSecrets(secret),
      logger,
      now: Date.now,
      onCall(outcome) {
        if (outcome === 'failed') failures++;
      },
      onCount() {},
      ...(limits && { limits }),
    });
    const app = createHttp(logger, async () => null);
    await nodesRoutes(app, nodes);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    await nodes.announce(url);
    closers.push(
      () => app.close(),
      () => nodes.close(),
    );
    return { nodes, url, failures: () => failures };
  }

  async function startPair(limits: CallLimits): Promise<[Started, Started, string]> {
    const owner = await start(limits);
    const asker = await start(limits);
    // The asker has just read the list; a key that the other one owns:
    let asked = '';
    const done = owner.nodes.serve('find', async (key) => {
      asked = key as string;
      return null;
    });
    for (let i = 0; asked === ''; i++) await asker.nodes.ask(`key ${i}`, 'find', `key ${i}`);
    done();
    return [asker, owner, asked];
  }

  const patient: CallLimits = { acceptWithinMs: 2_000, answerWithinMs: 10_000 };

  it('wait for an answer that takes longer than a call may take to be accepted', async () => {
    const limits = { acceptWithinMs: 500, answerWithinMs: 20_000 };
    const [asker, owner, key] = await startPair(limits);
    owner.nodes.serve('slow', async (question) => {
      await sleep(1_200);
      return { heard: question };
    });
    assert.deepEqual(await asker.nodes.ask(key, 'slow', { a: 'ü"\n' }), { answer: { heard: { a: 'ü"\n' } } });
    assert.equal(asker.failures(), 0);
  });

  it('give up an answer that does not come, and skip its node', async () => {
    const [asker, owner, key] = await startPair({ acceptWithinMs: 2_000, answerWithinMs: 50 });
    let heard = 0;
    owner.nodes.serve('never', () => {
      heard++;
      return new Promise(() => {});
    });
    const answers = await Promise.all([1, 2, 3].map(() => asker.nodes.ask(key, 'never', null)));
    assert.deepEqual(answers, [null, null, null]);
    assert.equal(await asker.nodes.ask(key, 'never', null), null);
    assert.equal(heard, 3, 'it was not asked again');
    assert.equal(asker.failures(), 3);
    assert.equal(warnings.filter((line) => line.includes('is skipped for now')).length, 1);
  });

  it('pass on what the caller did wrong, and answer themselves what the owner could not', async () => {
    const [asker, owner, key] = await startPair(patient);
    const problem = new AppError(409, 'CONFLICT', 'no', 7, undefined, { field: 'a' });
    owner.nodes.serve('wrong', () => Promise.reject(problem));
    await assert.rejects(asker.nodes.ask(key, 'wrong', null), (error: AppError) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual({ ...error, message: error.message }, { ...problem, message: 'no' });
      return true;
    });
    owner.nodes.serve('broken', () => Promise.reject(new Error('a bug')));
    assert.equal(await asker.nodes.ask(key, 'broken', null), null);
    assert.equal(await asker.nodes.ask(key, 'not served', null), null);
    assert.equal(await asker.nodes.ask(key, 'wrong', 'x'.repeat(5_000_000)), null, 'too large to be sent');
    assert.equal(asker.failures(), 2);
    // It is alive: nothing of this makes it skipped.
    await assert.rejects(asker.nodes.ask(key, 'wrong', null), /no/);
  });

  it('list each process once per address, and forget those that are gone', async () => {
    const gone = '01890a5d-ac96-774b-bcce-b302099a8057';
    await db.autocommit(sql`
      insert into api_nodes (id, url, seen_at) values (${gone}, 'http://127.0.0.1:9', now() - interval '9 seconds')`);
    const first = await start();
    assert.equal(first.nodes.count(), 1);
    const second = createNodes({
      db,
      secrets: createSecrets(secret),
      logger,
      now: Date.now,
      onCall() {},
      onCount() {},
    });
    closers.push(() => second.close());
    await second.announce(first.url);
    const rows = await db.query<{ id: string }>(sql`select id from api_nodes where url = ${first.url}`);
    assert.deepEqual(rows, [{ id: second.id }], 'the row of its predecessor is gone');
    // The first one is no predecessor but runs: both see it and say so.
    await eventually(() => warnings.some((line) => line.includes('the same NODE_ADDRESS')));
  });
});
