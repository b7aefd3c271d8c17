import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitText } from './text-parts.ts';

describe('the parts of a text', () => {
  it('are headings with their level, tables with their cells, and the rest', () => {
    assert.deepEqual(
      splitText('# One\n\nText\nmore\n\n### Two ###\n| a | b |\n|---|:-:|\n| 1 \\| 2 | 3 |\n| 4 |\nEnd'),
      [
        { kind: 'heading', level: 1, text: 'One' },
        { kind: 'text', text: '\nText\nmore\n' },
        { kind: 'heading', level: 3, text: 'Two' },
        {
          kind: 'table',
          head: ['a', 'b'],
          rows: [
            ['1 | 2', '3'],
            ['4', ''],
          ],
        },
        { kind: 'text', text: 'End' },
      ],
    );
  });

  it('leaves code as it is', () => {
    const code = '```\n# no heading\n| a | b |\n|---|---|\n```';
    assert.deepEqual(splitText(code), [{ kind: 'text', text: code }]);
  });

  it('takes no line with a sign for a table', () => {
    const text = 'a | b\nnothing below';
    assert.deepEqual(splitText(text), [{ kind: 'text', text }]);
  });
});
