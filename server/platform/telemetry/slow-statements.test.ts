import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asHousekeeping, createSlowStatements, outsideHousekeeping } from './slow-statements.ts';

it('keeps the text of slow statements without values, the costliest first', () => {
  const slow = createSlowStatements();
  slow.note('select 1', 300);
  slow.note({ name: 'a', text: 'select $1', values: ['a secret'] }, 250);
  slow.note({ name: 'a', text: 'select $1', values: ['another'] }, 500);
  slow.note('begin', 900);
  slow.note('commit', 900);
  const [first, second, ...others] = slow.list();
  assert.deepEqual([first!.text, first!.count, first!.totalMs, first!.maxMs], ['select $1', 2, 750, 500]);
  assert.equal(second!.text, 'select 1');
  assert.deepEqual(others, []);
  assert.ok(!JSON.stringify(slow.list()).includes('secret'));
});

it('marks those of housekeeping, and none of what housekeeping has set off', async () => {
  const slow = createSlowStatements();
  await asHousekeeping(async () => {
    await new Promise(setImmediate);
    slow.note('select 1', 300);
    outsideHousekeeping(() => slow.note('select 2', 200));
  });
  slow.note('select 1', 100);
  assert.deepEqual(
    slow.list().map(({ text, isHousekeeping, totalMs }) => [text, isHousekeeping, totalMs]),
    [
      ['select 1', true, 300],
      ['select 2', false, 200],
      ['select 1', false, 100],
    ],
  );
});

it('keeps a hundred: the one that cost least goes', () => {
  const slow = createSlowStatements();
  for (let ms = 1_000; ms < 1_101; ms++) slow.note(`select ${ms}`, ms);
  const texts = slow.list().map(({ text }) => text);
  assert.equal(texts.length, 100);
  assert.ok(!texts.includes('select 1000'));
  assert.ok(texts.includes('select 1100'));
});
