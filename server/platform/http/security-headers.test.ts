import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../../test/support/service.ts';

describe('headers that protect browsers', () => {
  let service: TestService;
  let plain: TestService;
  before(async () => {
    service = await startTestService({ env: { PUBLIC_URL: 'https://talk.example' } });
    plain = await startTestService({ env: { PUBLIC_URL: 'http://talk.example' } });
  });
  after(async () => {
    await service.close();
    await plain.close();
  });
  const paths = [
    '/',
    '/app/',
    '/docs/',
    '/docs/js/scalar.js',
    '/openapi.json',
    '/version',
    '/nowhere',
    '/%zz',
  ];

  it('every answer asks for https for a year when PUBLIC_URL is https, and none does when it is http', async () => {
    for (const path of [...paths, '/crm/records', '/widget.js?channel=none']) {
      const { headers } = await service.call('GET', path, { token: null });
      assert.equal(headers['strict-transport-security'], 'max-age=31536000', path);
      const other = await plain.call('GET', path, { token: null });
      assert.equal(other.headers['strict-transport-security'], undefined, path);
    }
    const refused = await service.call('POST', '/messages', { body: '{' });
    assert.equal(refused.headers['strict-transport-security'], 'max-age=31536000');
  });

  it('so does the answer to what is not HTTP', async () => {
    const base = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(base.port), base.hostname, () => socket.write('NOT HTTP\r\n\r\n'));
      let heard = '';
      socket.on('data', (chunk) => {
        heard += chunk;
      });
      socket.on('end', () => resolve(heard));
      socket.on('error', reject);
    });
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /\r\nstrict-transport-security: max-age=31536000\r\n/);
  });

  it('no answer of the API or of a sign-in is kept or taken for another type', async () => {
    const asked: [string, string, object?][] = [
      ['GET', '/crm/records'],
      ['GET', '/nowhere'],
      ['GET', '/%zz'],
      ['POST', '/auth/login', { email: service.admin.email, password: 'wrong' }],
      ['POST', '/auth/login', { email: service.admin.email, password: service.admin.password }],
      ['GET', '/auth/oidc/start'],
      ['POST', '/widget/sessions', { channel: 'web' }],
    ];
    for (const [method, path, body] of asked) {
      const { headers } = await service.call(method, path, { ...(body && { body }) });
      assert.equal(headers['cache-control'], 'no-store', path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
    }
  });

  it('every page has a policy without a way for foreign scripts, and says who may frame it', async () => {
    const channels = (await service.call('GET', '/channels')).body.items as { id: string; type: string }[];
    const { id } = channels.find(({ type }) => type === 'web')!;
    const pages = [...paths, '/app/inbox', `/widget/frame?channel=${id}`, `/widget/preview?channel=${id}`];
    let seen = 0;
    for (const path of pages) {
      const { headers } = await service.call('GET', path, { token: null });
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      seen++;
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/, path);
      assert.doesNotMatch(policy, /script-src[^;]*(unsafe|\*|https?:|data:|blob:)/, path);
      assert.match(policy, /base-uri 'none'/, path);
      assert.match(policy, /frame-ancestors /, path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      const frame = path.startsWith('/widget/frame') ? undefined : /^(DENY|SAMEORIGIN)$/;
      if (frame) assert.match(String(headers['x-frame-options']), frame, path);
      else assert.equal(headers['x-frame-options'], undefined, 'sites frame it: the policy names them');
    }
    assert.equal(seen, 5);
  });

  it('the reference page has a fresh nonce in every answer, which only its own scripts carry', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const { headers, text } = await service.call('GET', '/docs/', { token: null });
        const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))![1]!;
        const scripts = [...text.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
        assert.equal(scripts.length, 2);
        for (const tag of scripts) assert.ok(tag.includes(`nonce="${nonce}"`), tag);
        assert.doesNotMatch(text, /__CSP_NONCE__/);
        return nonce;
      }),
    );
    assert.notEqual(nonces[0], nonces[1]);
  });
});
