import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placeholdersIn, replacePlaceholders } from './placeholders.ts';

it('placeholders are found with spaces around their names; empty ones are text', () => {
  const text = '{{ Customer }}, {{}} {{ }} {{a{{board}}}';
  assert.deepEqual(placeholdersIn(text), [
    { text: '{{ Customer }}', name: 'Customer', at: 0 },
    { text: '{{board}}', name: 'board', at: text.indexOf('{{board') },
  ]);
  assert.equal(
    replacePlaceholders(text, (name) => name.toUpperCase()),
    'CUSTOMER, {{}} {{ }} {{aBOARD}',
  );
});

it('long texts of spaces and braces are read in linear time', { timeout: 20_000 }, () => {
  for (const part of [' ', '{{ ', '{', '{{  }']) {
    const text = `{{${part.repeat(65_536)}`;
    assert.deepEqual(placeholdersIn(text), []);
    assert.equal(
      replacePlaceholders(text, () => 'x'),
      text,
    );
  }
});
