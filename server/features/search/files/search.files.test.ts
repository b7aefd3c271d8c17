import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../../../test/support/eventually.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { SearchIndex } from '../../../search-engine/store/index.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { createSource } from '../account-index/search.documents.ts';
import { HistoryLost } from '../account-index/search.source.ts';
import { createSearch, noteErasure, type Search } from '../search.ts';
import { FileFolder } from './search.file-folder.ts';
import { createIndexFiles } from './search.files.ts';

let service: TestService;
let root: string;
let folder: string;
let account: Awaited<ReturnType<TestService['createAccount']>>;
let actor: Actor;
const said: string[] = [];
const open: Search[] = [];

before(async () => {
  service = await joinTestService();
});
after(() => service.close());

beforeEach(async (t) => {
  root = mkdtempSync(join(tmpdir(), 'talkboard-files-'));
  folder = join(root, 'search-indexes', 'home');
  said.length = 0;
  account = await service.createAccount();
  actor = systemActor(account.accountId) as Actor;
  (t as { after(step: () => unknown): void }).after(async () => {
    for (const search of open.splice(0)) await search.close();
    rmSync(root, { recursive: true });
  });
});

function start(settings: { maxBytes?: number; in?: string } = {}): Search {
  const { db, definitions, clock } = service.context;
  const note = (about: object) => said.push((about as { reason: string }).reason);
  const search = createSearch({
    db,
    definitions,
    clock,
    files: {
      folder: settings.in ?? folder,
      maxBytes: settings.maxBytes ?? 1e9,
      minFreeBytes: 0,
      logger: { info: note, warn: note } as never,
      minRecords: 1,
    },
  });
  open.push(search);
  return search;
}

async function stop(search: Search): Promise<void> {
  open.splice(open.indexOf(search), 1);
  await search.close();
}

