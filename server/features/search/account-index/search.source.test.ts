import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { createSource } from './search.documents.ts';
import { selectChanges, selectPosition } from './search.source.sql.ts';

describe('the source of an account index', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('reading on costs what has changed, however many records there are', async () => {
    const { db, definitions } = service.context;
    const { accountId } = service.admin;
    const kanbanId = (await definitions.fresh(accountId)).defaultKanban.id;
    // In steps: a statement of all of them may take longer than a statement is given.
    for (let first = 1; first <= 20_000; first += 2_500) {
      await db.transaction((tx) =>
        tx.query(sql`
          insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
            created_by, updated_by, created_at, updated_at, event_sequence)
          select ${accountId}::uuid, gen_random_uuid(), ${kanbanId}::uuid, 'Title ' || repeat('x', 500) || i, decode('00', 'hex'), 'new', '{}', '{}', 'x',
            'x', i, i, 1
          from generate_series(${first}::int, ${first + 2_499}::int) as i`),
      );
    }
    // What the planner knows of a settled database; of an empty one it knows nothing and happens to plan well.
    await db.query(sql`analyze records`);
    // Rows are read again while a transaction older than theirs is open; other tests have some on this server.
    await eventually(async () => {
      const [row] = await db.query<{ settled: boolean }>(sql`
        select pg_snapshot_xmin(pg_current_snapshot()) > max(changed_xid) as settled from records`);
      return row!.settled;
    });
    const begun = await selectPosition(db, accountId);
    await service.call('POST', '/crm/records', { body: { title: 'Later' } });
    const read = await db.transaction(async (tx) => {
      // Counted from here: what the connection read before stays in these figures for up to a second.
      const rowsRead = async () => {
        const [row] = await tx.query<{ rows: number }>(sql`
          select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'records'`);
        return row!.rows;
      };
      const before = await rowsRead();
      const changes = await selectChanges(tx, accountId, begun!.position, 2_000);
      assert.deepEqual(
        changes?.changed.map((row) => row.title),
        ['Later'],
      );
      return (await rowsRead()) - before;
    });
    assert.ok(read < 100, `${read} rows were read to find one`);
  });

  it('many deletions come in pages, each once, before the changes', async () => {
    const { db, definitions } = service.context;
    const { accountId } = service.admin;
    const begun = await selectPosition(db, accountId);
    const made = await db.transaction((tx) =>
      tx.query<{ id: string }>(sql`
        insert into record_deletions (account_id, record_id)
        select ${accountId}::uuid, gen_random_uuid() from generate_series(1, 4500) returning record_id as id`),
    );
    await service.call('POST', '/crm/records', { body: { title: 'After them' } });
    const sizes: number[] = [];
    const removed: string[] = [];
    let changed = 0;
    for await (const batch of createSource(db, definitions).read(accountId, begun!.position, new Set())) {
      if (batch.removedIds.length > 0) {
        assert.equal(changed, 0);
        sizes.push(batch.removedIds.length);
      }
      removed.push(...batch.removedIds);
      changed += batch.documents.length;
    }
    assert.deepEqual(sizes, [2_000, 2_000, 500]);
    assert.deepEqual(removed.sort(), made.map(({ id }) => id).sort());
    assert.equal(changed, 1);
  });
});
