import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { it } from 'node:test';
import { delaySockets } from '../test/support/random-delays.ts';
import { failureReport } from './test-load.ts';

it('lists what failed in repeated runs, with how often', () => {
  assert.equal(failureReport([[]], 3), 'Run 1 of 3: 0 failed.');
  assert.equal(
    failureReport([['a'], ['b', 'a']], 3),
    'Run 2 of 3: 2 failed.\n  failed 2 times in 2 runs: a\n  failed 1 times in 2 runs: b',
  );
});

it('delays what a socket receives, and loses and reorders nothing', async (t) => {
  const delays = delaySockets(5);
  t.after(delays.restore);
  const server = createServer(async (socket) => {
    for (let n = 0; n < 200; n++) {
      socket.write(`${n} `);
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.end();
  }).listen(0);
  t.after(() => server.close());
  await once(server, 'listening');
  const client = connect((server.address() as { port: number }).port);
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  await once(client, 'end');
  assert.equal(text, Array.from({ length: 200 }, (_, n) => `${n} `).join(''));
  assert.ok(delays.count() > 0);
});
