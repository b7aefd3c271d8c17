/** Files that are no good backups: each command says why in one sentence, and changes nothing. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readConfig } from '../../server/config.ts';
import { BackupError } from '../../server/platform/backups/backup-error.ts';
import { createKeyPair, decrypt, encrypt } from '../../server/platform/backups/encryption.ts';
import { readLines } from '../../server/platform/backups/format.ts';
import { load, noFiles } from '../../server/platform/backups/load.ts';
import { verifyBackup } from '../../server/platform/backups/verify.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import { runInProcess, settingsOf } from '../../test/support/cli.ts';
import { createTestDatabase, urlOf } from '../../test/support/database.ts';
import { createStage, type Finished } from '../../test/support/program.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import { CommandError } from '../command.ts';
import { openBackup, readKeyFile } from './sources.ts';

const stage = createStage();
after(() => stage.close());

const nowhere = { async begin() {}, async rebuild() {}, async insert() {}, async setSequence() {} };
const accountId = '01970000-0000-7000-8000-000000000000';

describe('a file that is no good backup', () => {
  let service: TestService;
  let settings: Record<string, string>;
  let folder: string;
  let whole: Buffer;
  let lines: string[];
  before(async () => {
    service = await startTestService();
    folder = stage.newDataDir();
    settings = { ...settingsOf(service), BACKUP_TO: folder };
    const made = await runInProcess(['backup'], settings);
    assert.equal(made.code, 0, made.stderr);
    whole = readFileSync(made.stdout.trim());
    lines = gunzipSync(whole).toString('utf8').split('\n');
  });
  after(() => service.close());

  const write = (content: Buffer | string, name = 'spoilt'): string => {
    const path = join(stage.newDataDir(), name);
    writeFileSync(path, content);
    return path;
  };
  const replaced = (at: number, line: string) => gzipSync(lines.with(at, line).join('\n'));
  const isOneSentence = ({ code, stderr, stdout }: Finished, said: RegExp, what: string) => {
    assert.equal(code, 1, `${what}: ${stderr}`);
    assert.match(stderr, /^talkboard [a-z ]+: [^\n]+\n$/, what);
    assert.match(stderr, said, what);
    assert.equal(stdout, '', what);
  };

  it('each is refused in one sentence that says what is wrong', async () => {
    const { publicKey, privateKey } = await createKeyPair();
    const other = await createKeyPair();
    const keyFile = write(privateKey, 'key');
    const sealed = await buffer(await encrypt(Readable.from([whole]), [publicKey]));
    const spoilt = Buffer.from(sealed);
    spoilt[spoilt.length - 100]! ^= 1;
    const head = JSON.parse(lines[0]!);
    const table = lines.findIndex((line) => line.startsWith('{"table":"accounts"'));
    const config = readConfig(settings);
    /** As the command does it, without the start of a process for each file. */
    const verify = async (from: string, key?: string) => {
      const privateKeys = readKeyFile(key);
      const { stored, close } = await openBackup(config, from);
      try {
        await verifyBackup({ stored, privateKeys, server: service.connection });
      } finally {
        await close();
      }
    };
    /** Up to the database: what the reader notices needs none. */
    const read = async (from: string, key?: string) => {
      const privateKeys = readKeyFile(key);
      const { stored, close } = await openBackup(config, from);
      try {
        const lines = readLines(await decrypt(stored, privateKeys));
        await load({ lines, target: nowhere, files: noFiles });
      } finally {
        stored.destroy();
        await close();
      }
    };
    await read(write(whole));
    await read(write(sealed), keyFile);
    const cases: [string, string, RegExp, string?][] = [
      ['empty', write(''), /truncated/],
      ['a picture', write(Buffer.from('89504e470d0a1a0a0000000d', 'hex')), /not a Talkboard backup/],
      ['another packed file', write(gzipSync('{"hello":"world"}\n')), /not a Talkboard backup/],
      ['packed JSON null', write(gzipSync('null\n')), /not a Talkboard backup/],
      ['truncated', write(whole.subarray(0, -200)), /truncated/],
      ['no migrations', write(replaced(0, JSON.stringify({ ...head, migrations: 7 }))), /damaged/],
      [
        'a later release',
        write(replaced(0, JSON.stringify({ ...head, talkboardBackup: 99 }))),
        /cannot read/,
      ],
      ['an unknown table', write(replaced(table, '{"table":"nowhere","columns":["id"]}')), /damaged/],
      ['a row that does not fit', write(replaced(table + 1, '["not an id"]')), /damaged: rows of accounts/],
      ['a folder', folder, /is not a file/],
      ['a file in a file', join(write('x'), 'below'), /cannot be read \(ENOTDIR\)/],
      ['none', join(folder, 'missing.gz'), /does not exist/],
      ['without its key', write(sealed), /give the private key with --key/],
      ['with another key', write(sealed), /another public key/, write(other.privateKey, 'key')],
      [
        'with a key file that is none',
        write(sealed),
        /does not hold a private key/,

        write('hello', 'key'),
      ],
      ['encrypted, its head cut', write(sealed.subarray(0, 60)), /damaged/, keyFile],
    ];
    const misread: typeof cases = [
      [
        'changed bytes',
        write(Buffer.concat([whole.subarray(0, 3_000), Buffer.alloc(64, 7), whole.subarray(3_064)])),
        /damaged/,
      ],
      ['a mark that is null', write(replaced(table, 'null')), /damaged/],
      ['a table without columns', write(replaced(table, '{"table":"accounts"}')), /damaged/],
      ['encrypted and truncated', write(sealed.subarray(0, -500)), /truncated/, keyFile],
      ['encrypted and changed', write(spoilt), /damaged/, keyFile],
    ];
    for (const [run, some] of [
      [verify, cases],
      [read, misread],
    ] as const) {
      for (const [what, from, said, key] of some) {
        await assert.rejects(run(from, key), (error: Error) => {
          assert.ok(error instanceof BackupError || error instanceof CommandError, `${what}: ${error.stack}`);
          assert.match(error.message, said, what);
          assert.ok(!error.message.includes('\n'), what);
          return true;
        });
      }
    }
  });

  it('verify, restore and account restore end with exit code 1', async () => {
    const target = await createTestDatabase({ empty: true });
    try {
      const empty = { ...settings, DATABASE_URL: urlOf(target.connection), DATA_DIR: stage.newDataDir() };
      for (const [from, said] of [
        [write('hello'), /not a Talkboard backup/],
        // Before its accounts: a restore of one looks for it first.
        [write(whole.subarray(0, 300)), /truncated/],
      ] as const) {
        isOneSentence(await runInProcess(['backup', 'verify', '--from', from], settings), said, from);
        isOneSentence(await runInProcess(['restore', '--from', from], empty), said, from);
        const args = ['account', 'restore', '--from', from, '--account', accountId, '--confirm', 'x'];
        isOneSentence(await runInProcess(args, settings), said, from);
      }
    } finally {
      await target.drop();
    }
  });

  it('list shows one whose note is damaged as not good, and says what it cannot list', async () => {
    const place = stage.newDataDir();
    const name = 'talkboard-20260101-000000.backup.gz';
    writeFileSync(join(place, name), 'x');
    for (const note of [
      'null',
      '7',
      '{',
      '{"name":"other"}',
      JSON.stringify({ name, bytes: 1, sha256: 'x' }),
    ]) {
      writeFileSync(join(place, `${name}.json`), note);
      const { code, stdout } = await runInProcess(['backup', 'list', '--to', place], settings);
      assert.equal(code, 0, note);
      assert.match(stdout, /^talkboard-20260101-000000\.backup\.gz {2}not good/, note);
    }
    const file = write('x');
    isOneSentence(
      await runInProcess(['backup', 'list', '--to', file], settings),
      /is a file, not a folder/,
      'a file',
    );
  });

  it('--to is a folder if it exists or ends with "/", and a new file if it has an extension', async () => {
    const place = stage.newDataDir();
    const into = await runInProcess(['backup', '--to', `${join(place, 'new')}/`], settings);
    assert.equal(into.code, 0, into.stderr);
    assert.match(into.stderr, /Written into .*new as talkboard-\S+\.backup\.gz\./);
    assert.deepEqual(readdirSync(join(place, 'new')).length, 2);
    mkdirSync(join(place, 'there'));
    const there = await runInProcess(['backup', '--to', join(place, 'there')], settings);
    assert.match(basename(there.stdout.trim()), /^talkboard-/);
    const absent = await runInProcess(['backup', '--to', join(place, 'backups')], settings);
    isOneSentence(
      absent,
      /there is no folder .*backups: create it, or give --to/,
      'a folder that is not there',
    );
    assert.ok(!existsSync(join(place, 'backups')));
    const named = await runInProcess(['backup', '--to', join(place, 'my.backup')], settings);
    assert.equal(named.stdout.trim(), join(place, 'my.backup'));
    assert.match(named.stderr, /Written as the file my\.backup in/);
    assert.ok(!existsSync(join(place, 'my.backup.json')));
    const setting = await runInProcess(['backup'], { ...settings, BACKUP_TO: join(place, 'not-yet') });
    assert.equal(setting.code, 0, setting.stderr);
    assert.equal(readdirSync(join(place, 'not-yet')).length, 2);
    const lost = join(place, 'lost');
    await service.context.db.autocommit(sql`
      insert into backup_runs (id, cell, cause, state, place, created_at, updated_at)
      values (${newId()}, 'home', 'schedule', 'good', ${lost}, 1, 1)`);
    const unmounted = await runInProcess(['backup'], { ...settings, BACKUP_TO: lost });
    isOneSentence(unmounted, /is missing: is its disk mounted\?/, 'a folder that had backups');
    assert.ok(!existsSync(lost));
    const blocked = await runInProcess(['backup', '--to', `${write('x')}/`], settings);
    isOneSentence(blocked, /is a file, not a folder/, 'a file with a slash');
  });
});
