import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createOnDemandThread,
  type OnDemandThread,
  ThreadOutOfMemory,
  ThreadTimeout,
} from './on-demand-thread.ts';

type Request = 'echo' | 'count' | 'environment' | 'fail' | 'exit' | 'hang' | 'heap' | 'buffers';

/** Counts the requests of one thread. */
const source = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { serveThread } from '${new URL('./on-demand-thread.ts', import.meta.url)}';
  let count = 0;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  serveThread(parentPort, async (request) => {
    count++;
    if (request === 'fail') throw new Error('it failed');
    if (request === 'exit') process.exit(3);
    if (request === 'hang') await new Promise(() => {});
    const kept = [];
    if (request === 'heap') for (;;) kept.push(Array.from({ length: 1000 }, () => 'x' + Math.random()));
    if (request === 'buffers') for (;;) { kept.push(new Uint8Array(1_000_000)); Atomics.wait(pause, 0, 0, 5); }
    if (request === 'environment') return Object.keys(process.env).length;
    return request === 'count' ? count : workerData;
  });`;
const file = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const waitMs = 30_000;

describe('a thread on demand', () => {
  const threads: OnDemandThread<Request, unknown>[] = [];
  after(() => Promise.all(threads.map((thread) => thread.close())));
  const create = (idleMs = 60_000) => {
    const limits = { heapMb: 32, buffersMb: 64 };
    const thread = createOnDemandThread<Request, unknown>({ file, data: 'its data', idleMs, ...limits });
    threads.push(thread);
    return thread;
  };

  it('starts with its first request, with its data and without an environment, and stays for the next', async () => {
    const thread = create();
    assert.equal(thread.isLoaded(), false);
    assert.equal(await thread.ask('echo', waitMs), 'its data');
    assert.equal(await thread.ask('environment', waitMs), 0);
    const counts = await Promise.all([thread.ask('count', waitMs), thread.ask('count', waitMs)]);
    assert.deepEqual(counts, [3, 4]);
    assert.equal(thread.isLoaded(), true);
  });

  it('is let go when it idles and comes back when it is needed', async () => {
    const thread = create(1);
    assert.equal(await thread.ask('count', waitMs), 1);
    await eventually(() => !thread.isLoaded(), waitMs);
    assert.equal(await thread.ask('count', waitMs), 1, 'a new one');
  });

  it('is replaced after a request that takes too long, fails or ends it', async () => {
    const thread = create();
    assert.equal(await thread.ask('count', waitMs), 1);
    await assert.rejects(thread.ask('hang', 10), ThreadTimeout);
    assert.equal(await thread.ask('count', waitMs), 1);
    await assert.rejects(thread.ask('fail', waitMs), /it failed/);
    assert.equal(await thread.ask('count', waitMs), 1);
    await assert.rejects(thread.ask('exit', waitMs), /the thread has ended/);
    assert.equal(await thread.ask('count', waitMs), 1);
  });

  it('is replaced after a request that needs too much memory, in the heap or in buffers', async () => {
    const thread = create();
    for (const request of ['heap', 'buffers'] as const) {
      await assert.rejects(thread.ask(request, waitMs), ThreadOutOfMemory);
      assert.equal(await thread.ask('count', waitMs), 1);
    }
  });

  it('an abort ends a request that waits at once, and the thread of one that runs', async () => {
    const thread = create();
    assert.equal(await thread.ask('count', waitMs), 1);
    const [running, waiting] = [new AbortController(), new AbortController()];
    const hanging = thread.ask('hang', waitMs, { signal: running.signal });
    const queued = thread.ask('count', waitMs, { signal: waiting.signal });
    waiting.abort(new Error('not needed'));
    await assert.rejects(queued, /not needed/);
    running.abort(new Error('stopped'));
    await assert.rejects(hanging, /stopped/);
    assert.equal(await thread.ask('count', waitMs), 1, 'a new one');
    await assert.rejects(thread.ask('count', waitMs, { signal: waiting.signal }), /not needed/);
    assert.equal(await thread.ask('count', waitMs), 2, 'the same one');
  });

  it('that was closed takes no more requests', async () => {
    const thread = create();
    await thread.ask('echo', waitMs);
    await thread.close();
    assert.equal(thread.isLoaded(), false);
    await assert.rejects(thread.ask('echo', waitMs), /was closed/);
  });
});
