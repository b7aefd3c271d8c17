import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { createSemaphore } from '../../../platform/concurrency/semaphore.ts';
import type { Db } from '../../../platform/db/db.ts';
import { unavailable } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { readHeader } from '../../records/records.ts';
import { writeBatch } from './imports.stream.batch.ts';

describe('a batch whose commit is in doubt', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  /** Loses the response of the first `times` transactions: they commit, or not, and the caller does not know. */
  const losingAnswers = (db: Db, times: number, commits: boolean): Db => {
    let left = times;
    return {
      ...db,
      async transaction(run) {
        if (left-- <= 0) return db.transaction(run);
        if (commits) await db.transaction(run);
        throw unavailable('lost');
      },
    };
  };

  for (const commits of [true, false]) {
    it(`is written once when its first try ${commits ? 'had' : 'had not'} committed`, async () => {
      const { context, admin } = service;
      const actor = async () => systemActor(admin.accountId);
      const kanban = (await context.definitions.fresh(admin.accountId)).defaultKanban;
      const columns = readHeader(kanban, ['title', 'channelId']);
      const channel = `c-${commits}`;
      const cells = [
        ['plain', ''],
        ['once', channel],
        ['ONCE', channel],
        ['', ''],
        ['plain', ''],
      ];
      const rows = cells.map((row, index) => ({
        row: index + 1,
        recordId: newId(),
        cells: row,
        problem: null,
      }));
      const deps = { ...context, db: losingAnswers(context.db, 2, commits), turns: createSemaphore(1) };
      const results = await writeBatch(deps, { actor, now: 1, kanbanId: kanban.id, columns, rows });
      const id = (index: number) => rows[index]!.recordId;
      assert.deepEqual(
        results.map((result) => [result.row, result.status, result.recordId]),
        [
          [1, 201, id(0)],
          [2, 201, id(1)],
          [3, 200, id(1)],
          [4, 400, undefined],
          [5, 201, id(4)],
        ],
      );
      for (const index of [0, 1, 4]) {
        assert.equal((await service.call('GET', `/crm/records/${id(index)}`)).status, 200);
      }
      assert.equal((await service.call('GET', `/crm/records/${id(2)}`)).status, 404);
    });
  }

  it('503 for each row when the database stays away', { timeout: 30_000 }, async () => {
    const { context, admin } = service;
    const kanban = (await context.definitions.fresh(admin.accountId)).defaultKanban;
    const deps = { ...context, db: losingAnswers(context.db, 100, false), turns: createSemaphore(1) };
    const rows = [1, 2].map((row) => ({ row, recordId: newId(), cells: ['x'], problem: null }));
    const batch = { actor: async () => systemActor(admin.accountId), now: 1, kanbanId: kanban.id, rows };
    const results = await writeBatch(deps, { ...batch, columns: readHeader(kanban, ['title']) });
    assert.deepEqual(results, [
      { row: 1, status: 503, error: 'lost', code: 'UNAVAILABLE' },
      { row: 2, status: 503, error: 'lost', code: 'UNAVAILABLE' },
    ]);
  });
});
