import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitInlines, withoutMarkdown } from './markdown-inlines.ts';

describe('what is marked in a line', () => {
  it('is split into text, code, emphasis and links', () => {
    assert.deepEqual(splitInlines('a `b` **c** *d* _e_ [f](https://g.h) https://i.j/k.'), [
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', text: 'd' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', text: 'e' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'f', to: 'https://g.h' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'https://i.j/k', to: 'https://i.j/k' },
      { kind: 'text', text: '.' },
    ]);
    assert.deepEqual(splitInlines('2*3*4, snake_case_name'), [
      { kind: 'text', text: '2*3*4, snake_case_name' },
    ]);
    assert.equal(withoutMarkdown('**a** `b` [c](https://d.e)'), 'a b c');
  });

  it('is found in the longest hostile text at once', () => {
    const length = 65_536;
    const pieces = [
      '[',
      '[a](',
      '[a]',
      '`',
      '`a`',
      '*',
      '**',
      '**a**',
      '*a* ',
      '_',
      '_a_ ',
      'https://!',
      '!',
    ];
    for (const piece of pieces) {
      for (const start of ['', 'https://a', '[', '`']) {
        const text = `${start}${piece.repeat(length)}`.slice(0, length - 1).concat('x');
        const begin = performance.now();
        const parts = splitInlines(text);
        withoutMarkdown(text);
        // What takes time in proportion to the square takes seconds.
        assert.ok(performance.now() - begin < 1_000, `${start}${piece}…`);
        assert.ok(parts.length > 0);
      }
    }
    assert.equal(splitInlines('`a`'.repeat(20_000)).length, 20_000);
  });
});
