import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import type { Db } from '../../db/db.ts';
import type { Sql } from '../../db/sql.ts';
import { createLogger } from '../../logger.ts';
import { followMoves } from './follow.ts';

const closing = (name: string) => ({
  accountId: name,
  moveId: name,
  from: name,
  to: 'other',
  state: 'closing',
});

describe('following moves', () => {
  it('looks back to the last time home answered, and one cell that is away does not stop the others', async () => {
    let failing = 2;
    const lookedBack: number[] = [];
    const asked = new Set<string>();
    const moved: string[] = [];
    const home = {
      async query(statement: Sql) {
        const { text, values } = statement.statement();
        if (failing-- > 0) throw new Error('home is away');
        if (text.includes('account_moves')) return ['away', 'there'].map(closing);
        lookedBack.push(Number(values[0]));
        return [{ accountId: 'unseen', cell: 'eu2' }];
      },
    } as unknown as Db;
    const dbOf = (cell: string): Db => {
      if (cell === 'away') throw new Error('the cell is away');
      asked.add(cell);
      return { query: async () => [] } as unknown as Db;
    };
    const follower = followMoves({
      home,
      dbOf,
      logger: createLogger('error'),
      placed() {},
      onMoved: (accountId) => moved.push(accountId),
    });
    try {
      await eventually(() => asked.has('there'), 20_000);
    } finally {
      await follower.stop();
    }
    // The third look, one second after another.
    assert.ok(lookedBack[0]! > 32, String(lookedBack[0]));
    assert.equal(moved[0], 'unseen', 'its move may have begun and ended meanwhile');
  });
});
