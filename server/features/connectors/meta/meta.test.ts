import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  challenge,
  graphError,
  type MetaServer,
  signMeta,
  startMetaServer,
} from '../../../../test/support/providers/meta-server.ts';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { failureOf } from '../../../../test/support/providers/provider-tests.ts';
import type { Link } from '../connectors.provider.ts';
import type { GraphErrors } from './meta.errors.ts';
import { callGraph, listGraph } from './meta.graph.ts';
import { verifyMeta } from './meta.webhook.ts';

const errors: GraphErrors = {
  name: 'The product',
  codes: {
    131056: { errorClass: 'retry', message: 'Too fast.', waitMs: 6_000 },
    '100/33': { errorClass: 'credentials', message: 'It does not exist.' },
  },
};
let graph: MetaServer;
let link: Link;

before(async () => {
  graph = await startMetaServer(async (call, path) => {
    if (path === '/me') return { status: 200, body: { id: '1', method: call.method } };
    if (path === '/list') {
      const page = Number(call.url.searchParams.get('after') ?? 0);
      const next = page < 2 ? { next: 'https://graph.example/next' } : {};
      const paging = { cursors: { before: 'x', after: String(page + 1) }, ...next };
      return { status: 200, body: { data: [{ page, size: call.url.searchParams.get('limit') }], paging } };
    }
    if (path === '/details') {
      return graphError(400, 100, 'Invalid parameter', {
        error_data: { details: `Bad value ${graph.accessToken}` },
      });
    }
    if (path === '/subcode') return graphError(400, 100, 'Unsupported', { error_subcode: 33 });
    return null;
  });
  link = providerLink({
    settings: { apiBase: graph.url, graphVersion: 'v25.0' },
    credentials: {
      accessToken: graph.accessToken,
      appSecret: graph.appSecret,
      verifyToken: graph.verifyToken,
    },
  });
});
after(async () => {
  await graph.close();
  await closeProviderLinks();
});

const get = (path: string) => callGraph(link, { method: 'GET', path }, errors);

describe('the handshake', () => {
  const verify = (query: Record<string, string>, own: Link = link) =>
    verifyMeta(
      own,
      { method: 'GET', url: link.inboundUrl, query, headers: {}, body: Buffer.alloc(0) },
      () => true,
    );
  const asked = () => ({
    'hub.mode': 'subscribe',
    'hub.verify_token': graph.verifyToken,
    'hub.challenge': challenge,
  });

  it('returns the challenge as the raw body', () => {
    const { status, body, accepted } = verify(asked());
    assert.deepEqual([status, body, accepted], [200, challenge, null]);
  });

  it('is rejected with another token, another mode, or without a challenge', () => {
    const { 'hub.challenge': _, ...silent } = asked();
    const wrong = [
      { ...asked(), 'hub.verify_token': 'other' },
      { ...asked(), 'hub.mode': 'unsubscribe' },
      silent,
      {},
    ];
    for (const query of wrong) assert.deepEqual(verify(query), { status: 403, accepted: null });
    const open = { ...link, credentials: { ...link.credentials, verifyToken: '' } };
    assert.equal(verify({ ...asked(), 'hub.verify_token': '' }, open).status, 403);
  });
});

describe('the signature', () => {
  const verify = (body: string | Buffer, signature: string | null, isWanted = true) =>
    verifyMeta(
      link,
      {
        method: 'POST',
        url: link.inboundUrl,
        query: {},
        headers: signature === null ? {} : { 'x-hub-signature-256': signature },
        body: Buffer.from(body),
      },
      () => isWanted,
    );

  it('is checked over the raw bytes', () => {
    const body = '{"object":"page",  "text":"caf\\u00e9 \\/"}';
    const signature = signMeta(graph.appSecret, body);
    assert.deepEqual(verify(body, signature), { status: 200, accepted: body });
    assert.deepEqual(verify(body.replace('  ', ' '), signature), { status: 401, accepted: null });
    for (const wrong of [null, '', 'sha256=', signMeta('other', body), signature.replace('sha256', 'sha1')]) {
      assert.equal(verify(body, wrong).status, 401);
    }
  });

  it('comes before everything else', () => {
    assert.equal(verify('{', 'sha256=00').status, 401);
    assert.equal(verify('{', signMeta(graph.appSecret, '{')).status, 400);
    assert.deepEqual(verify('{}', signMeta(graph.appSecret, '{}'), false), { status: 200, accepted: null });
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    assert.equal(verify(bytes, signMeta(graph.appSecret, bytes)).status, 200);
  });
});

describe('Graph calls', () => {
  it('go below the version, with the token as a header', async () => {
    assert.deepEqual(await get('/me'), { id: '1', method: 'GET' });
    const { url, headers } = graph.calls().at(-1)!;
    assert.equal(url.pathname, '/v25.0/me');
    assert.equal(url.search, '');
    assert.equal(headers.authorization, `Bearer ${graph.accessToken}`);
  });

  it('read every page of a list', async () => {
    const items = await listGraph(link, { path: '/list', query: { limit: '5' } }, errors);
    assert.deepEqual(
      items,
      [0, 1, 2].map((page) => ({ page, size: '5' })),
    );
  });

  it('become errors by class, without credentials', async () => {
    const detailed = await failureOf(get('/details'));
    assert.equal(detailed.errorClass, 'final');
    assert.equal(detailed.message, 'The product rejected the request: Bad value … (error 100)');
    assert.deepEqual(await failureOf(get('/subcode')), {
      errorClass: 'credentials',
      message: 'It does not exist.',
      waitMs: null,
    });
    const cases = [
      [{ status: 400, code: 131056 }, 'retry', 6_000],
      [{ status: 400, code: 131056, retryAfter: 9 }, 'retry', 9_000],
      [{ status: 429, code: 4, retryAfter: 30 }, 'retry', 30_000],
      [{ status: 500, code: 999 }, 'retry', null],
      [{ status: 400, code: 2 }, 'retry', null],
      [{ status: 400, code: 190 }, 'credentials', null],
      [{ status: 403, code: 368 }, 'final', null],
      [{ drop: 'before' }, 'retry', null],
    ] as const;
    for (const [failure, errorClass, waitMs] of cases) {
      graph.failNext(failure);
      const failed = await failureOf(get('/me'));
      assert.deepEqual([failed.errorClass, failed.waitMs], [errorClass, waitMs], JSON.stringify(failure));
    }
    graph.failNext({ drop: 'after' });
    const lost = await failureOf(callGraph(link, { method: 'POST', path: '/me', json: {} }, errors));
    assert.equal(lost.errorClass, 'lost');
    const stranger = { ...link, credentials: { accessToken: 'another-token' } };
    const rejected = await failureOf(callGraph(stranger, { method: 'GET', path: '/me' }, errors));
    assert.equal(rejected.errorClass, 'credentials');
  });
});
