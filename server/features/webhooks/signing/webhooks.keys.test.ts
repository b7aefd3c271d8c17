import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEndpointSecret, sealEndpointSecret } from '../../../platform/events/endpoints.ts';
import { createSecrets } from '../../../platform/secrets/secrets.ts';
import { EndpointKeys } from './webhooks.keys.ts';

const secrets = createSecrets('a key of at least thirty-two characters');

test('a secret opens to the same key again, a rotated one to another', () => {
  const keys = new EndpointKeys(secrets);
  const [first, second] = [1, 2].map(() => sealEndpointSecret(secrets, 'hook', newEndpointSecret()));
  assert.equal(keys.open('hook', first!), keys.open('hook', first!));
  assert.ok(!keys.open('hook', first!).equals(keys.open('hook', second!)));
});

test('a secret that was sealed for another endpoint does not open, even when it is known there', () => {
  const keys = new EndpointKeys(secrets);
  const sealed = sealEndpointSecret(secrets, 'hook', newEndpointSecret());
  keys.open('hook', sealed);
  assert.throws(() => keys.open('another', sealed));
});

test('more endpoints than are kept still open', () => {
  const keys = new EndpointKeys(secrets);
  const sealed = Array.from({ length: 1_100 }, (_, index) => {
    return sealEndpointSecret(secrets, `hook ${index}`, newEndpointSecret());
  });
  const opened = sealed.map((one, index) => keys.open(`hook ${index}`, one));
  assert.ok(keys.open('hook 0', sealed[0]!).equals(opened[0]!));
});
