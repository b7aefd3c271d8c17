/** Backups as they are made for real: encrypted, in a folder or a bucket, verified, and one account out of them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { accountDeletionJobKind } from '../../server/features/accounts/accounts.ts';
import { accountDeletionHandler } from '../../server/features/privacy/account-deletion/account-deletion.jobs.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { startJobs } from '../../server/platform/jobs/jobs.ts';
import { runInProcess, settingsFor, settingsOf } from '../../test/support/cli.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { type Dump, dumpTables } from '../../test/support/dump.ts';
import { eventually } from '../../test/support/eventually.ts';
import { createStage } from '../../test/support/program.ts';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';

const stage = createStage();
after(() => stage.close());

/** Specific to the database of the row, so different after a restore. */
const transactionIds = {
  records: ['changed_xid'],
  record_deletions: ['changed_xid'],
  kanbans: ['fields_changed_xid'],
};

describe('encrypted backups', () => {
  let service: TestService;
  let s3: S3Server;
  let source: Record<string, string>;
  let keyFile: string;
  let otherKeyFile: string;
  let publicKey: string;
  let folder: string;
  let file: string;
  let branch: Awaited<ReturnType<TestService['createAccount']>>;
  before(async () => {
    service = await startTestService();
    s3 = await startS3Server();
    folder = stage.newDataDir();
    source = { ...settingsOf(service), BACKUP_TO: folder };
    branch = await service.createAccount('Branch');
    for (const title of ['One', 'Two 🙂', 'Three\nlines']) {
      const { status } = await service.call('POST', '/crm/records', { token: branch.token, body: { title } });
      assert.equal(status, 201);
      await service.call('POST', '/crm/records', { body: { title } });
    }
  });
  after(async () => {
    await service.close();
    await s3.stop();
  });

  it('keygen writes a private key for its owner only, never over a file, and prints the public one', async () => {
    const keys = stage.newDataDir();
    keyFile = join(keys, 'one.key');
    otherKeyFile = join(keys, 'other.key');
    const made = await runInProcess(['backup', 'keygen', '--to', keyFile], source);
    assert.equal(made.code, 0, made.stderr);
    publicKey = made.stdout.trim();
    assert.match(publicKey, /^age1[a-z0-9]{50,}$/);
    assert.equal(statSync(keyFile).mode & 0o777, 0o600);
    assert.match(readFileSync(keyFile, 'utf8'), /\nAGE-SECRET-KEY-1/);
    const before = readFileSync(keyFile, 'utf8');
    assert.equal((await runInProcess(['backup', 'keygen', '--to', keyFile], source)).code, 1);
    assert.equal(readFileSync(keyFile, 'utf8'), before);
    assert.equal((await runInProcess(['backup', 'keygen', '--to', otherKeyFile], source)).code, 0);
    const wrong = await runInProcess(
      ['backup', '--public-key', readFileSync(keyFile, 'utf8').split('\n')[2]!],
      source,
    );
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /is a private key/);
  });

  it('an encrypted backup is verified without the private key, and listed', async () => {
    const made = await runInProcess(['backup', '--public-key', publicKey, '--verify'], source);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stderr, /Verified/);
    file = made.stdout.trim();
    assert.match(file, /\.backup\.gz\.age$/);
    assert.ok(!readFileSync(file).includes('talkboardBackup'));
    const listed = await runInProcess(['backup', 'list'], source);
    assert.match(listed.stdout, /^talkboard-\S+\.age {2}verified {2}\d/);
    // Other test files have scratch databases on the same server, which go too.
    const scratch = async () =>
      (
        await service.context.db.query<{ name: string }>(
          sql`select datname as name from pg_database where datname like 'talkboard_scratch_%'`,
        )
      ).map(({ name }) => name);
    const seen = await scratch();
    await eventually(async () => {
      const left = await scratch();
      return !seen.some((name) => left.includes(name));
    }, 120_000);
  });

  it('verify and restore need the right key', async () => {
    const verify = (...args: string[]) => runInProcess(['backup', 'verify', '--from', file, ...args], source);
    const none = await verify();
    assert.equal(none.code, 1);
    assert.match(none.stderr, /give the private key with --key/);
    const wrong = await verify('--key', otherKeyFile);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /encrypted to another public key/);
    const right = await verify('--key', keyFile);
    assert.equal(right.code, 0, right.stderr);
    assert.match(right.stdout, /is good/);
  });

  it('a restored encrypted backup has every row; a wrong key or a damaged file changes nothing', async () => {
    const database = await createTestDatabase({ empty: true });
    try {
      const target = settingsFor(database.connection, stage.newDataDir());
      const damaged = join(stage.newDataDir(), 'damaged.age');
      const bytes = readFileSync(file);
      bytes[bytes.length - 100]! ^= 1;
      writeFileSync(damaged, bytes);
      const cut = join(stage.newDataDir(), 'cut.age');
      writeFileSync(cut, bytes.subarray(0, 70_000));
      for (const [from, key] of [
        [file, otherKeyFile],
        [damaged, keyFile],
        [cut, keyFile],
      ]) {
        const refused = await runInProcess(['restore', '--from', from!, '--key', key!], target);
        assert.equal(refused.code, 1, from);
        assert.doesNotMatch(refused.stderr, /\n\s+at /, 'no stack');
        assert.deepEqual(await dumpTables(database.connection), {});
        assert.equal(
          (await runInProcess(['backup', 'verify', '--from', from!, '--key', key!], source)).code,
          1,
        );
      }
      const back = await runInProcess(['restore', '--from', file, '--key', keyFile], target);
      assert.equal(back.code, 0, back.stderr);
      const [expected, restored] = [
        await dumpTables(service.connection, transactionIds),
        await dumpTables(database.connection, transactionIds),
      ];
      for (const dump of [expected, restored]) {
        delete dump.schema_migrations;
        delete dump.backups;
      }
      assert.deepEqual(restored, expected);
    } finally {
      await database.drop();
    }
  });

  it('a bucket takes backups and holds files, and both come back', async () => {
    const dataDir = stage.newDataDir();
    const env = { ...source, ...s3.env, DATA_DIR: dataDir, BACKUP_TO: 's3://files/kept/here' };
    const key = 'ab/cd/0001';
    await service.context.db.query(sql`select 1`);
    const { createBlobStore } = await import('../../server/platform/blobs/blob-store.ts');
    const { readConfig } = await import('../../server/config.ts');
    const blobs = createBlobStore(readConfig(env));
    const large = Buffer.alloc(3_000_000, 'large ');
    async function* content() {
      yield large;
    }
    await blobs.place(await blobs.drafts.receive(content(), 4_000_000, () => new Error()), key, 'text/plain');
    for (const name of ['first', 'second']) {
      const made = await runInProcess(['backup', '--verify', '--public-key', publicKey], env);
      assert.equal(made.code, 0, `${name}: ${made.stderr}`);
      assert.match(made.stdout, /^s3:\/\/files\/kept\/here\/talkboard-/);
      // Also the second time: a backup does not hold the one before.
      assert.match(made.stderr, /\b1 file\b/);
    }
    // Nor one of an earlier place.
    const elsewhere = { ...env, BACKUP_TO: stage.newDataDir() };
    const later = await runInProcess(['backup'], elsewhere);
    assert.match(later.stderr, /\b1 file\b/);
    const refused = await runInProcess(['backup', '--to', 's3://files/kept/here'], elsewhere);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /must not be in S3_BUCKET/);
    const listed = JSON.parse((await runInProcess(['backup', 'list', '--json'], env)).stdout);
    assert.deepEqual(
      listed.map((one: { manifest: { verifiedAt: number } }) => one.manifest.verifiedAt > 0),
      [true, true],
    );
    await blobs.delete(key);
    const database = await createTestDatabase({ empty: true });
    try {
      const target = { ...env, ...settingsFor(database.connection, stage.newDataDir()) };
      const back = await runInProcess(['restore', '--from', listed[0].name, '--key', keyFile], target);
      assert.equal(back.code, 0, back.stderr);
      const stored = await blobs.open(key);
      assert.ok(Buffer.concat(await stored!.toArray()).equals(large));
    } finally {
      await database.drop();
      await blobs.close();
    }
  });

  describe('one account', () => {
    const rowsOf = (dump: Dump, accountId: string): Dump =>
      Object.fromEntries(
        Object.entries(dump)
          .filter(([name]) => !notRestored.test(name))
          .map(([name, rows]) => [name, rows.filter((row) => row.includes(accountId))] as const)
          .filter(([, rows]) => rows.length > 0),
      );
    /** Live updates begin anew; the log of the instance says that it was deleted; accounts are compared below. */
    const notRestored = /^(live_|audit_log|accounts$|backups|jobs|events$)/;
    const others = (dump: Dump): Dump =>
      Object.fromEntries(
        Object.entries(dump)
          .filter(([name]) => !/^(live_|housekeeping)/.test(name))
          .map(([name, rows]) => [name, rows.filter((row) => !row.includes(branch.accountId))]),
      );
    const back = (...args: string[]) =>
      runInProcess(
        [
          'account',
          'restore',
          '--from',
          file,
          '--key',
          keyFile,
          '--account',
          branch.accountId,
          '--confirm',
          'Branch',
          ...args,
        ],
        source,
      );
    let before: Dump;
    const filePath = () => join(service.context.config.dataDir, 'files', branch.accountId, 'ab', 'kept');

    it('is refused while it exists', async () => {
      const { mkdirSync } = await import('node:fs');
      mkdirSync(join(filePath(), '..'), { recursive: true });
      writeFileSync(filePath(), 'of the branch');
      const made = await runInProcess(['backup', '--public-key', publicKey], source);
      assert.equal(made.code, 0, made.stderr);
      file = made.stdout.trim();
      before = await dumpTables(service.connection, transactionIds);
      const refused = await back();
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /exists: delete it first/);
      // Damage is told before the advice to delete anything.
      const good = file;
      file = `${good}-damaged`;
      const bytes = readFileSync(good);
      writeFileSync(file, bytes.subarray(0, bytes.length - 20));
      const damaged = await back();
      file = good;
      assert.equal(damaged.code, 1);
      assert.match(damaged.stderr, /damaged|incomplete|cannot be (read|decrypted)/);
      assert.doesNotMatch(damaged.stderr, /delete it first/);
      assert.deepEqual(await dumpTables(service.connection, transactionIds), before);
    });

    it('comes back with its rows and files after it was deleted; others stay as they are', async () => {
      const { context } = service;
      const gone = await service.call('DELETE', `/admin/accounts/${branch.accountId}?name=Branch`, {
        token: service.admin.jwt,
      });
      assert.equal(gone.status, 202);
      const jobs = startJobs({
        db: context.db,
        logger: context.logger,
        handlers: { [accountDeletionJobKind]: accountDeletionHandler(context) },
      });
      try {
        await eventually(
          async () =>
            (await context.db.query(sql`select from jobs where kind = ${accountDeletionJobKind}`)).length ===
            0,
          60_000,
        );
      } finally {
        await jobs.stop();
      }
      const { rmSync } = await import('node:fs');
      rmSync(filePath(), { force: true });
      const deleted = await dumpTables(service.connection, transactionIds);
      assert.deepEqual(rowsOf(deleted, branch.accountId), {});

      const misspelt = await back('--confirm', 'branch');
      assert.equal(misspelt.code, 1);
      assert.match(misspelt.stderr, /--confirm must be "Branch"/);
      assert.deepEqual(await dumpTables(service.connection, transactionIds), deleted);
      assert.equal(existsSync(filePath()), false);

      const inside = await runInProcess(
        ['account', 'restore', '--list', '--from', file, '--key', keyFile],
        source,
      );
      assert.equal(inside.code, 0, inside.stderr);
      assert.ok(inside.stdout.split('\n').includes(`${branch.accountId}  Branch`), inside.stdout);
      const unknown = await back('--account', 'Nobody');
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /no account with the id or name "Nobody"/);

      const restored = await back('--account', 'Branch');
      assert.equal(restored.code, 0, restored.stderr);
      const now = await dumpTables(service.connection, transactionIds);
      assert.deepEqual(rowsOf(now, branch.accountId), rowsOf(before, branch.accountId));
      assert.deepEqual(others(now), others(deleted));
      assert.equal(readFileSync(filePath(), 'utf8'), 'of the branch');
      assert.deepEqual(
        readdirSync(join(filePath(), '..')).filter((name) => name.endsWith('.restoring')),
        [],
      );

      const { body: log } = await service.call('GET', '/audit-log', { token: service.admin.jwt });
      const entry = log.items.find((one: { action: string }) => one.action === 'account.restored');
      assert.deepEqual(
        [entry.target.id, entry.changes.name, entry.changes.backup],
        [branch.accountId, 'Branch', basename(file)],
      );
      const own = await context.db.query(sql`
        select from audit_log where account_id = ${branch.accountId} and action = 'account.restored'`);
      assert.equal(own.length, 1);

      assert.equal((await service.call('GET', '/crm/records', { token: branch.token })).status, 403);
      const resumed = await runInProcess(['account', 'resume', '--account', branch.accountId], source);
      assert.equal(resumed.code, 0, resumed.stderr);
      await eventually(
        async () =>
          (await service.call('GET', '/crm/records', { token: branch.token })).body.items?.length === 3,
      );
    });

    it('is refused while another account has an e-mail address of it', async () => {
      const { db } = service.context;
      const missing = await runInProcess(
        [
          'account',
          'restore',
          '--from',
          file,
          '--key',
          keyFile,
          '--confirm',
          'x',
          '--account',
          crypto.randomUUID(),
        ],
        source,
      );
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /the backup holds no account/);
      const database = await createTestDatabase();
      try {
        const target = { ...source, ...settingsFor(database.connection, stage.newDataDir()) };
        const [user] = await db.query<{ email: string }>(
          sql`select email from users where account_id = ${branch.accountId}`,
        );
        const other = await runInProcess(
          ['account', 'create', '--name', 'Other', '--email', user!.email],
          target,
        );
        assert.equal(other.code, 0, other.stderr);
        const before = await dumpTables(database.connection);
        const refused = await runInProcess(
          [
            'account',
            'restore',
            '--from',
            file,
            '--key',
            keyFile,
            '--account',
            branch.accountId,
            '--confirm',
            'Branch',
          ],
          target,
        );
        assert.equal(refused.code, 1);
        assert.match(refused.stderr, new RegExp(`have these e-mail addresses now: ${user!.email}`));
        assert.deepEqual(await dumpTables(database.connection), before);
      } finally {
        await database.drop();
      }
    });
  });
});
