import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
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
    await db.transaction((tx) =>
      tx.query(sql`
        insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
          created_by, updated_by, created_at, updated_at, event_sequence)
        select ${accountId}::uuid, gen_random_uuid(), ${kanbanId}::uuid, 'Title ' || repeat('x', 500) || i, decode('00', 'hex'), 'new', '{}', '{}', 'x',
          'x', i, i, 1
        from generate_series(1, 20000) as i`),
    );
    // What the planner knows of a settled database; of an empty one it knows nothing and happens to plan well.
    await db.query(sql`analyze records`);
    const begun = await selectPosition(db, accountId);
    await service.call('POST', '/crm/records', { body: { title: 'Later' } });
    const read = await db.transaction(async (tx) => {
      const changes = await selectChanges(tx, accountId, begun!.position, 2_000);
      assert.deepEqual(
        changes?.changed.map((row) => row.title),
        ['Later'],
      );
      const [row] = await tx.query<{ rows: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'records'`);
      return row!.rows;
    });
    assert.ok(read < 100, `${read} rows were read to find one`);
  });
});
