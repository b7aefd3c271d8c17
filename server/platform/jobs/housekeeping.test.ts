import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { startWorker } from '../../worker.ts';
import { sql } from '../db/sql.ts';
import { busy } from '../http/errors.ts';
import { createLogger } from '../logger.ts';
import { housekeepingHandler, housekeepingJobKind, listSteps, startHousekeeping } from './housekeeping.ts';
import { instanceAccountId, type Job, startJobs } from './jobs.ts';

describe('housekeeping', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const jobs = () =>
    service.context.db.query<{ failed: boolean; attempts: number; max: number }>(sql`
      select failed_at is not null as failed, attempts, max_attempts as max from jobs where kind = 'housekeeping'`);

  it('a step that fails keeps no other from running, and its last success stays as it was', async () => {
    const { db } = service.context;
    const lines: string[] = [];
    let isBroken = false;
    const ran: string[] = [];
    const steps = [
      { step: 'first', run: async () => ran.push('first') },
      {
        step: 'second',
        run: async () => {
          ran.push('second');
          if (isBroken) throw new Error('the second is broken');
        },
      },
      { step: 'third', run: async () => ran.push('third') },
    ];
    const logger = createLogger('error', { write: (line) => void lines.push(line) });
    const handler = housekeepingHandler({ db, logger, steps });
    const runOnce = () => handler({ complete: async () => {} } as unknown as Job);
    await startHousekeeping(db, steps);
    assert.deepEqual(
      (await listSteps(db, 1_000)).map(({ lastSuccessAt }) => lastSuccessAt),
      [null, null, null],
    );
    await runOnce();
    const before = await listSteps(db, 1_000);
    isBroken = true;
    ran.length = 0;
    await runOnce();
    const after = await listSteps(db, 1_000);
    assert.deepEqual(ran, ['first', 'second', 'third']);
    assert.equal(after[1]!.lastSuccessAt, before[1]!.lastSuccessAt);
    assert.ok(after[0]!.lastSuccessAt! > before[0]!.lastSuccessAt!);
    assert.ok(after[2]!.lastSuccessAt! > before[2]!.lastSuccessAt!);
    assert.equal(lines.length, 1);
    assert.deepEqual(
      [JSON.parse(lines[0]!).step, JSON.parse(lines[0]!).err.message],
      ['second', 'the second is broken'],
    );
  });

  it('a busy moment is a warning without a stack', async () => {
    const { db } = service.context;
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const run = async () => {
      throw busy();
    };
    const handler = housekeepingHandler({ db, logger, steps: [{ step: 'first', run }] });
    await handler({ complete: async () => {} } as unknown as Job);
    const [line] = lines.map((text) => JSON.parse(text));
    assert.deepEqual([lines.length, line.level, line.step, line.err], [1, 40, 'first', undefined]);
    assert.match(line.reason, /busy/);
  });

  it('a job that failed at every attempt so far is tried again, never given up', async () => {
    const { db, logger } = service.context;
    await startHousekeeping(db, []);
    await db.transaction((tx) =>
      tx.query(sql`update jobs set attempts = 25, run_at = now() where kind = 'housekeeping'`),
    );
    const outcomes: string[] = [];
    const failing = startJobs({
      db,
      logger,
      handlers: {
        [housekeepingJobKind]: async () => {
          throw new Error('everything is broken');
        },
      },
      onFinished: (_, outcome) => outcomes.push(outcome),
    });
    await eventually(() => outcomes.length > 0);
    await failing.stop();
    assert.deepEqual(outcomes, ['retry']);
    assert.equal((await jobs())[0]!.failed, false);
  });

  it("a job that an earlier release gave up is brought back; readiness and metrics tell each step's last success", async () => {
    const { db } = service.context;
    await db.transaction(async (tx) => {
      await tx.query(sql`delete from jobs where kind = 'housekeeping'`);
      await tx.query(sql`
        insert into jobs (account_id, id, kind, payload, dedupe_key, max_attempts, attempts, failed_at)
        values (${instanceAccountId}, ${crypto.randomUUID()}, 'housekeeping', '{}', 'one', 10, 10, now())`);
    });
    const began = Date.now();
    const worker = await startWorker(service.context);
    const ready = async () => (await service.call('GET', '/health/ready', { token: null })).body;
    const all = (body: { housekeeping: { lastSuccessAt: number | null }[] }) =>
      body.housekeeping.length > 10 &&
      body.housekeeping.every(
        ({ lastSuccessAt }) => lastSuccessAt !== null && lastSuccessAt > began - 60_000,
      );
    try {
      await eventually(async () => all(await ready()), 20_000);
    } finally {
      await worker.stop();
    }
    const { status, housekeeping } = await ready();
    assert.equal(status, 'ok');
    assert.ok(housekeeping.some(({ step }: { step: string }) => step === 'unused_files'));
    assert.deepEqual(
      (await jobs()).map(({ failed }) => failed),
      [false],
    );
    const { text } = await service.call('GET', '/metrics', { token: null });
    const seconds = Number(
      /talkboard_housekeeping_last_success_seconds\{step="unused_files"\} (\S+)/.exec(text)![1],
    );
    assert.ok(Math.abs(seconds * 1000 - began) < 120_000, text);
    // Another process on the same database reports the same.
    const second = await service.startSecond();
    const other = await second.call('GET', '/health/ready', { token: null });
    assert.deepEqual(other.body.housekeeping, housekeeping);
    await second.close();
  });
});
