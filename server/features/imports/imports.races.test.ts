import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { after, before, describe, it, mock } from 'node:test';
import { limits } from '../../../contract/limits.ts';
import { keptImportsOf } from '../../../test/support/kept-imports.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { resultsStream } from './imports.results.ts';
import { findImport, startRun } from './imports.sql.ts';
import { fileKeyOf, pruneImports, whyNot } from './imports.ts';
import { saveDraft } from './imports.upload.ts';

describe('imports that several hands hold', () => {
  let service: TestService;
  let imports: ReturnType<typeof keptImportsOf>;
  let accountId: string;
  before(async () => {
    service = await joinTestService();
    imports = keptImportsOf(service);
    accountId = service.admin.accountId;
  });
  after(() => service.close());

  const draftOf = async () => {
    const { id } = await imports.uploaded('title,x\nAda,1\n', {});
    return (await findImport(service.context.db, accountId, id, null))!;
  };

  it('a draft that was changed in the meantime is neither started nor changed, with a reason', async () => {
    const { db } = service.context;
    const stale = await draftOf();
    assert.equal((await imports.change(stale.id, { timeZone: 'america/sao_paulo' })).status, 200);
    await db.transaction(async (tx) => {
      const runBy = { kind: 'user', id: service.admin.userId } as const;
      assert.equal(await startRun(tx, accountId, stale, ['draft'], runBy, 1), null);
      assert.match((await whyNot(tx, stale, ['draft'], 'refused')).message, /changed in the meantime/);
      await assert.rejects(saveDraft(tx, stale), /changed in the meantime/);
    });
    assert.equal((await imports.start(stale.id)).status, 200);
    await db.transaction((tx) => assert.rejects(saveDraft(tx, stale), /has not started/));
    assert.match((await imports.start(stale.id)).body.message, /has not started/);
  });

  it('a time zone is kept by its own name', async () => {
    const { id } = await draftOf();
    const zone = async (timeZone: string) => (await imports.change(id, { timeZone })).body.timeZone;
    assert.equal(await zone('aMERICA/sAO_pAULO'), 'America/Sao_Paulo');
    assert.equal((await imports.change(id, { timeZone: 'A'.repeat(65) })).status, 400);
  });

  it('a file that cannot be deleted stays for the next round, and keeps no other', async () => {
    const { db, blobs } = service.context;
    const [stuck, other] = [await draftOf(), await draftOf()];
    await db.transaction(async (tx) => {
      await tx.query(sql`update imports set expires_at = 1 where id = ${stuck.id}`);
      await tx.query(sql`update imports set expires_at = 2 where id = ${other.id}`);
    });
    const left = async () =>
      (await db.query<{ id: string }>(sql`select id from imports where expires_at < 3`)).map(({ id }) => id);
    const remove = blobs.delete.bind(blobs);
    const failing = mock.method(blobs, 'delete', async (key: string) => {
      if (key === fileKeyOf(accountId, stuck.id)) throw new Error('not now');
      return remove(key);
    });
    try {
      await pruneImports(service.context);
      assert.deepEqual(await left(), [stuck.id]);
    } finally {
      failing.mock.restore();
    }
    await pruneImports(service.context);
    assert.deepEqual(await left(), []);
  });

  it('the file is closed when the client goes before the first line of the results', async () => {
    const file = new Readable({ read() {} });
    const closed = once(file, 'close');
    resultsStream(service.context.db, await draftOf(), file, undefined).destroy();
    await closed;
    assert.equal(file.destroyed, true);
  });

  it('uploads at once do not get past the number that an account keeps', async () => {
    const { db } = service.context;
    const { id } = await draftOf();
    await db.transaction((tx) =>
      tx.query(sql`
        insert into imports (account_id, id, kanban_id, file_name, file_bytes, state, format, rows, rows_are_counted,
          columns, duplicates, time_zone, created_by, created_by_name, created_at, expires_at)
        select account_id, gen_random_uuid(), kanban_id, file_name, file_bytes, state, format, rows, rows_are_counted,
          columns, duplicates, time_zone, created_by, created_by_name, created_at, expires_at
        from imports i, generate_series(1, ${limits.importsKept - 1}::int
          - (select count(*)::int from imports o where o.account_id = i.account_id))
        where id = ${id}`),
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => imports.upload('title\nAda\n')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  });
});
