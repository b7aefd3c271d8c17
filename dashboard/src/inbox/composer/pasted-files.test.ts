import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { namePasted } from './pasted-files.ts';

describe('pasted files', () => {
  it('pictures without a name of their own are named by their time; others keep theirs', () => {
    const picture = new File(['x'], 'image.png', { type: 'image/png' });
    const named = new File(['x'], 'offer.pdf', { type: 'application/pdf' });
    const files = namePasted([picture, named, picture], new Date(2026, 10, 6, 9, 5, 7));
    assert.deepEqual(
      files.map(({ name }) => name),
      ['pasted-2026-11-06-090507.png', 'offer.pdf', 'pasted-2026-11-06-090507-2.png'],
    );
    assert.equal(files[0]?.type, 'image/png');
  });
});
