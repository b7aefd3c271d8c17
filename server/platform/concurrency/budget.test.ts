import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBudget } from './budget.ts';

test('a budget runs what fits together, in order of arrival, and what is larger than all of it alone', async () => {
  const budget = createBudget(10);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const works: Promise<void>[] = [];
  const begin = (name: string, amount: number) => {
    const work = budget.take(amount, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
    works.push(work);
  };
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise(setImmediate);
  };
  begin('6', 6);
  begin('5', 5);
  begin('1', 1);
  begin('nothing', 0);
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['nothing', '6'], 'the last one waits behind the one that does not fit');
  await end('6');
  assert.deepEqual(begun.slice(2), ['5', '1']);
  begin('20', 20);
  begin('2', 2);
  await end('5');
  assert.deepEqual(begun.slice(4), []);
  await end('1');
  assert.deepEqual(begun.slice(4), ['20']);
  await end('20');
  assert.deepEqual(begun.slice(5), ['2']);
  await end('2');
  await end('nothing');
  await Promise.all(works);
});

test('a failure gives its amount back', async () => {
  const budget = createBudget(1);
  await assert.rejects(
    budget.take(1, async () => {
      throw new Error('failed');
    }),
  );
  assert.equal(await budget.take(1, async () => 'runs'), 'runs');
});
