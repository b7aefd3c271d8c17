import assert from 'node:assert/strict';
import { it } from 'node:test';
import { randomId } from './random-id.ts';

it('a random id is a UUID of version 4, made without crypto.randomUUID, and never the same twice', (context) => {
  context.mock.method(crypto, 'randomUUID', () => {
    throw new TypeError('crypto.randomUUID is not a function');
  });
  const ids = Array.from({ length: 1_000 }, randomId);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
});
