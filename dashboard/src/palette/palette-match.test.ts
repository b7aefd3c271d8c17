import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editDistance, fit, marksIn, wordsOf } from './palette-match.ts';

const marked = (query: string, text: string) =>
  fit(wordsOf(query), text)?.ranges.map(([from, to]) => text.slice(from, to)) ?? null;

describe('what the palette finds by itself', () => {
  it('the beginning of a word, the middle of one, several words in any order', () => {
    assert.deepEqual(marked('sal', 'Sales'), ['Sal']);
    assert.deepEqual(marked('ook', 'Webhooks'), ['ook']);
    assert.deepEqual(marked('board new', 'New board'), ['New', 'board']);
    assert.equal(marked('board old', 'New board'), null);
  });

  it('without case and accents, and marks the letters as they are written', () => {
    assert.deepEqual(marked('configuracoes', 'Configurações'), ['Configurações']);
    assert.deepEqual(marked('MÜN', 'Reports from Munich'), ['Mun']);
    assert.deepEqual(marked('x', '😀 x'), ['x']);
  });

  it('typos: one from four letters, two from seven, swapped neighbours count as one', () => {
    assert.deepEqual(marked('setings', 'Settings'), ['Settings']);
    assert.deepEqual(marked('ntoifications', 'Notifications'), ['Notifications']);
    assert.deepEqual(marked('webhoks', 'Webhooks'), ['Webhooks']);
    assert.equal(marked('slaes', 'Sales')?.[0], 'Sales');
    assert.equal(marked('abc', 'abd'), null);
    assert.equal(marked('setxxgs', 'Sales'), null);
  });

  it('what is still being typed may have a typo too', () => {
    assert.deepEqual(marked('notfi', 'Notifications'), ['Noti']);
  });

  it('exact before typo, whole before part', () => {
    const better = (a: string, b: string, query: string) => {
      const [x, y] = [fit(wordsOf(query), a)!, fit(wordsOf(query), b)!];
      return x.typos - y.typos || x.distance - y.distance;
    };
    assert.ok(better('Sales', 'Salesforce', 'sales') < 0);
    assert.ok(better('Salesforce', 'Saler', 'sales') < 0);
  });

  it('the distance is that of Damerau and Levenshtein where it is small', () => {
    const slow = (a: string, b: string): number => {
      if (!a || !b) return a.length + b.length;
      const same = a.at(-1) === b.at(-1) ? 0 : 1;
      const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
      return Math.min(
        slow(a.slice(0, -1), b) + 1,
        slow(a, b.slice(0, -1)) + 1,
        slow(a.slice(0, -1), b.slice(0, -1)) + same,
        ...(swapped ? [slow(a.slice(0, -2), b.slice(0, -2)) + 1] : []),
      );
    };
    const letters = ['', 'a', 'ab', 'ba', 'abc', 'acb', 'bca', 'abca', 'aabc', 'cabb'];
    for (const a of letters) {
      for (const b of letters) {
        const expected = slow(a, b);
        assert.equal(editDistance(a, b, 2), expected <= 2 ? expected : null, `${a} ${b}`);
      }
    }
  });

  it('marks what of the words stands in a text that the service found', () => {
    const text = 'Is the blue bicycle still there?';
    assert.deepEqual(
      marksIn(wordsOf('bicylce otto'), text).map(([from, to]) => text.slice(from, to)),
      ['bicycle'],
    );
  });
});
