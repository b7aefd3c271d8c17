import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinGaps } from './join-gaps.ts';

const join = (open: Record<string, string>, ...questions: string[]) => {
  let number = 0;
  const gaps = Object.entries(open).map(([id, text]) => ({ id, stems: text.split(' ') }));
  const asked = questions.map((text, at) => ({ messageId: text, at, stems: text.split(' ') }));
  const { added, grouped } = joinGaps(gaps, asked, () => `new ${++number}`);
  return { added: added.map(({ id }) => id), gaps: grouped.map(({ gapId }) => gapId) };
};

describe('a question that was not answered', () => {
  it('joins the open gap that has at least 60 % of its stems', () => {
    assert.deepEqual(join({ a: 'return sofa', b: 'ship parcel' }, 'return sofa day'), {
      added: [],
      gaps: ['a'],
    });
    assert.deepEqual(join({ a: 'one two three' }, 'one two three four five'), { added: [], gaps: ['a'] });
    assert.deepEqual(join({ a: 'one two' }, 'one two three four'), { added: ['new 1'], gaps: ['new 1'] });
  });

  it('joins the gap that has most of them, the first of equal ones', () => {
    assert.deepEqual(join({ a: 'one two', b: 'one two three', c: 'one two three' }, 'one two three').gaps, [
      'b',
    ]);
  });

  it('begins a gap that the next ones join', () => {
    const { added, gaps } = join({}, 'refund order', 'refund order', 'wifi password');
    assert.deepEqual(
      [added, gaps],
      [
        ['new 1', 'new 2'],
        ['new 1', 'new 1', 'new 2'],
      ],
    );
  });
});
