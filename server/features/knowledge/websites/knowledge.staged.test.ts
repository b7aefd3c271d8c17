import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Reader } from '../../../platform/db/db.ts';
import { stagedTexts } from './knowledge.staged.ts';

it('staged texts are read in batches of at most 4 MiB and 200 pages', async () => {
  const asked: number[][] = [];
  const db = {
    async query(statement: { values: readonly unknown[] }) {
      asked.push(statement.values.find((value) => Array.isArray(value)) as number[]);
      return [];
    },
  } as unknown as Reader;
  const mebibytes = [1, 3, 1, 9, 2, ...Array(300).fill(0)];
  const staged = mebibytes.map((size, number) => ({ number, url: `/${number}`, bytes: size * 1024 * 1024 }));
  for await (const pages of stagedTexts(db, 'account', 'run', staged)) assert.deepEqual(pages, []);
  assert.deepEqual(
    asked.map((numbers) => [numbers[0], numbers.at(-1)]),
    [
      [0, 1],
      [2, 2],
      [3, 3],
      [4, 203],
      [204, 304],
    ],
  );
});
