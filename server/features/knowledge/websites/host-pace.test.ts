import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { createHostPaces } from './host-pace.ts';

it('a host that may be asked again is forgotten at the next request of any host', async () => {
  let now = 1_000;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const paces = createHostPaces();
    const { signal } = new AbortController();
    const ask = (host: string) => paces.take(host, 0, signal, async () => paces.size);
    assert.equal(await ask('a.example'), 1);
    assert.equal(await ask('b.example'), 2, 'the first one still has to wait');
    now += 250;
    assert.equal(await ask('c.example'), 1);
  } finally {
    clock.mock.restore();
  }
});
