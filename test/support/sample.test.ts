import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { version } from '../../contract/version.ts';
import { draw, seedFrom } from './sample.ts';

const items = Array.from({ length: 80 }, (_, index) => index);

describe('a share of the generated cases', () => {
  it('is the same for one key, and another one for another', () => {
    const chosen = draw(items, 1 / 8, 'a');
    assert.deepEqual(draw(items, 1 / 8, 'a'), chosen);
    assert.notDeepEqual(draw(items, 1 / 8, 'b'), chosen);
    assert.equal(chosen.length, 10);
    assert.equal(new Set(chosen).size, 10);
  });

  it('keeps the order, has at least one of some, and of none nothing', () => {
    const chosen = draw(items, 1 / 8, 'order');
    assert.deepEqual(
      chosen,
      chosen.toSorted((a, b) => a - b),
    );
    assert.equal(draw(['one', 'two'], 0.01, 'few').length, 1);
    assert.deepEqual(draw([], 0.5, 'none'), []);
    assert.deepEqual(draw(items, 1, 'all'), items);
  });

  it('reaches every item about equally often', () => {
    const counts = items.map(() => 0);
    for (let key = 0; key < 800; key++) for (const item of draw(items, 1 / 8, `key ${key}`)) counts[item]!++;
    assert.ok(Math.min(...counts) > 60 && Math.max(...counts) < 145, counts.join(' '));
  });

  it('has the seed of the version unless another is asked for', () => {
    assert.equal(seedFrom(undefined, 'v1'), seedFrom('', 'v1'));
    assert.notEqual(seedFrom(undefined, 'v1'), seedFrom(undefined, 'v2'));
    assert.equal(seedFrom('4711', 'v1'), 4711);
    assert.equal(seedFrom(String(seedFrom(undefined, 'v1')), 'v2'), seedFrom(undefined, 'v1'));
    assert.equal(seedFrom('any text', 'v1'), seedFrom('any text', 'v2'));
  });

  it('is a quarter of the runs, everything in a full run, and the seed is printed', () => {
    const module = JSON.stringify(new URL('./sample.ts', import.meta.url).href);
    const script = `const { runsOf, sampleOf } = await import(${module});
      const list = Array.from({ length: 80 }, (_, index) => index);
      console.log(JSON.stringify([runsOf(2000), runsOf(20), runsOf(8), sampleOf(list, 1 / 8, 'x').length]));`;
    const run = (env: Record<string, string>) => {
      const { TEST_FULL: _full, TEST_SEED: _seed, ...rest } = process.env;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...rest, ...env },
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
      return stdout.trim().split('\n');
    };
    assert.deepEqual(run({}), [`seed ${version} (TEST_SEED=${seedFrom('', version)})`, '[500,10,8,10]']);
    assert.deepEqual(run({ TEST_FULL: '1', TEST_SEED: '7' }), [
      `seed ${version} (TEST_SEED=7), everything`,
      '[2000,20,8,80]',
    ]);
  });
});
