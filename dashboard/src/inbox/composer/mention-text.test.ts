import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMentions } from './mention-text.ts';

const people = [
  { id: '1', name: 'Ana' },
  { id: '2', name: 'Ana Sousa' },
  { id: '3', name: 'José' },
];
const ids = (text: string) => findMentions(text, people).map(({ id, at }) => `${id} at ${at}`);

describe('names in notes', () => {
  it('the longer name is meant, a name within a word is not', () => {
    assert.deepEqual(ids('@Ana Sousa, ask @Ana.'), ['2 at 0', '1 at 16']);
    assert.deepEqual(ids('@Anabela @Joséfina'), []);
    assert.deepEqual(ids('(@José)'), ['3 at 1']);
    assert.deepEqual(ids('mail@example.com @'), []);
  });
});
