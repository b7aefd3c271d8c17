import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { statusColors } from '../../ui/hues.ts';
import { contrast, leastDistance } from './color-math.ts';
import { chartHues, lookOf, tellApart } from './series-look.ts';

const css = readFileSync(new URL('../../styles/tokens.css', import.meta.url), 'utf8');
const [light, dark] = css.split(':root[data-theme="dark"]') as [string, string];
const token = (theme: string, name: string) => {
  const found = theme.match(new RegExp(`--${name}: (#[0-9a-f]{6});`));
  assert.ok(found?.[1], name);
  return found[1];
};
const pairsOf = (colors: string[]) =>
  colors.flatMap((one, at) => colors.slice(at + 1).map((other) => [one, other] as const));

for (const [name, theme] of [
  ['light', light],
  ['dark', dark],
] as const) {
  describe(`the colours of the charts, ${name}`, () => {
    const ground = token(theme, 'surface');
    const palette = Array.from({ length: chartHues }, (_, index) => token(theme, `chart-${index + 1}`));

    it('stand out from the ground', () => {
      for (const color of palette) assert.ok(contrast(color, ground) >= 3, color);
    });

    it('differ for every kind of sight, the first four clearly', () => {
      for (const [one, other] of pairsOf(palette)) {
        assert.ok(leastDistance(one, other) >= 0.07, `${one} ${other}`);
      }
      for (const [one, other] of pairsOf(palette.slice(0, 4))) {
        assert.ok(leastDistance(one, other) >= 0.1, `${one} ${other}`);
      }
    });

    it('colours of statuses that are alike are told apart, and those that vanish appear', () => {
      const same = tellApart(['#5660d6', '#5660d6', '#5660d6', ground], ground);
      for (const [one, other] of pairsOf(same)) assert.ok(leastDistance(one, other) >= 0.06, `${same}`);
      for (const color of same) assert.ok(contrast(color, ground) >= 3, color);
    });

    it('colours that can be told apart already stay what they are', () => {
      const colors = ['#5660d6', '#e2762d', '#8b8f9a'];
      assert.deepEqual(tellApart(colors, ground), colors);
    });

    it('ten statuses in the offered colours all stand out', () => {
      for (const color of tellApart([...statusColors], ground)) {
        assert.ok(contrast(color, ground) >= 3, color);
      }
    });
  });
}

it('neighbouring series differ in dashes, marker and hatch, not in colour alone', () => {
  const looks = Array.from({ length: chartHues }, (_, index) => lookOf(index));
  for (const sign of ['dash', 'marker', 'hatch'] as const) {
    assert.equal(new Set(looks.map((look) => String(look[sign]))).size, chartHues, sign);
  }
});
