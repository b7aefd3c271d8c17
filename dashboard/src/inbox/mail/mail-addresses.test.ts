import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readAddresses } from './mail-addresses.ts';

it('addresses with and without names, separated in any way, each once', () => {
  const text = 'Ana Lima <Ana@example.com>, bo@example.com; "Cruz, Di" <di@example.com>\nbo@example.com';
  assert.deepEqual(readAddresses(text), {
    addresses: ['ana@example.com', 'bo@example.com', 'di@example.com'],
    wrong: [],
    isTooMany: false,
  });
});

it('names what is not an address', () => {
  assert.deepEqual(readAddresses('ana@example.com, bo@, not an address').wrong, [
    'bo@',
    'not',
    'an',
    'address',
  ]);
  assert.deepEqual(readAddresses('  ').addresses, []);
});

it('says when there are more than a header takes', () => {
  const many = Array.from({ length: 21 }, (_, index) => `a${index}@example.com`);
  assert.equal(readAddresses(many.join(' ')).isTooMany, true);
});
