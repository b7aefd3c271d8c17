/** Backups that the service makes by itself: by schedule and on request, one at a time, whole or not at all. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { StoredBackup } from '../../../contract/instance/backups.ts';
import { runCli, settingsFor } from '../../../test/support/cli.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { dumpTables } from '../../../test/support/dump.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createStage } from '../../../test/support/program.ts';
import { type S3Server, startS3Server } from '../../../test/support/s3-server.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { createKeyPair } from '../../platform/backups/encryption.ts';
import { listBackups } from '../../platform/backups/manifest.ts';
import { openPlace } from '../../platform/backups/places/open.ts';
import { parseKeep } from '../../platform/backups/rotation.ts';
import { lastDue, parseSchedule } from '../../platform/backups/schedule.ts';
import { noteBackup, selectBackups } from '../../platform/db/backups.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Job, LeaseLost, startJobs } from '../../platform/jobs/jobs.ts';
import { backupHandler } from './backups.jobs.ts';
import { backupJobKind, enqueueDueBackup, requestBackups } from './backups.ts';

const stage = createStage();
after(() => stage.close());

describe('backups of the service', () => {
  let service: TestService;
  let folder: string;
  before(async () => {
    service = await startTestService();
    folder = stage.newDataDir();
  });
  after(() => service.close());

  const settings = (change: object = {}) => ({
    ...service.context,
    config: {
      ...service.context.config,
      backups: {
        to: folder,
        schedule: parseSchedule('1h'),
        keep: parseKeep('2'),
        publicKeys: [] as string[],
        scratchUrl: '',
        ...change,
      },
    },
  });
  const runs = () =>
    service.context.db.query<{
      state: string;
      name: string | null;
      error: string | null;
      verified: boolean;
      removed: boolean;
    }>(sql`
      select state, name, error, verified_at is not null as verified, removed_at is not null as removed
      from backup_runs order by created_at, id`);
  const forget = () =>
    service.context.db.transaction(async (tx) => {
      await tx.query(sql`delete from backup_runs`);
      await tx.query(sql`delete from jobs where kind = ${backupJobKind}`);
    });
  const hasEnded = async () =>
    (
      await service.context.db.query(sql`
    select from backup_runs where ended_at is null`)
    ).length === 0;
  /** Two workers, as in two processes: one of them makes it. */
  const work = async (context: ReturnType<typeof settings>, isDone: () => Promise<boolean>) => {
    const { db, logger } = context;
    const handlers = { [backupJobKind]: backupHandler(context) };
    const workers = [1, 2].map(() => startJobs({ db, logger, handlers, concurrency: 1 }));
    try {
      await eventually(isDone, 60_000);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  };

  it('one is made when it is due, by one worker, once; it can be restored row by row', async () => {
    const context = settings();
    const now = lastDue(parseSchedule('1h'), service.context.clock.now()) + 1_000;
    await Promise.all([enqueueDueBackup(context, now), enqueueDueBackup(settings({ schedule: null }), now)]);
    await work(context, hasEnded);
    await enqueueDueBackup(context, now + 1);
    assert.deepEqual(
      (await runs()).map(({ state, verified }) => [state, verified]),
      [['good', true]],
    );
    const name = (await runs())[0]!.name!;
    assert.deepEqual(readdirSync(folder).sort(), [name, `${name}.json`]);
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    const database = await createTestDatabase({ empty: true });
    try {
      const target = settingsFor(database.connection, stage.newDataDir());
      const back = await runCli(['restore', '--from', join(folder, name)], target);
      assert.equal(back.code, 0, back.stderr);
      const ids = {
        records: ['changed_xid'],
        kanbans: ['fields_changed_xid'],
        record_deletions: ['changed_xid'],
      };
      const [expected, restored] = [
        await dumpTables(service.connection, ids),
        await dumpTables(database.connection, ids),
      ];
      // What the backup itself and the workers have written since.
      for (const dump of [expected, restored]) {
        for (const table of ['schema_migrations', 'backups', 'backup_runs', 'jobs']) delete dump[table];
      }
      assert.deepEqual(restored, expected);
    } finally {
      await database.drop();
    }
  });

  it('older ones are rotated away, and erasures no longer name them', async () => {
    const began = service.context.clock.now();
    for (let hour = 1; hour <= 3; hour++) {
      // Its name has the time.
      const now = () => began + hour * 3_600_000;
      const context = { ...settings(), clock: { ...service.context.clock, now } };
      await enqueueDueBackup(context, now());
      await work(context, hasEnded);
    }
    const all = await runs();
    const left = all.filter(({ removed }) => !removed).map(({ name }) => name);
    assert.equal(left.length, 2, JSON.stringify(all));
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.endsWith('.gz'))
        .sort(),
      left.toSorted(),
    );
    const named = await service.context.db.query<{ name: string }>(
      sql`select name from backups order by name`,
    );
    assert.deepEqual(
      named.map(({ name }) => name),
      left.toSorted(),
    );
  });

  it('a failed one is told: in the list, in the metrics, and in the log; it is tried again later, not at once', async () => {
    await forget();
    const blocked = join(stage.newDataDir(), 'file');
    writeFileSync(blocked, 'not a folder');
    const context = settings({ to: join(blocked, 'backups') });
    // The next hour does not begin before the test has ended.
    const now = lastDue(parseSchedule('1h'), service.context.clock.now()) + 1_000;
    await enqueueDueBackup(context, now);
    await work(context, hasEnded);
    const [failed] = await runs();
    assert.equal(failed!.state, 'failed');
    assert.match(failed!.error!, /ENOTDIR/);
    await enqueueDueBackup(context, now + 60_000);
    assert.equal((await runs()).length, 1);
    const { body } = await service.call('GET', '/admin/backups', { token: service.admin.jwt });
    assert.equal(body.backups[0].state, 'failed');
    assert.equal(body.place, null);
    assert.equal(body.everyHours, null);
    assert.deepEqual(body.keep, { last: 0, days: 7, weeks: 4, months: 6 });
    const { text } = await service.call('GET', '/metrics', { token: null });
    assert.match(text, /^talkboard_backup_failed 1$/m);
    const off = await service.call('POST', '/admin/backups', { token: service.admin.jwt });
    assert.equal(off.status, 409);
    assert.match(off.text, /BACKUP_TO is not set/);
    // From when it has ended.
    await enqueueDueBackup(context, service.context.clock.now() + 31 * 60_000);
    assert.equal((await runs()).length, 2);
  });

  it('what is in the place is listed in pages, and a run whose file is gone is marked', async () => {
    await forget();
    const place = stage.newDataDir();
    const made = settings({ to: place });
    await enqueueDueBackup(made, service.context.clock.now());
    await work(made, hasEnded);
    const name = (await runs())[0]!.name!;
    const others = ['talkboard-20200101-000000.backup.gz', 'talkboard-eu2-20200101-000000.backup.gz.age'];
    for (const other of others) writeFileSync(join(place, other), 'unfinished');
    writeFileSync(join(place, 'notes.txt'), 'not a backup');
    // Such a manifest says nothing about its backup, and hides no other one.
    mkdirSync(join(place, `${others[0]}.json`));
    // The routes read the settings of the service.
    const { backups } = service.context.config;
    const before = backups.to;
    backups.to = place;
    try {
      const get = (path: string) => service.call('GET', path, { token: service.admin.jwt });
      const first = await get('/admin/backups/stored?limit=1');
      assert.equal(first.status, 200, first.text);
      const [stored] = first.body.items;
      assert.deepEqual(
        [stored.name, stored.cell, stored.isGood, stored.isEncrypted, stored.bytes],
        [name, 'home', true, false, statSync(join(place, name)).size],
      );
      assert.ok(stored.verifiedAt >= stored.createdAt);
      const rest = await get(`/admin/backups/stored?nextToken=${first.body.nextToken}`);
      const listed = rest.body.items.map((one: StoredBackup) => [
        one.name,
        one.cell,
        one.isEncrypted,
        one.isGood,
      ]);
      assert.deepEqual(listed, [
        [others[1], 'eu2', true, false],
        [others[0], 'home', false, false],
      ]);
      assert.equal(rest.body.nextToken, null);
      assert.equal((await get('/admin/backups')).body.backups[0].isMissing, false);
      rmSync(join(place, name));
      assert.equal((await get('/admin/backups')).body.backups[0].isMissing, true);
      backups.to = join(place, 'notes.txt');
      const broken = await get('/admin/backups/stored');
      assert.deepEqual([broken.status, broken.body.code], [503, 'UNAVAILABLE'], broken.text);
      assert.equal((await get('/admin/backups')).status, 200);
      backups.to = '';
      assert.deepEqual((await get('/admin/backups/stored')).body, { items: [], nextToken: null });
    } finally {
      backups.to = before;
    }
  });

  it('what a killed process left is removed, is never listed as good, and the backup is made again', async () => {
    await forget();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const context = settings();
    await enqueueDueBackup(context, service.context.clock.now());
    const unfinished = 'talkboard-20200101-000000.backup.gz';
    const draft = `${unfinished}.0.partial`;
    writeFileSync(join(folder, unfinished), 'whole, but not compared');
    writeFileSync(join(folder, draft), 'half');
    await context.db.transaction(async (tx) => {
      await tx.query(sql`update backup_runs set state = 'writing', name = ${unfinished}, draft = ${draft}`);
      await noteBackup(tx, unfinished, context.clock.now());
    });
    const place = openPlace(context.config, folder);
    assert.deepEqual(
      (await listBackups(place)).map(({ name, manifest }) => [name, manifest]),
      [[unfinished, null]],
    );
    await work(context, hasEnded);
    const [run] = await runs();
    assert.equal(run!.state, 'good', run!.error ?? '');
    assert.deepEqual(readdirSync(folder).sort(), [run!.name, `${run!.name}.json`]);
    const named = (await selectBackups(context.db)).map(({ name }) => name);
    assert.ok(named.includes(run!.name!) && !named.includes(unfinished), String(named));
  });

  it('a killed process that had written the manifest has made it: nothing is removed', async () => {
    await forget();
    const context = settings();
    const [name] = readdirSync(folder).filter((one) => one.endsWith('.gz'));
    await enqueueDueBackup(context, service.context.clock.now());
    await context.db.transaction((tx) =>
      tx.query(sql`update backup_runs set state = 'verifying', name = ${name}`),
    );
    await work(context, hasEnded);
    const [run] = await runs();
    assert.deepEqual([run!.state, run!.verified, run!.name], ['good', true, name], run!.error ?? '');
    assert.deepEqual(readdirSync(folder).sort(), [name, `${name}.json`]);
  });

  it('a folder that had backups and is missing fails the run, and is not created again', async () => {
    await forget();
    const lost = join(stage.newDataDir(), 'backups');
    const now = service.context.clock.now();
    await enqueueDueBackup(settings({ to: lost }), now);
    await work(settings({ to: lost }), hasEnded);
    assert.equal((await runs())[0]!.state, 'good', 'the first one creates it');
    rmSync(lost, { recursive: true });
    await enqueueDueBackup(settings({ to: lost }), now + 2 * 3_600_000);
    assert.equal((await runs()).length, 2);
    await work(settings({ to: lost }), hasEnded);
    const [, failed] = await runs();
    assert.equal(failed!.error, `the folder ${lost} is missing: is its disk mounted?`);
    assert.throws(() => readdirSync(lost), { code: 'ENOENT' });
    await forget();
  });

  it('a file in place of the folder is called one', async () => {
    const file = join(stage.newDataDir(), 'file');
    writeFileSync(file, 'not a folder');
    const place = openPlace(service.context.config, file);
    await assert.rejects(place.list(), { message: `${file} is a file, not a folder` });
    await assert.rejects(place.write('one', Readable.from(['x'])), {
      message: `${file} is a file, not a folder`,
    });
  });

  it('a run of another place fails, and touches neither place', async () => {
    const unfinished = 'talkboard-20200101-000000.backup.gz';
    writeFileSync(join(folder, unfinished), 'would be removed in its own place');
    const before = readdirSync(folder).sort();
    for (const to of ['', stage.newDataDir()]) {
      await forget();
      await enqueueDueBackup(settings(), service.context.clock.now());
      await service.context.db.transaction((tx) =>
        tx.query(sql`update backup_runs set state = 'writing', name = ${unfinished}`),
      );
      await work(settings({ to }), hasEnded);
      const [run] = await runs();
      assert.equal(run!.state, 'failed');
      assert.match(run!.error!, /^BACKUP_TO is no longer /);
      assert.deepEqual(readdirSync(folder).sort(), before);
      if (to !== '') assert.deepEqual(readdirSync(to), []);
    }
  });

  it('a process that has lost the job does not end the run', async () => {
    await forget();
    const blocked = join(stage.newDataDir(), 'file');
    writeFileSync(blocked, 'not a folder');
    const context = settings({ to: join(blocked, 'backups') });
    await enqueueDueBackup(context, service.context.clock.now());
    const [{ runId }] = (await context.db.query<{ runId: string }>(
      sql`select payload ->> 'runId' as "runId" from jobs where kind = ${backupJobKind}`,
    )) as [{ runId: string }];
    const lost = {
      payload: { runId },
      isStopping: () => false,
      keep: async () => {
        throw new LeaseLost('taken over');
      },
    };
    await assert.rejects(backupHandler(context)(lost as unknown as Job), LeaseLost);
    assert.equal(await hasEnded(), false);
  });

  it('several requests at once, and a schedule that is due meanwhile, make one run with one job', async () => {
    await forget();
    const context = settings();
    const { instanceDb, db, clock } = service.context;
    const jobsOf = () =>
      db.query<{ runId: string }>(
        sql`select payload ->> 'runId' as "runId" from jobs where kind = ${backupJobKind}`,
      );
    const request = () =>
      requestBackups({ config: context.config, instanceDb, homes: [{ db, cell: 'home' }] }, clock.now());
    const [[first], [second]] = await Promise.all([request(), request()]);
    assert.equal(first!.id, second!.id);
    assert.deepEqual(await jobsOf(), [{ runId: first!.id }]);
    await enqueueDueBackup(context, clock.now() + 59 * 60_000);
    assert.equal((await runs()).length, 1);
    // The process was killed between the two.
    await db.transaction((tx) => tx.query(sql`delete from jobs where kind = ${backupJobKind}`));
    await request();
    assert.deepEqual(await jobsOf(), [{ runId: first!.id }]);
    // Its worker was killed at every attempt.
    await enqueueDueBackup(settings({ schedule: null }), clock.now() + 61 * 60_000);
    const [run, ...others] = await runs();
    assert.deepEqual([run!.state, run!.error, others], ['failed', 'the process that made it has ended', []]);
    await request();
    assert.equal((await runs()).length, 2);
  });

  it('a bucket, encrypted: verified without the private key', async () => {
    await forget();
    const s3: S3Server = await startS3Server();
    try {
      const { publicKey, privateKey } = await createKeyPair();
      const context = settings({ to: 's3://files/backups', publicKeys: [publicKey] });
      context.config.s3 = {
        ...context.config.s3,
        endpoint: s3.url,
        accessKeyId: 'S3RVER',
        secretAccessKey: 'S3RVER',
        forcePathStyle: true,
      };
      await enqueueDueBackup(context, service.context.clock.now());
      await work(context, hasEnded);
      const [run] = await runs();
      assert.deepEqual([run!.state, run!.verified], ['good', true], run!.error ?? '');
      const place = openPlace(context.config, 's3://files/backups');
      const [listed] = await listBackups(place);
      assert.equal(listed!.name, run!.name);
      const stored = Buffer.concat(await (await place.read(run!.name!))!.toArray());
      assert.ok(stored.subarray(0, 30).toString().startsWith('age-encryption.org/v1'));
      assert.ok(!stored.includes(privateKey));
      await place.close();
    } finally {
      await s3.stop();
    }
  });
});
