import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type App, createHttp } from '../http.ts';
import { createLogger } from '../logger.ts';

describe('a service that works on as many requests as it can', () => {
  let app: App;
  let base: URL;
  let ran = 0;
  const held: (() => void)[] = [];
  before(async () => {
    app = createHttp(createLogger('silent'), async () => null, { maxRunningRequests: 2 });
    app.get('/held', () => new Promise((resolve) => held.push(() => resolve({ done: true }))));
    app.post('/held', () => new Promise((resolve) => held.push(() => resolve({ done: true }))));
    app.get('/quick', async () => ({ ran: ++ran }));
    app.get('/watch', { config: { neverBusy: true } }, async () => ({ ok: true }));
    base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  });
  after(() => app.close());

  const get = (path: string) => fetch(new URL(path, base));
  const occupy = async () => {
    const answers = [get('/held'), get('/held')];
    await eventually(() => held.length === 2);
    return answers;
  };
  const letGo = async (answers: Promise<Response>[]) => {
    for (const finish of held.splice(0)) finish();
    for (const answer of answers) assert.equal((await answer).status, 200);
  };

  it('503 BUSY with Retry-After for one more, which never reaches its handler', async () => {
    const answers = await occupy();
    const more = await get('/quick');
    assert.equal(more.status, 503);
    assert.equal(more.headers.get('retry-after'), '2');
    const body = (await more.json()) as Record<string, string>;
    assert.deepEqual([body.code, body.message], ['BUSY', 'The service is busy, retry in 2 seconds']);
    assert.equal(ran, 0);
    assert.equal((await get('/watch')).status, 200);
    await letGo(answers);
    assert.equal((await get('/quick')).status, 200);
  });

  it('takes others again when clients have gone before their answer', async () => {
    const aborted = new AbortController();
    const gone = [1, 2].map(() =>
      fetch(new URL('/held', base), { signal: aborted.signal }).catch(() => null),
    );
    await eventually(() => held.length === 2);
    assert.equal((await get('/quick')).status, 503);
    aborted.abort();
    await Promise.all(gone);
    await eventually(async () => (await get('/quick')).status === 200);
    held.splice(0);
  });

  it('is not filled by clients that send their bodies slowly', async () => {
    const slow = [1, 2, 3].map(() => {
      const socket = connect(Number(base.port), base.hostname);
      socket.write(
        'POST /held HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{',
      );
      return socket.on('error', () => {});
    });
    await eventually(() => slow.every((socket) => !socket.connecting));
    await new Promise<void>((resolve, reject) => {
      request(new URL('/quick', base), (response) => {
        assert.equal(response.statusCode, 200);
        response.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
    for (const socket of slow) socket.destroy();
  });
});
