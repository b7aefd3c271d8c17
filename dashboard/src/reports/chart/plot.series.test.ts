import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChartSeries, drawnAs, isLone, worthDrawing } from './plot.series.ts';

const series = (id: string, ...values: (number | null)[]): ChartSeries => ({
  id,
  label: id,
  look: { color: '#000', dash: [], marker: 'circle', hatch: 'plain' },
  values,
});

describe('what of a chart is drawn', () => {
  it('areas over a single bucket become bars, for they would have no width', () => {
    assert.deepEqual(
      [drawnAs('areas', 1), drawnAs('areas', 2), drawnAs('lines', 1)],
      ['bars', 'areas', 'lines'],
    );
  });

  it('stacked series of zeros are left out, unless there is nothing else', () => {
    const [some, zeros, none] = [series('some', 0, 2), series('zeros', 0, 0), series('none', null, null)];
    const ids = (kind: 'lines' | 'areas' | 'bars', ...all: ChartSeries[]) =>
      worthDrawing(kind, all).map(({ id }) => id);
    assert.deepEqual(ids('areas', some, zeros, none), ['some']);
    assert.deepEqual(ids('bars', zeros, some), ['some']);
    assert.deepEqual(ids('lines', some, zeros), ['some', 'zeros'], 'lines stand where their values are');
    assert.deepEqual(ids('bars', zeros, none), ['zeros', 'none']);
  });

  it('a point without neighbours is seen as a point', () => {
    const values = [null, 3, null, 1, 2, null];
    assert.deepEqual(
      values.map((_, index) => isLone(values, index)),
      [false, true, false, false, false, false],
    );
    assert.ok(isLone([5], 0));
  });
});
