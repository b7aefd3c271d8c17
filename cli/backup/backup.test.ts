import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { readLines } from '../../server/platform/backups/format.ts';
import { load, noFiles } from '../../server/platform/backups/load.ts';
import { createMigrationsTable, readMigrations } from '../../server/platform/db/migrate.ts';
import { runCli, runInProcess, settingsFor } from '../../test/support/cli.ts';
import { copyCluster } from '../../test/support/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { dumpTables, queryRows } from '../../test/support/dump.ts';
import { eventually } from '../../test/support/eventually.ts';
import { adminPassword, connectTo, createStage } from '../../test/support/program.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';

const stage = createStage();
after(() => stage.close());

/** Specific to the database of the row, so different after a restore. */
const transactionIds = {
  records: ['changed_xid'],
  record_deletions: ['changed_xid'],
  kanbans: ['fields_changed_xid'],
};

describe('talkboard backup and restore', () => {
  let service: TestService;
  let source: Record<string, string>;
  let file: string;
  /** Restored from the backup by the first test that uses it, and unchanged by the others. */
  let restored: { target: Record<string, string>; database: TestDatabase };
  before(async () => {
    service = await startTestService();
    const database = await createTestDatabase({ empty: true });
    restored = { target: settingsFor(database.connection, stage.newDataDir()), database };
    source = settingsFor(service.connection, stage.newDataDir());
    writeFileSync(join(source.DATA_DIR!, 'secret-key'), 'the key of the source, 32 characters long\n', {
      mode: 0o600,
    });
    await fillWithOddities(service);
  });
  after(async () => {
    await service.close();
    await restored.database.drop();
  });

  const withTarget = async (
    run: (target: Record<string, string>, database: TestDatabase) => Promise<void>,
    { empty = true } = {},
  ) => {
    const database = await createTestDatabase({ empty });
    try {
      await run(settingsFor(database.connection, stage.newDataDir()), database);
    } finally {
      await database.drop();
    }
  };
  const restore = (target: Record<string, string>, ...args: string[]) =>
    runInProcess(['restore', '--from', file, ...args], target);

  it('writes one file, for its owner only, and prints its name', async () => {
    const folder = stage.newDataDir();
    const { code, stdout, stderr } = await runInProcess(['backup', '--to', folder], source);
    assert.equal(code, 0, stderr);
    file = stdout.trim();
    const name = file.slice(folder.length + 1);
    assert.deepEqual(readdirSync(folder), [name, `${name}.json`]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(stderr, /\b1 file\b/);
  });

  it('brings back every row of every table and the files, exactly, each row as changed by the restore', async () => {
    const { target, database } = restored;
    const { code, stderr } = await restore(target);
    assert.equal(code, 0, stderr);
    const [expected, brought] = [
      await dumpTables(service.connection, transactionIds),
      await dumpTables(database.connection, transactionIds),
    ];
    for (const dump of [expected, brought]) {
      delete dump.schema_migrations;
      // The source notes a backup when it is complete: it is not in the backup itself.
      delete dump.backups;
    }
    assert.deepEqual(brought, expected);
    const key = join(target.DATA_DIR!, 'secret-key');
    assert.equal(readFileSync(key, 'utf8'), 'the key of the source, 32 characters long\n');
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.equal((await runInProcess(['migrate', '--status'], target)).stdout.includes('pending'), false);
    const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    assert.ok(!lines.some((line) => line.startsWith('{"table"') && line.includes('_xid')));
    const ahead = await queryRows(
      database.connection,
      `select id from records where changed_xid > pg_current_xact_id()
         union all select id from kanbans where fields_changed_xid > pg_current_xact_id()`,
    );
    assert.deepEqual(ahead, []);
  });

  it('does not touch a database that holds something, unless forced', () =>
    withTarget(
      async (target, database) => {
        await runInProcess(['account', 'create', '--name', 'Kept', '--email', 'kept@x.example'], target);
        const before = await dumpTables(database.connection);
        const refused = await restore(target);
        assert.equal(refused.code, 1);
        assert.match(refused.stderr, /not empty: use --force/);
        assert.deepEqual(await dumpTables(database.connection), before);
        assert.equal((await restore(target, '--force')).code, 0);
        const restored = await dumpTables(database.connection, transactionIds);
        const expected = await dumpTables(service.connection, transactionIds);
        assert.deepEqual(restored.records, expected.records);
        assert.deepEqual(restored.accounts, expected.accounts);
      },
      { empty: false },
    ));

  it('leaves everything as it was when the backup is cut off or damaged', async () => {
    const { target, database } = restored;
    const before = await dumpTables(database.connection);
    const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    const end = lines.length - 2;
    const row = lines.findIndex((line) => line.startsWith('["'));
    const spoilt: Record<string, Buffer> = {
      'cut off inside the compressed bytes': readFileSync(file).subarray(0, -200),
      'with a row that no table takes': gzipSync(lines.with(row, '["not an id"]').join('\n')),
      'with a file outside the folder': gzipSync(
        lines.toSpliced(end, 0, '{"file":"../escaped","mode":384}').join('\n'),
      ),
    };
    for (const [what, content] of Object.entries(spoilt)) {
      const path = join(stage.newDataDir(), 'spoilt.gz');
      writeFileSync(path, content);
      const { code } = await runInProcess(['restore', '--from', path, '--force'], target);
      assert.equal(code, 1, what);
      assert.deepEqual(await dumpTables(database.connection), before, what);
      assert.deepEqual(
        readdirSync(target.DATA_DIR!).filter((name) => name !== 'secret-key'),
        [],
        what,
      );
    }
    assert.equal(existsSync(join(target.DATA_DIR!, '..', 'escaped')), false);
    // What only the reader notices, without a database for each: it ends as with the first of those above.
    const misread: Record<string, [string[], RegExp]> = {
      'with a row that was changed': [
        lines.with(row, lines[row]!.replace(/[a-y](?=[^a-y]*$)/, 'z')),
        /do not match their checksum/,
      ],
      'without one row': [lines.toSpliced(row, 1), /do not match their checksum/],
      'without its end': [lines.slice(0, end), /is truncated/],
      'with more after its end': [[...lines.slice(0, -1), '{"end":true}'], /characters follow its end/],
    };
    const nowhere = { async begin() {}, async rebuild() {}, async insert() {}, async setSequence() {} };
    const readInto = (read: string[]) =>
      load({
        lines: readLines(Readable.from([gzipSync(`${read.join('\n')}\n`)])),
        target: nowhere,
        files: noFiles,
      });
    await readInto(lines.slice(0, -1));
    for (const [what, [read, message]] of Object.entries(misread)) {
      await assert.rejects(readInto(read.slice(0, read.at(-1) === '' ? -1 : undefined)), message, what);
    }
  });

  it('keeps a secret key that is there already, unless forced', () =>
    withTarget(async (target, database) => {
      const key = join(target.DATA_DIR!, 'secret-key');
      writeFileSync(key, 'another key that is in use here, 40 letters\n');
      const { code, stderr } = await restore(target);
      assert.equal(code, 1);
      assert.match(stderr, /secret-key exists with different content/);
      assert.match(readFileSync(key, 'utf8'), /another key/);
      assert.deepEqual(await dumpTables(database.connection), {});
    }));

  it('brings a backup of an older release to this one', () =>
    withTarget(async (older, olderDatabase) => {
      const migrations = readMigrations();
      const known = migrations.slice(0, 4);
      await queryRows(olderDatabase.connection, createMigrationsTable);
      for (const { name, text, checksum } of known) {
        await queryRows(olderDatabase.connection, text);
        const values = [name, checksum];
        await queryRows(olderDatabase.connection, 'insert into schema_migrations values ($1, $2)', values);
      }
      await queryRows(
        olderDatabase.connection,
        `insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at)
         values (gen_random_uuid(), 'From long ago', 1, 2, 3, 4)`,
      );
      const made = await runInProcess(['backup', '--to', stage.newDataDir()], older);
      assert.equal(made.code, 0, made.stderr);
      await withTarget(async (target, database) => {
        const { code, stderr } = await runInProcess(['restore', '--from', made.stdout.trim()], target);
        assert.equal(code, 0, stderr);
        const newer = migrations.slice(4).map(({ name }) => name);
        assert.ok(stderr.includes(`Migrations applied: ${newer.join(', ')}.`), stderr);
        const accounts = await queryRows(database.connection, 'select name, crm_per_hour from accounts');
        assert.deepEqual(accounts, [{ name: 'From long ago', crm_per_hour: 2 }]);
      });
    }));

  it('refuses a backup of a newer release', () =>
    withTarget(async (target) => {
      const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
      const head = JSON.parse(lines[0]!);
      head.version = 'v9.9.9';
      head.migrations.push({ name: '9999_later.sql', checksum: '' });
      const path = join(stage.newDataDir(), 'newer.gz');
      writeFileSync(path, gzipSync(lines.with(0, JSON.stringify(head)).join('\n')));
      const { code, stderr } = await runInProcess(['restore', '--from', path], target);
      assert.equal(code, 1);
      assert.match(stderr, /made by v9\.9\.9, which this release cannot read/);
    }));

  it('refuses to restore under a running service', async () => {
    const { code, stderr } = await restore(source, '--force');
    assert.equal(code, 1);
    assert.match(stderr, /stop all of its processes first/);
  });

  it('skips a file that a running service removes during the backup, and can be restored', async () => {
    const dataDir = stage.newDataDir();
    for (const name of ['files/kept', 'files/removed', 'files/deep/kept-too']) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      writeFileSync(join(dataDir, name), name);
    }
    // The backup has listed the files when it waits for this table.
    const client = new pg.Client(service.connection);
    await client.connect();
    await client.query('begin; lock table accounts in access exclusive mode');
    const folder = stage.newDataDir();
    const running = runInProcess(['backup', '--to', folder], { ...source, DATA_DIR: dataDir });
    await eventually(async () => {
      const rows = await queryRows(
        service.connection,
        `select 1 from pg_stat_activity where application_name = 'talkboard-backup' and wait_event_type = 'Lock'
           and datname = current_database()`,
      );
      return rows.length > 0;
    }, 30_000);
    rmSync(join(dataDir, 'files/removed'));
    await client.query('rollback');
    await client.end();
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr);
    await withTarget(async (target) => {
      const back = await runInProcess(['restore', '--from', stdout.trim()], target);
      assert.equal(back.code, 0, back.stderr);
      assert.equal(
        readFileSync(join(target.DATA_DIR!, 'files/deep/kept-too'), 'utf8'),
        'files/deep/kept-too',
      );
      assert.deepEqual(readdirSync(join(target.DATA_DIR!, 'files')).sort(), ['deep', 'kept']);
    });
  });

  it('writes neither over a file nor into DATA_DIR', async () => {
    const over = await runInProcess(['backup', '--to', file], source);
    assert.equal(over.code, 1);
    assert.match(over.stderr, /already exists/);
    const inside = await runInProcess(['backup', '--to', join(source.DATA_DIR!, 'backups', 'x.gz')], source);
    assert.equal(inside.code, 1);
    assert.match(inside.stderr, /inside DATA_DIR/);
  });

  it('moves a service with the embedded database to another folder, tokens and logins included', async () => {
    const [from, to] = [stage.newDataDir(), stage.newDataDir()];
    copyCluster(from);
    const first = await stage.start({ DATA_DIR: from, ADMIN_PASSWORD: adminPassword });
    const { token, call } = await connectTo(first.base);
    const { body: record } = await call('POST', '/crm/records', { title: 'Moved' });
    // Beside the service they start no database.
    const beside = (...args: string[]) => runInProcess(args, { DATA_DIR: from }, { startsDatabase: false });
    const backup = await beside('backup', '--to', stage.newDataDir());
    assert.equal(backup.code, 0, backup.stderr);
    const running = await beside('restore', '--from', backup.stdout.trim(), '--force');
    assert.match(running.stderr, /the service is running: stop it first/);
    await first.stop();

    const restored = await runCli(['restore', '--from', backup.stdout.trim()], { DATA_DIR: to });
    assert.equal(restored.code, 0, restored.stderr);
    const second = await stage.start({ DATA_DIR: to });
    assert.doesNotMatch(second.output(), /first start/);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${second.base}/crm/records/${record.recordId}`, { headers });
    assert.deepEqual(await answer.json(), record);
    const found = await fetch(`${second.base}/crm/search?q=moved`, { headers });
    assert.equal(((await found.json()) as { total: number }).total, 1);
    await connectTo(second.base);
    await second.stop();
  });
});

/**
 * Values that a careless text format would lose: line ends of every kind, quotes, nulls inside JSON, large numbers.
 */
async function fillWithOddities(service: TestService): Promise<void> {
  const texts = [
    'line\nend\r\n\ttab',
    'U+2028 \u2028 and \u2029',
    '\\x00 \\N "quoted" \'single\'',
    '🙂 João \u0001',
    '{}',
    '',
  ];
  const { body: field } = await service.call('POST', '/crm/fields', {
    body: { name: 'Text', type: 'textarea' },
  });
  const { body: list } = await service.call('POST', '/crm/fields', {
    body: { name: 'List', type: 'multiselect', options: ['a,b', '{c}', '"d"', 'null'] },
  });
  for (const text of texts) {
    const customFields = { [field.fieldId]: text, [list.fieldId]: ['a,b', '{c}', '"d"', 'null'] };
    const body = { title: `Odd ${text}`, customFields, assignedUserIds: [service.admin.userId] };
    const { status } = await service.call('POST', '/crm/records', { body });
    if (status !== 201) throw new Error(`creating the record answered ${status}`);
  }
  await service.call('POST', '/crm/records', {
    body: { title: 'Keyed' },
    headers: { 'idempotency-key': 'one' },
  });
  await queryRows(
    service.connection,
    `insert into jobs (account_id, id, kind, payload, max_attempts, run_at)
     values (gen_random_uuid(), gen_random_uuid(), 'odd', 'null', 1, 'infinity'),
       (gen_random_uuid(), gen_random_uuid(), 'odd', '123456789012345678901234567890.5', 1, '2026-01-01 00:00:00.123456+00')`,
  );
}
