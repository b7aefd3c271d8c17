import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { plainTable } from '../report.ts';
import { capacityOf, capacityTable, figuresTable, readFigures } from './capacity.ts';
import { modelledSizes } from './report.ts';

const cellsOf = (table: string) =>
  table
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|-]+$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe('the capacity model', () => {
  const document = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const [, marked = ''] = /<!-- figures -->\n(.*)<!-- end of figures -->/s.exec(document) ?? [];

  it('is what docs/scaling.md calculates from its own figures', () => {
    const figures = readFigures(marked);
    const shown = cellsOf(marked);
    const calculated = [
      ...cellsOf(plainTable(figuresTable(figures))),
      ...cellsOf(plainTable(capacityTable(figures, modelledSizes))),
    ];
    assert.deepEqual(shown, calculated);
  });

  it('grows with the accounts, and never below what a failure needs', () => {
    const figures = readFigures(marked);
    const [small, large] = [capacityOf(10, figures), capacityOf(10_000_000, figures)];
    assert.equal(small.cells, 1);
    assert.equal(small.apiProcesses, 2);
    assert.ok(large.cells > 1);
    const twice = capacityOf(2_000, figures);
    assert.equal(twice.perSecond, 2 * capacityOf(1_000, figures).perSecond);
  });
});
