import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markMatched } from './mark-matched.ts';

const marked = (text: string, ...matched: string[]) =>
  markMatched(text, matched).map(({ start, end }) => text.slice(start, end));

describe('the words that a search has matched', () => {
  it('are marked with their endings and accents, and with typos', () => {
    assert.deepEqual(marked('Returns: returning a PRODUCT', 'return', 'product'), [
      'Returns',
      'returning',
      'PRODUCT',
    ]);
    assert.deepEqual(marked('A devolução é grátis', 'devolucao', 'gratis'), ['devolução', 'grátis']);
    assert.deepEqual(marked('the grinder', 'grindre'), ['grinder']);
  });

  it('are not others that only begin like them', () => {
    assert.deepEqual(marked('a cat, a category and an art', 'cat'), ['cat']);
    assert.deepEqual(marked('internationalisation', 'internet'), []);
  });
});
