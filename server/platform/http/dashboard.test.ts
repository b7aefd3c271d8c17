import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildDashboard } from '../../../scripts/build-dashboard.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('the dashboard as it is served', () => {
  let service: TestService;
  before(async () => {
    await buildDashboard();
    service = await joinTestService();
  });
  after(() => service.close());
  const get = (url: string, headers = {}) => service.app.inject({ method: 'GET', url, headers });
  const scriptOf = (html: string) => /src="(\/app\/assets\/[^"]+\.js)"/.exec(html)![1]!;

  it('every address below /app/ that is no file is the page, under a policy with a nonce of its own', async () => {
    const [first, second] = [await get('/app/'), await get('/app/boards/any/records/thing')];
    const nonces = [first, second].map((answer) => {
      assert.equal(answer.statusCode, 200);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.equal(answer.headers['cache-control'], 'no-cache');
      const policy = String(answer.headers['content-security-policy']);
      assert.match(policy, /default-src 'none'; script-src 'self'; /);
      assert.ok(!policy.includes('unsafe'));
      const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)![1]!;
      assert.ok(answer.body.includes(`nonce="${nonce}"`));
      assert.ok(!/<script(?![^>]*\bsrc=)/.test(answer.body), 'a script inside the page');
      return nonce;
    });
    assert.notEqual(nonces[0], nonces[1]);
  });

  it('files are sent as the client can read them, and may be kept for ever', async () => {
    const path = scriptOf((await get('/app/')).body);
    const plain = await get(path);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(plain.headers['content-type']), /^text\/javascript/);
    const brotli = await get(path, { 'accept-encoding': 'gzip, br' });
    assert.equal(brotli.headers['content-encoding'], 'br');
    assert.deepEqual(brotliDecompressSync(brotli.rawPayload), plain.rawPayload);
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(gzip.rawPayload), plain.rawPayload);
    assert.equal(brotli.headers.vary, 'accept-encoding');
  });

  it('404 for a file of another release, and nothing from outside the folder', async () => {
    assert.equal((await get('/app/assets/index-gone.js')).statusCode, 404);
    for (const path of [
      '/app/../package.json',
      '/app/%2e%2e/%2e%2e/package.json',
      '/app/..%2fpackage.json',
    ]) {
      assert.ok(!(await get(path)).body.includes('"devDependencies"'), path);
    }
  });
});
