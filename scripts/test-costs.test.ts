import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cost, costReport, createMeter, type Process, shared } from './test-costs.ts';

const runner = 1;

/** Ticks are hundredths of a second. */
const at = (pid: number, parent: number, name: string, ticks: number, endedTicks = 0): Process => ({
  pid,
  parent,
  name,
  ticks,
  endedTicks,
});

const cost = (more: Partial<Cost>): Cost => ({ wall: 0, node: 0, browser: 0, postgres: 0, ...more });

describe('costs of test files', () => {
  it('are those of its process, of what it starts, and of the backends of its databases', () => {
    const files = new Map([
      [10, 'a.test.ts'],
      [20, 'b.test.ts'],
    ]);
    const meter = createMeter(runner, {
      fileOf: (pid) => files.get(pid)!,
      testerOf: (pid) => (pid === 31 ? 20 : null),
    });
    const server = [at(30, runner, 'postgres', 100), at(31, 30, 'postgres', 50), at(32, 30, 'postgres', 7)];
    meter.take([at(10, runner, 'node', 200), at(20, runner, 'node', 300), ...server], 0);
    meter.take(
      [
        at(10, runner, 'node', 300),
        at(11, 10, 'headless_shell', 40),
        at(12, 11, 'headless_shell', 60),
        at(20, runner, 'node', 300),
        at(21, 20, 'ffmpeg', 10),
        ...server,
        at(99, 98, 'node', 1_000),
      ],
      2_000,
    );
    assert.deepEqual(meter.costs.get('a.test.ts'), cost({ wall: 2, node: 3, browser: 1 }));
    assert.deepEqual(meter.costs.get('b.test.ts'), cost({ wall: 2, node: 3.1, postgres: 0.5 }));
    assert.deepEqual(meter.costs.get(shared), cost({ postgres: 1.07 }));
    // The process goes on with another file.
    files.set(10, 'c.test.ts');
    meter.take([at(10, runner, 'node', 350)], 3_000);
    assert.deepEqual(meter.costs.get('c.test.ts'), cost({ wall: 1, node: 0.5 }));
  });

  it('have the time of a child that has ended once, also of one that was never seen', () => {
    const meter = createMeter(runner, { fileOf: () => 'a.test.ts', testerOf: () => null });
    meter.take([at(10, runner, 'node', 0), at(11, 10, 'node', 100)], 0);
    // It ran for another half second before it ended; one of 0.2 s has come and gone.
    meter.take([at(10, runner, 'node', 0, 170)], 1_000);
    assert.equal(meter.costs.get('a.test.ts')!.node, 1.7);
    meter.take([at(10, runner, 'node', 0, 170)], 2_000);
    assert.equal(meter.costs.get('a.test.ts')!.node, 1.7);
  });

  it('are printed with the most expensive first, and summed up by kind', () => {
    const costs = new Map([
      ['x/a.test.ts', cost({ wall: 4, node: 1 })],
      ['x/b.test.ts', cost({ wall: 3, node: 1, browser: 2, postgres: 0.5 })],
      ['y/c.test.ts', cost({ wall: 2, node: 0.5 })],
      [shared, cost({ postgres: 9 })],
    ]);
    const lines = costReport(costs, (file) => file.slice(0, 1), 2)
      .split('\n')
      .map((line) => line.trim().split(/\s+/).join(' '));
    assert.deepEqual(lines, [
      'Seconds of the 2 most expensive test files:',
      'processor wall node browser postgres',
      '3.5 3.0 1.0 2.0 0.5 x/b.test.ts',
      '1.0 4.0 1.0 0.0 0.0 x/a.test.ts',
      'By kind:',
      'processor wall node browser postgres',
      '9.0 0.0 0.0 0.0 9.0 (shared) (1 files)',
      '4.5 7.0 2.0 2.0 0.5 x (2 files)',
      '0.5 2.0 0.5 0.0 0.0 y (1 files)',
      '14.0 9.0 2.5 2.0 9.5 all',
    ]);
    assert.equal(
      costReport(new Map(), () => ''),
      '',
    );
  });
});
