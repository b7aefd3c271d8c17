import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DiffLine, diffLines, foldSame } from './text-diff.ts';

const written = (lines: readonly DiffLine[]) =>
  lines.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`).join('|');
const of = (before: string, after: string) => written(diffLines(before, after));

describe('the differences of two texts', () => {
  it('are the fewest lines that are removed and added', () => {
    assert.equal(of('a\nb\nc', 'a\nb\nc'), ' a| b| c');
    assert.equal(of('a\nb\nc', 'a\nx\nc'), ' a|-b|+x| c');
    assert.equal(of('a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc').match(/[+-]/g)?.length, 5);
    assert.equal(of('', 'a\nb'), '-|+a|+b');
    assert.equal(of('a\nb', 'b'), '-a| b');
    assert.equal(of('b', 'a\nb'), '+a| b');
  });

  it('make the second text of the first one, whatever they are', () => {
    let seed = 7;
    const draw = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let run = 0; run < 200; run++) {
      const text = () => Array.from({ length: draw(12) }, () => 'abc'[draw(3)]).join('\n');
      const [before, after] = [text(), text()];
      const lines = diffLines(before, after);
      const without = (kind: DiffLine['kind']) =>
        lines.filter((line) => line.kind !== kind).map((line) => line.text);
      assert.deepEqual(without('added'), before.split('\n'));
      assert.deepEqual(without('removed'), after.split('\n'));
    }
  });

  it('of large texts with nothing in common are shown one after the other', () => {
    const text = (sign: string) => Array.from({ length: 3_000 }, (_, at) => `${sign}${at}`).join('\n');
    const lines = diffLines(text('a'), text('b'));
    assert.equal(lines.length, 6_000);
    assert.deepEqual([lines[0]?.kind, lines.at(-1)?.kind], ['removed', 'added']);
  });

  it('hide long parts that are the same, but for three lines beside each difference', () => {
    const same = Array.from({ length: 20 }, (_, at) => `${at}`).join('\n');
    const blocks = foldSame(diffLines(`${same}\nold`, `${same}\nnew`));
    assert.deepEqual(
      blocks.map(({ kind, lines }) => [kind, lines.length]),
      [
        ['hidden', 17],
        ['lines', 5],
      ],
    );
  });
});