async function call(method: string, path: string, body?: object) {
  const answer = await service.call(method, path, { token: account.token, ...(body && { body }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

async function create(title: string): Promise<string> {
  return (await call('POST', '/crm/records', { title })).recordId;
}

async function titles(search: Search, q: string): Promise<string[]> {
  const { items } = JSON.parse(await search.search(actor, { q, pageSize: 100 }));
  return items.map(({ title }: { title: string }) => title).sort();
}

const files = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Some records in a file, and in the database a change that nothing announces: only an index of the file lacks it. */
async function keep(): Promise<string> {
  const id = await create('Velvet sofa');
  await create('Oak table');
  const search = start();
  assert.deepEqual(await titles(search, 'velvet'), ['Velvet sofa']);
  await stop(search);
  await service.context.db.autocommit(sql`update records set title = 'Velvet zebra' where id = ${id}`);
  const [path] = files().filter((each) => each.includes(account.accountId));
  assert.ok(path);
  return path;
}

const isFromFile = async (search: Search) => (await titles(search, 'zebra')).length === 0;

describe('the file of an index', () => {
  it('is read at the first search after a start, by its owner only', async () => {
    const path = await keep();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
    assert.ok(await isFromFile(start()));
    assert.deepEqual(said, []);
  });

  it('is also written by a stop in the middle of a search', async () => {
    await create('Velvet sofa');
    const search = start();
    await titles(search, 'velvet');
    const asked = titles(search, 'velvet');
    await stop(search);
    assert.deepEqual(await asked, ['Velvet sofa']);
    assert.equal(files().filter((path) => path.includes(account.accountId)).length, 1);
  });

  it('is brought up to date with everything that happened since', async () => {
    const name = (await call('GET', '/kanbans')).items[0];
    const field = await call('POST', '/crm/fields', { name: 'Colour', type: 'text' });
    const ids = await Promise.all(['Chair one', 'Chair two', 'Chair three'].map(create));
    const customFields = { [field.fieldId]: 'turquoise' };
    await call('PUT', `/crm/records/${ids[0]}`, { customFields });
    await keep();
    await call('PUT', `/crm/records/${ids[1]}`, { title: 'Armchair' });
    await call('DELETE', `/crm/records/${ids[2]}`);
    await create('Chair four');
    const board = await call('POST', '/kanbans', { name: 'Another', statuses: name.statuses });
    await call('POST', '/crm/records', { title: 'Chair five', kanbanId: board.id });
    const search = start();
    assert.deepEqual(await titles(search, 'chair'), ['Armchair', 'Chair five', 'Chair four', 'Chair one']);
    assert.deepEqual(await titles(search, 'turquoise'), ['Chair one']);
    assert.ok(await isFromFile(search));
    await stop(search);
    await call('DELETE', `/crm/fields/${field.fieldId}`);
    await call('DELETE', `/kanbans/${board.id}?confirm=true`);
    const later = start();
    assert.deepEqual(await titles(later, 'turquoise'), []);
    const built = service.context.search;
    for (const q of ['chair', 'another', 'oak'])
      assert.deepEqual(await titles(later, q), await titles(built, q));
  });

  it('finds what was created while it was read', async () => {
    await keep();
    const search = start();
    const reading = titles(search, 'oak');
    await create('Oak shelf');
    assert.deepEqual(await titles(search, 'oak'), ['Oak shelf', 'Oak table']);
    await reading;
  });

  it('is built anew if it is damaged, and replaced', async () => {
    const path = await keep();
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(path, bytes);
    const search = start();
    assert.equal(await isFromFile(search), false);
    assert.deepEqual(said, ['a checksum is wrong']);
    await stop(search);
    assert.equal(files().length, 1);
    assert.notEqual(files()[0], path);
    assert.deepEqual(await titles(start(), 'zebra'), ['Velvet zebra']);
    assert.equal(said.length, 1);
  });

  it('is not read under the name of another account', async () => {
    const path = await keep();
    const other = account;
    account = await service.createAccount();
    actor = systemActor(account.accountId) as Actor;
    copyFileSync(path, await keep());
    const search = start();
    assert.deepEqual(await titles(search, 'zebra'), ['Velvet zebra']);
    assert.deepEqual(said, ['it is of another account']);
    assert.notEqual(other.accountId, account.accountId);
  });

  const forms: [string, (accountId: string) => Promise<unknown>][] = [
    [
      'of a database that was restored',
      (id) =>
        service.context.db.autocommit(
          sql`update search_files set written_xid = pg_current_xact_id() where account_id = ${id}`,
        ),
    ],
    [
      'of another database',
      (id) => service.context.db.autocommit(sql`delete from search_files where account_id = ${id}`),
    ],
    [
      'of an index that read nothing for a week',
      (id) =>
        service.context.db.autocommit(
          sql`update search_files set read_at = now() - interval '8 days' where account_id = ${id}`,
        ),
    ],
    ['from before an erasure', (id) => service.context.db.transaction((tx) => noteErasure(tx, id))],
  ];
  for (const [name, change] of forms) {
    it(`is neither read nor kept if it is ${name}`, async () => {
      const path = await keep();
      await change(account.accountId);
      const search = start();
      assert.equal(await isFromFile(search), false);
      await eventually(() => !files().includes(path));
      await stop(search);
      assert.equal(files().length, 1, 'a new one');
    });
  }

  it('goes without a search when it no longer counts', async () => {
    await keep();
    await service.context.db.transaction((tx) => noteErasure(tx, account.accountId));
    start();
    await eventually(() => files().length === 0);
  });

  it('is not written of an index from before an erasure, which is built anew', async () => {
    await create('Velvet sofa');
    const search = start();
    await titles(search, 'velvet');
    await service.context.db.transaction((tx) => noteErasure(tx, account.accountId));
    await stop(search);
    assert.deepEqual(files(), []);
  });

  it('is not written after another server took over: the index may hold what was lost', async () => {
    const { db, logger } = service.context;
    const files = createIndexFiles(db, { folder, maxBytes: 1e9, minFreeBytes: 0, logger });
    const kept = { position: '1:1:', builtAt: '1:1:', readAt: Date.now() };
    const index = new SearchIndex();
    const timeline = await files.timeline();
    assert.match(timeline, /^[0-9A-F]{8}$/);
    const save = (other: object) =>
      files.save(account.accountId, { index, timeline, ...kept, ...other }, () => true);
    assert.equal(await save({ timeline: '0000BEEF' }), 'refused');
    assert.equal(await save({ position: '1:999999999999:' }), 'refused');
    assert.equal(await save({ readAt: Date.now() - 8 * 24 * 3_600_000 }), 'refused');
    assert.equal(await save({}), 'saved');
    await files.close();
  });

  it('goes at once where an erasure ends', async () => {
    await keep();
    const search = start();
    await search.forget(account.accountId);
    assert.deepEqual(files(), []);
    assert.equal(await isFromFile(search), false);
  });

  it('is not destroyed by another process with the same folder', async () => {
    await create('Velvet sofa');
    const both = [start(), start()];
    for (const search of both) assert.deepEqual(await titles(search, 'velvet'), ['Velvet sofa']);
    await Promise.all(both.map(stop));
    assert.ok(files().length >= 1);
    const searches = [start(), start()];
    for (const search of searches) assert.deepEqual(await titles(search, 'velvet'), ['Velvet sofa']);
    assert.deepEqual(said, []);
  });

  it('makes room for another one: the longest unused goes', async () => {
    const first = await keep();
    const { size } = statSync(first);
    account = await service.createAccount();
    actor = systemActor(account.accountId) as Actor;
    await create('Velvet sofa');
    const search = start({ maxBytes: size * 1.5 });
    await titles(search, 'velvet');
    await stop(search);
    assert.deepEqual(
      files().map((path) => path === first),
      [false],
    );
  });

  it('has its final name only when it is complete, whenever the process is killed', async () => {
    const path = await keep();
    const accountId = account.accountId;
    const module = pathToFileURL(join(import.meta.dirname, 'search.file-folder.ts')).href;
    const program = `
      const { FileFolder } = await import(process.argv[1]);
      await new FileFolder('${folder}').write('${accountId}', '${crypto.randomUUID()}', async (file) => {
        await file.write('the beginning');
        console.log('writing');
        await new Promise((resolve) => setTimeout(resolve, 1e9));
      }, async () => true);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, module], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    assert.equal(files().length, 2);
    const other = new FileFolder(folder);
    await other.removeAbandoned();
    assert.equal(files().length, 2, 'what is being written stays');
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.deepEqual(
      (await other.all()).map((file) => file.path),
      [path],
    );
    assert.ok(await isFromFile(start()));
    await eventually(() => files().length === 1);
  });

  it('is not used for a read of a database that went back in time', async () => {
    const { db, definitions } = service.context;
    const reading = createSource(db, definitions).read(account.accountId, '1:999999999999:', new Set());
    await assert.rejects(async () => {
      for await (const _ of reading);
    }, HistoryLost);
  });
});
