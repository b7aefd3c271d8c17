import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runInProcess, settingsFor } from '../../test/support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { queryRows } from '../../test/support/dump.ts';
import { createStage } from '../../test/support/program.ts';
import { startOidcServer } from '../../test/support/providers/oidc-server.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { startSmtpServer } from '../../test/support/smtp-server.ts';

const checks = [
  'node',
  'settings',
  'database',
  'migrations',
  'storage',
  'ffmpeg',
  'transcription',
  'mail',
  'provider',
];

describe('talkboard doctor', () => {
  const stage = createStage();
  let database: TestDatabase;
  let settings: Record<string, string>;
  const emptyFolder = stage.newDataDir();
  before(async () => {
    database = await createTestDatabase();
    settings = settingsFor(database.connection, stage.newDataDir());
  });
  after(async () => {
    await database.drop();
    await stage.close();
  });

  const examine = async (settingsOfCase: Record<string, string>) => {
    // By default without the ffmpeg of this machine: asking it takes longer than everything else.
    const env = { PATH: emptyFolder, ...settingsOfCase };
    const { code, stdout } = await runInProcess(['doctor', '--json'], env, { startsDatabase: false });
    return { code, findings: JSON.parse(stdout) };
  };

  it('finds everything in order', async () => {
    const { code, stdout } = await runInProcess(['doctor'], settings);
    assert.equal(code, 0, stdout);
    for (const name of checks) assert.match(stdout, new RegExp(`^(ok|warn) +${name} `, 'm'));
    assert.match(stdout, /database +PostgreSQL \d+\S* \(the server of DATABASE_URL\)/);
  });

  it('fails on a database without tables, and on migrations of a newer release; warns of pending ones', async () => {
    const empty = await createTestDatabase({ empty: true });
    try {
      const env = { ...settings, ...settingsFor(empty.connection, settings.DATA_DIR!) };
      const none = await examine(env);
      assert.equal(none.code, 1);
      assert.equal(none.findings.migrations.status, 'fail');
      assert.match(none.findings.migrations.message, /has no tables of the service/);
      await runInProcess(['migrate'], env);
      await queryRows(empty.connection, `delete from schema_migrations where name like '0001%'`);
      const pending = await examine(env);
      assert.equal(pending.code, 0);
      assert.equal(pending.findings.migrations.status, 'warn');
      assert.match(pending.findings.migrations.message, /pending: 0001_accounts\.sql/);
      assert.equal(pending.findings.backups.status, 'warn', 'an instance without backups');
      assert.match(pending.findings.backups.message, /BACKUP_TO is not set/);
      await queryRows(
        empty.connection,
        `insert into schema_migrations (name, checksum) values ('9999_later.sql', '')`,
      );
      const newer = await examine(env);
      assert.equal(newer.code, 1);
      assert.match(newer.findings.migrations.message, /9999_later\.sql, which this release does not know/);
    } finally {
      await empty.drop();
    }
  });

  it('fails with 1 when the database cannot be reached, and keeps its password to itself', async () => {
    const secret = 'not-for-the-terminal';
    const env = { ...settings, DATABASE_URL: `postgres://talkboard:${secret}@127.0.0.1:1/talkboard` };
    const { code, stdout, stderr } = await runInProcess(['doctor', '--json'], env);
    assert.equal(code, 1);
    const { ok, database: finding } = JSON.parse(stdout);
    assert.equal(ok, false);
    assert.equal(finding.status, 'fail');
    assert.match(finding.message, /ECONNREFUSED/);
    assert.ok(!(stdout + stderr).includes(secret));
  });

  it('fails with 1 and names the settings that are wrong', async () => {
    const { code, findings } = await examine({ ...settings, LOG_LEVEL: 'loud' });
    assert.equal(code, 1);
    assert.equal(findings.settings.status, 'fail');
    assert.match(findings.settings.message, /LOG_LEVEL: must be one of/);
  });

  it('fails when backups of any cell fail, are late, or were never good', async () => {
    const own = await createTestDatabase();
    try {
      const env = {
        ...settingsFor(own.connection, stage.newDataDir()),
        BACKUP_TO: stage.newDataDir(),
        BACKUP_SCHEDULE: '1h',
        // Not asked here: the runs of all cells are in the home cell.
        CELLS: 'eu2=postgres://talkboard@127.0.0.1:1/talkboard',
      };
      const hourMs = 3_600_000;
      const examineWith = async (cell: string, state: string, hoursAgo: number) => {
        const at = Date.now() - hoursAgo * hourMs;
        await queryRows(
          own.connection,
          `insert into backup_runs (id, cell, cause, state, place, error, created_at, updated_at, ended_at)
           values (gen_random_uuid(), $1, 'schedule', $2, 'x', 'no room', $3, $3, $4)`,
          [cell, state, at, state === 'writing' ? null : at],
        );
        return (await examine(env)).findings.backups;
      };
      const begun = await examineWith('home', 'writing', 1);
      assert.notEqual(begun.status, 'fail', begun.message);
      const never = await examineWith('home', 'writing', 3);
      assert.equal(never.status, 'fail');
      assert.match(never.message, /^there is no good backup; the first was begun at /);
      const late = await examineWith('home', 'good', 5);
      assert.match(late.message, /^the last backup is of /);
      const good = await examineWith('home', 'good', 0);
      assert.notEqual(good.status, 'fail', good.message);
      const failed = await examineWith('eu2', 'failed', 1);
      assert.equal(failed.status, 'fail');
      assert.match(failed.message, /^the last backup of the cell eu2 failed: no room/);
    } finally {
      await own.drop();
    }
  });

  it('names the servers, and which of them takes writes', async () => {
    const { findings } = await examine(settings);
    assert.equal(findings.servers.status, 'ok');
    assert.match(findings.servers.message, /: PostgreSQL \d+\S*, takes writes$/);
  });

  it('--database tries everything that the service needs, and leaves nothing behind', async () => {
    const url = settings.DATABASE_URL!;
    const env = { DATA_DIR: settings.DATA_DIR! };
    const { code, stdout } = await runInProcess(['doctor', '--database', url, '--json'], env, {
      startsDatabase: false,
    });
    assert.equal(code, 0, stdout);
    const { ok, version: _, ...findings } = JSON.parse(stdout);
    assert.equal(ok, true);
    assert.ok(Object.keys(findings).length >= 11, stdout);
    const left = await queryRows(
      database.connection,
      `select nspname from pg_namespace where nspname like 'talkboard_check%'`,
    );
    assert.deepEqual(left, []);
    const wrong = await runInProcess(['doctor', '--database', 'mysql://x'], settings);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /must be a URL that begins with postgres:/);
  });

  it('makes nothing where nothing is yet', async () => {
    const folder = join(stage.newDataDir(), 'not', 'yet');
    const { code, findings } = await examine({ DATA_DIR: folder });
    assert.equal(code, 0);
    assert.match(findings.database.message, /the first start creates it/);
    assert.equal(existsSync(folder), false);
  });

  it('fails when DATA_DIR is not a folder', async () => {
    const file = join(stage.newDataDir(), 'file');
    writeFileSync(file, '');
    const { code, findings } = await examine({ ...settings, DATA_DIR: file });
    assert.equal(code, 1);
    assert.equal(findings.storage.status, 'fail');
  });

  it("reports which engine converts voice messages: the system's ffmpeg or the WASM build", async () => {
    const folder = stage.newDataDir();
    const without = await examine({ ...settings, PATH: folder });
    assert.equal(without.findings.ffmpeg.status, 'warn');
    assert.match(without.findings.ffmpeg.message, /WASM/);
    assert.match(without.findings.ffmpeg.advice, /Install ffmpeg/);
    const write = (encoder: string) =>
      writeFileSync(join(folder, 'ffmpeg'), `#!/bin/sh\necho ffmpeg version 7.1\necho ${encoder}\n`, {
        mode: 0o755,
      });
    write('libvorbis');
    const unable = await examine({ ...settings, PATH: `${folder}` });
    assert.match(unable.findings.ffmpeg.message, /WASM/, 'one that cannot write Opus is of no use');
    write('libopus');
    const found = await examine({ ...settings, PATH: `${folder}:/usr/bin:/bin` });
    assert.deepEqual(found.findings.ffmpeg, { status: 'ok', message: "ffmpeg version 7.1 (the system's)" });
    assert.match(found.findings.transcription.message, /offline recogniser/);
  });

  it('tries the mail server of SMTP_URL', async () => {
    const smtp = await startSmtpServer();
    const mail = { ...settings, SMTP_URL: smtp.url, MAIL_FROM: 'hello@example.com' };
    const reached = await examine(mail);
    await smtp.close();
    const gone = await examine(mail);
    assert.equal(reached.findings.mail.status, 'ok');
    assert.deepEqual([gone.code, gone.findings.mail.status], [1, 'fail']);
    assert.match(gone.findings.mail.advice, /SMTP_URL/);
  });

  it('tries the sign-in provider: its issuer, the redirect address, the client and its secret', async (t) => {
    const provider = await startOidcServer();
    let isClosed = false;
    const close = async () => {
      if (!isClosed) await provider.close();
      isClosed = true;
    };
    t.after(close);
    const base = 'https://talk.example.com';
    const env = { ...settings, ...provider.env, PUBLIC_URL: base };
    const redirect = `${base}/auth/oidc/callback`;
    const judged = async (more: Record<string, string> = {}) =>
      (await examine({ ...env, ...more })).findings.provider;
    const unregistered = await judged();
    assert.equal(unregistered.status, 'fail');
    assert.ok(unregistered.advice.includes(redirect), unregistered.advice);
    provider.callbacks.add(redirect);
    assert.deepEqual(await judged(), {
      status: 'ok',
      message: `${provider.issuer}, redirect address ${redirect}`,
    });
    const secret = 'another secret of the client';
    const wrongSecret = await judged({ OIDC_CLIENT_SECRET: secret });
    assert.equal(wrongSecret.status, 'fail');
    assert.match(wrongSecret.advice, /OIDC_CLIENT_SECRET/);
    assert.ok(!JSON.stringify(wrongSecret).includes(secret));
    const otherName = await judged({ OIDC_ISSUER: provider.issuer.replace('127.0.0.1', 'localhost') });
    assert.equal(otherName.status, 'fail');
    assert.match(otherName.message, new RegExp(`it calls itself ${provider.issuer}`));
    assert.match(otherName.advice, /OIDC_ISSUER/);
    await close();
    const gone = await judged();
    assert.equal(gone.status, 'fail');
    assert.match(gone.message, /ECONNREFUSED/);
  });

  it('looks whether the transcriber and the bucket can be reached', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const key = 'secret-of-the-bucket';
    const bucket = await startS3Server();
    const s3 = bucket.env;
    const reached = await examine({
      ...settings,
      ...s3,
      TRANSCRIBE_URL: address,
      TRANSCRIBE_API_KEY: key,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    });
    const guarded = await examine({ ...settings, TRANSCRIBE_URL: address });
    await new Promise((resolve) => server.close(resolve));
    const wrongKey = await examine({ ...settings, ...s3, S3_SECRET_ACCESS_KEY: key });
    const absent = await examine({ ...settings, ...s3, S3_BUCKET: 'absent' });
    await bucket.stop();
    for (const { findings } of [wrongKey, absent]) {
      assert.equal(findings.storage.status, 'fail');
      assert.match(findings.storage.advice, /S3_BUCKET, the keys/);
      assert.ok(!JSON.stringify(findings).includes(key));
    }
    assert.equal(reached.findings.storage.status, 'ok');
    assert.match(reached.findings.storage.message, /bucket files at 127\.0\.0\.1/);
    assert.equal(reached.findings.transcription.status, 'ok');
    assert.ok(!JSON.stringify(reached.findings).includes(key));
    const gone = await examine({ ...settings, ...s3, S3_ENDPOINT: address, TRANSCRIBE_URL: address });
    assert.equal(guarded.findings.transcription.status, 'fail');
    assert.match(guarded.findings.transcription.advice, /OUTBOUND_ALLOW/);
    assert.equal(gone.code, 1);
    assert.equal(gone.findings.storage.status, 'fail');
    assert.equal(gone.findings.transcription.status, 'fail');
  });
});
