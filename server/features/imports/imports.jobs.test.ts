import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { keptImportsOf } from '../../../test/support/kept-imports.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { enqueue, instanceAccountId } from '../../platform/jobs/jobs.ts';
import { pruneImports } from './imports.ts';

describe('an import that runs', () => {
  let service: TestService;
  let imports: ReturnType<typeof keptImportsOf>;
  before(async () => {
    service = await joinTestService({ worker: true });
    imports = keptImportsOf(service);
  });
  after(() => service.close());

  it('every result is correct, and the failed rows can be corrected and imported again', async () => {
    const board = await imports.createBoard();
    const lines = Array.from({ length: 950 }, (_, i) =>
      i % 10 === 3 ? `=R${i};not an address;${i}` : `Row ${i};row-${i % 500}@example.com;${i},5`,
    );
    const { id } = await imports.uploaded(`Nome;E-mail;Valor\n${lines.join('\n')}\n`, { kanbanId: board.id });
    await imports.start(id);
    const done = await imports.ended(id);
    const results = await imports.results(id);
    assert.equal(results.rows.length, lines.length);
    const stored = new Map((await imports.recordsOf(board.id)).map((record) => [record.recordId, record]));
    const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
    for (const [index, row] of results.rows.entries()) {
      counts[row.result as 'created']++;
      const record = stored.get(row.recordId!);
      if (row.result === 'failed') assert.match(row.error!, /^E-mail: must be an e-mail address/);
      else assert.equal(record.customFields[board.field('E-mail')], `row-${index % 500}@example.com`);
      if (row.result === 'created')
        assert.deepEqual(
          [record.title, record.customFields[board.field('Valor')]],
          [`Row ${index}`, index + 0.5],
        );
    }
    const { created, updated, skipped, failed } = done.progress;
    assert.deepEqual({ created, updated, skipped, failed }, counts);
    assert.equal(stored.size, created);
    assert.equal(failed, 95);

    const mended = (await imports.results(id, 'failed')).text.replaceAll(
      'not an address',
      'mended@example.com',
    );
    const again = await imports.uploaded(mended, { kanbanId: board.id, fileName: 'failed.csv' });
    assert.deepEqual(
      again.columns.map((one: Json) => one.isResult),
      [false, false, false, true, true, true],
    );
    assert.deepEqual(
      again.columns.slice(3).map((one: Json) => one.target),
      [null, null, null],
    );
    await imports.change(again.id, { duplicates: { action: 'create' } });
    await imports.start(again.id);
    assert.equal((await imports.ended(again.id)).progress.created, 95);
    const titles = (await imports.recordsOf(board.id)).map((record) => record.title);
    assert.ok(titles.includes('=R3'));
    const header = (await imports.results(again.id)).text.split('\r\n')[0];
    assert.equal(header, '\ufeffNome;E-mail;Valor;result;recordId;error');
  });

  const manyRows = (count: number) => {
    let text = 'title,E-mail\n';
    for (let i = 1; i <= count; i++) text += `Row ${i},r${i}@example.com\n`;
    return text;
  };

  it('cancel takes effect at once and keeps what is in; resume goes on there, no row twice', async () => {
    const board = await imports.createBoard();
    const { id } = await imports.uploaded(manyRows(3_000), { kanbanId: board.id });
    await imports.change(id, { duplicates: { action: 'create' } });
    await imports.start(id);
    await eventually(async () => (await imports.get(id)).progress.rowsDone >= 200);
    const cancelled = await imports.cancel(id);
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled']);
    const { rowsDone } = cancelled.body.progress;
    assert.ok(rowsDone < 3_000, `${rowsDone}`);
    const [{ n } = { n: -1 }] = await service.context.db.query<{ n: number }>(
      sql`select count(*)::int as n from records where kanban_id = ${board.id}`,
    );
    assert.equal(n, rowsDone);
    assert.equal((await imports.cancel(id)).status, 409);
    assert.equal((await imports.resume(id)).status, 200);
    const done = await imports.ended(id);
    assert.deepEqual([done.state, done.progress.created], ['done', 3_000]);
    const titles = (await imports.recordsOf(board.id)).map((record) => record.title);
    assert.equal(new Set(titles).size, 3_000);
    assert.equal((await imports.resume(id)).status, 409);
    assert.equal((await imports.change(id, {})).status, 409);
  });

  it('a token that is revoked in the middle ends it, and someone else may resume it', async () => {
    const board = await imports.createBoard();
    const { id: tokenId, token } = await service.createToken(service.admin.jwt);
    const { id } = await imports.uploaded(manyRows(3_000), { kanbanId: board.id });
    await service.call('POST', `/crm/imports/${id}/start`, { token });
    await eventually(async () => (await imports.get(id)).progress.rowsDone >= 100);
    await service.call('DELETE', `/api-tokens/${tokenId}`, { token: service.admin.jwt });
    const failed = await imports.ended(id);
    assert.deepEqual([failed.state, failed.error.code], ['failed', 'FORBIDDEN']);
    assert.ok(failed.progress.rowsDone < 3_000);
    await imports.resume(id);
    assert.equal((await imports.ended(id)).progress.created, 3_000);
  });

  it('a board that is closed to its operator, or gone, ends it with the reason', async () => {
    const board = await imports.createBoard();
    const operator = await service.createUser('operator');
    const { id } = await imports.uploaded(manyRows(3_000), { kanbanId: board.id });
    await service.call('POST', `/crm/imports/${id}/start`, { token: operator.jwt });
    await eventually(async () => (await imports.get(id)).progress.rowsDone >= 100);
    await service.call('PUT', `/kanbans/${board.id}/members`, { body: { userIds: [service.admin.userId] } });
    const failed = await imports.ended(id);
    assert.match(failed.error.message, /the kanban no longer exists, or/);
    assert.equal((await service.call('GET', `/crm/imports/${id}`, { token: operator.jwt })).status, 404);
    const list = await service.call('GET', `/crm/imports?kanbanId=${board.id}`, { token: operator.jwt });
    assert.deepEqual(list.body.items, []);

    const other = await imports.createBoard();
    const second = await imports.uploaded('title\nAda\n', { kanbanId: other.id });
    await service.call('DELETE', `/kanbans/${other.id}`);
    assert.equal((await imports.start(second.id)).status, 404);
    assert.equal((await imports.get(second.id)).state, 'draft');
  });

  it('a stray quote fails its row alone: every other row is in, and there is nothing to resume', async () => {
    const board = await imports.createBoard();
    const { id, fileProblem } = await imports.uploaded('title,Company\n"Ada",x\nBo,"y\nCy,z\n', {
      kanbanId: board.id,
    });
    assert.equal(fileProblem.row, 2);
    await imports.start(id);
    const { state, error, progress } = await imports.ended(id);
    assert.deepEqual([state, error, progress.created, progress.failed], ['done', null, 2, 1]);
    assert.deepEqual(fileProblem.reason, { kind: 'quoteOpen' });
    const { rows } = await imports.results(id);
    assert.deepEqual(
      rows.map(({ result }) => result),
      ['created', 'failed', 'created'],
    );
    assert.match(rows[1]!.error!, /quote is opened and never closed/);
  });

  it('a cell that cannot be stored fails its row alone', async () => {
    const board = await imports.createBoard();
    const { id } = await imports.uploaded('title,Company\nAda,a\0b\nBo,ok\n', { kanbanId: board.id });
    await imports.start(id);
    const { progress } = await imports.ended(id);
    assert.deepEqual([progress.created, progress.failed], [1, 1]);
    const [failed] = (await imports.results(id, 'failed')).rows;
    assert.match(failed!.error!, /Company: the cell contains a NUL character/);
  });

  it('more imports than the worker has places keep no other work waiting', async () => {
    const { db, blobs } = service.context;
    const board = await imports.createBoard();
    const ids: string[] = [];
    for (let i = 0; i < 34; i++)
      ids.push((await imports.uploaded('title\nAda\n', { kanbanId: board.id })).id);
    const release = Promise.withResolvers<void>();
    const open = blobs.open.bind(blobs);
    let opened = 0;
    const held = mock.method(blobs, 'open', async (key: string) => {
      opened++;
      await release.promise;
      return open(key);
    });
    try {
      for (const id of ids) assert.equal((await imports.start(id)).status, 200);
      await eventually(async () => opened > 0);
      const job = { accountId: instanceAccountId, kind: 'housekeeping', dedupeKey: 'while imports run' };
      await db.transaction((tx) => enqueue(tx, job));
      await eventually(async () => {
        const left = await db.query(sql`select 1 from jobs where dedupe_key = ${job.dedupeKey}`);
        return left.length === 0;
      });
      assert.ok(opened <= 2, `${opened}`);
    } finally {
      held.mock.restore();
      release.resolve();
    }
    for (const id of ids) assert.equal((await imports.ended(id)).state, 'done');
  });

  it('DELETE removes the file and the results, also while it runs; old imports expire', async () => {
    const board = await imports.createBoard();
    const { id } = await imports.uploaded(manyRows(2_000), { kanbanId: board.id });
    await imports.start(id);
    await eventually(async () => (await imports.get(id)).progress.rowsDone >= 100);
    assert.equal((await imports.remove(id)).status, 200);
    assert.equal((await service.call('GET', `/crm/imports/${id}`)).status, 404);
    assert.equal(await service.context.blobs.open(`${service.admin.accountId}/imports/${id}`), null);
    const left = await service.context.db.query(sql`select 1 from import_results where import_id = ${id}`);
    assert.deepEqual(left, []);
    assert.ok((await imports.recordsOf(board.id)).length >= 100);

    const old = await imports.uploaded('title\nAda\n', { kanbanId: board.id });
    await service.context.db.transaction((tx) =>
      tx.query(sql`update imports set expires_at = 1 where id = ${old.id}`),
    );
    await pruneImports(service.context);
    assert.equal((await service.call('GET', `/crm/imports/${old.id}`)).status, 404);
    assert.equal(await service.context.blobs.open(`${service.admin.accountId}/imports/${old.id}`), null);
  });
});
