import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { openSnapshot } from '../../../platform/backups/snapshot.sql.ts';
import type { Db } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { SearchIndex } from '../../../search-engine/store/index.ts';
import { noteErasure, selectTimeline } from './search.files.sql.ts';
import { createIndexFiles, type FilesSettings, type IndexFiles } from './search.files.ts';

let service: TestService;
let root: string;
let accountId: string;
const said: { accountId?: string; reason: string }[] = [];
const opened: IndexFiles[] = [];

before(async () => {
  service = await joinTestService();
});
after(() => service.close());

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'talkboard-faults-'));
  said.length = 0;
  accountId = (await service.createAccount()).accountId;
});
afterEach(async () => {
  for (const files of opened.splice(0)) await files.close();
  rmSync(root, { recursive: true });
});

/** A database that fails where it is told to. */
let failure: ((text: string) => Error | null | Promise<null>) | null = null;
const faulty = (): Db =>
  new Proxy(service.context.db, {
    get(db, name) {
      const own = Reflect.get(db, name);
      if (name !== 'query' && name !== 'autocommit') return typeof own === 'function' ? own.bind(db) : own;
      return async (statement: Sql, ...rest: unknown[]) => {
        const error = await failure?.(statement.statement().text);
        if (error) throw error;
        return own.call(db, statement, ...rest);
      };
    },
  });

function openFiles(settings: Partial<FilesSettings> = {}): IndexFiles {
  const note = (about: object) => said.push(about as { reason: string });
  const logger = { info: note, warn: note } as never;
  const folder = join(root, 'indexes', 'home');
  const files = createIndexFiles(faulty(), { folder, maxBytes: 1e9, minFreeBytes: 0, logger, ...settings });
  opened.push(files);
  return files;
}

async function save(files: IndexFiles, account = accountId, other: object = {}) {
  const kept = { position: '1:1:', builtAt: '1:1:', readAt: Date.now(), timeline: await files.timeline() };
  return files.save(account, { index: new SearchIndex(), ...kept, ...other }, () => true);
}

const names = () =>
  existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.index'))
    : [];
const rows = async () =>
  (await service.context.db.query(sql`select from search_files where account_id = ${accountId}`)).length;
const lost = () => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });

afterEach(() => {
  failure = null;
});

describe('faults around the files of indexes', () => {
  it('a file stays if the database does not say whether it counts', async () => {
    const files = openFiles();
    assert.equal(await save(files), 'saved');
    failure = (text) => (text.includes('written_xid') ? lost() : null);
    await assert.rejects(files.load(accountId), /connection was lost/);
    failure = (text) => (text.includes('pg_walfile_name') ? lost() : null);
    await assert.rejects(files.load(accountId), /connection was lost/);
    failure = null;
    assert.equal(names().length, 1);
    assert.ok(await files.load(accountId));
  });

  it('a file that is no index goes, with its row', async () => {
    const files = openFiles();
    assert.equal(await save(files), 'saved');
    writeFileSync(join(root, names()[0]!), 'no index at all, but long enough for a beginning');
    assert.equal(await files.load(accountId), null);
    assert.deepEqual(names(), []);
    assert.equal(await rows(), 0);
  });

  it('an index is not refused because the timeline could not be read', async () => {
    const files = openFiles();
    const timeline = await files.timeline();
    failure = (text) => (text.includes('pg_walfile_name') ? lost() : null);
    await assert.rejects(files.timeline(), /connection was lost/);
    failure = (text) => (text.includes('insert into search_files') ? lost() : null);
    assert.equal(await save(files, accountId, { timeline }), 'failed');
    failure = () => Object.assign(new Error('function does not exist'), { code: '42883' });
    assert.equal(await selectTimeline(faulty()), '');
    failure = null;
    assert.equal(await save(files, accountId, { timeline: '' }), 'saved', 'an engine without timelines');
  });

  it('a refused file leaves no row', async () => {
    const files = openFiles();
    // A person is erased after the row was written, and before the file gets its name.
    failure = async (text) => {
      const { db } = service.context;
      if (text.includes('written_xid =')) await db.transaction((tx) => noteErasure(tx, accountId));
      return null;
    };
    assert.equal(await save(files), 'refused');
    assert.equal(await rows(), 0);
    assert.equal(await save(files, accountId, { timeline: '0000BEEF' }), 'refused');
    assert.equal(await rows(), 0);
    assert.deepEqual(names(), []);
  });

  it('one folder that cannot be read does not keep the others, and is reported once', async () => {
    const first = openFiles();
    assert.equal(await save(first), 'saved');
    const folder = join(root, 'indexes', 'home');
    // Reading it fails, for every user.
    symlinkSync('0-loop', join(folder, '0-loop'));
    await service.context.db.autocommit(sql`delete from search_files where account_id = ${accountId}`);
    await first.sweep();
    await first.sweep();
    assert.deepEqual(names(), []);
    assert.deepEqual(
      said.map((about) => about.accountId),
      ['0-loop'],
    );
    rmSync(join(folder, '0-loop'));
    await first.sweep();
    failure = lost;
    writeFileSync(join(mkdirOf(folder, accountId), `${crypto.randomUUID()}.index`), 'old');
    await first.sweep();
    assert.deepEqual(
      said.map(({ reason }) => reason).slice(1),
      ['the connection was lost'],
      'a new problem is reported again',
    );
  });

  it('without room nothing else is removed, and it is reported once', async () => {
    const files = openFiles();
    assert.equal(await save(files), 'saved');
    const other = (await service.createAccount()).accountId;
    const { byteLength } = new SearchIndex();
    const full = openFiles({ minFreeBytes: Number.MAX_SAFE_INTEGER, maxBytes: byteLength });
    assert.equal(await save(full, other), 'failed');
    assert.equal(await save(full, other), 'failed');
    assert.deepEqual(said, [{ accountId: other, reason: 'the disk is full' }]);
    const small = openFiles({ maxBytes: 1 });
    assert.equal(await save(small, other), 'failed');
    assert.equal(said[1]?.reason, 'it is larger than SEARCH_FILES_MB');
    assert.equal(names().length, 1);
  });

  it('the files of a moved account go in all processes', async () => {
    const one = openFiles();
    const two = openFiles({ folder: join(root, 'others', 'home') });
    for (const files of [one, two]) assert.equal(await save(files), 'saved');
    await one.remove(accountId);
    assert.equal(await rows(), 0);
    await two.sweep();
    assert.deepEqual(names(), []);
  });

  it('a backup holds no rows of files: after a restore none counts', async () => {
    const snapshot = await openSnapshot(service.connection);
    const tables = snapshot.tables.map(({ name }) => name);
    await snapshot.close();
    assert.ok(tables.includes('records'));
    assert.deepEqual(
      tables.filter((name) => name.startsWith('search_')),
      [],
    );
  });

  it('a start removes the files of cells that are gone, and all of them without space for any', async () => {
    const dataDir = join(root, 'data');
    const file = (cell: string) =>
      join(mkdirOf(dataDir, 'search-indexes', cell, accountId), `${crypto.randomUUID()}.index`);
    const [home, gone] = [file('home'), file('gone')];
    for (const path of [home, gone]) writeFileSync(path, 'words of a person');
    const second = await service.startSecond({ DATA_DIR: dataDir });
    await eventually(() => !existsSync(gone));
    await second.close();
    writeFileSync(file('home'), 'words of a person');
    const third = await service.startSecond({ DATA_DIR: dataDir, SEARCH_FILES_MB: '0' });
    await eventually(() => readdirSync(join(dataDir, 'search-indexes')).length === 0);
    await third.close();
  });
});

function mkdirOf(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}
