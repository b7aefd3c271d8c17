import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  answerTo,
  type EmbeddingAnswer,
  type EmbeddingServer,
  never,
  startEmbeddingServer,
} from '../../../../test/support/embedding-server.ts';
import { parseOutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import { createSafeFetch, type SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { EmbeddingError, embedTexts } from './embed-texts.ts';

const lengthOf = (text: string) => [text.length, 1];

describe('embedTexts', () => {
  let provider: EmbeddingServer;
  let safeFetch: SafeFetch;
  const model = () => ({ baseUrl: provider.baseUrl, model: 'small', apiKey: 'sk-1' });
  const embed = (texts: string[], timeoutMs = 10_000) => embedTexts(safeFetch, model(), texts, { timeoutMs });
  before(async () => {
    provider = await startEmbeddingServer(lengthOf);
    safeFetch = createSafeFetch({ allow: parseOutboundAllow('127.0.0.0/8') });
  });
  after(async () => {
    await safeFetch.close();
    await provider.close();
  });

  it('sends the texts and the key, and returns the vectors in the order of the texts', async () => {
    assert.deepEqual(await embed(['a', 'abc']), [
      [1, 1],
      [3, 1],
    ]);
    assert.deepEqual(provider.requests.at(-1), {
      path: 'POST /v1/embeddings',
      authorization: 'Bearer sk-1',
      model: 'small',
      input: ['a', 'abc'],
    });
  });

  it('keeps the query of an address, and sends no key if there is none', async () => {
    const baseUrl = `${provider.baseUrl}/?api-version=2`;
    await embedTexts(safeFetch, { baseUrl, model: 'small', apiKey: null }, ['a'], { timeoutMs: 10_000 });
    const { path, authorization } = provider.requests.at(-1)!;
    assert.deepEqual([path, authorization], ['POST /v1/embeddings?api-version=2', null]);
  });

  const failing = async (answer: EmbeddingAnswer | Promise<never>, timeoutMs?: number) => {
    provider.choose(() => answer);
    const error = await embed(['a', 'b'], timeoutMs).catch((thrown: unknown) => thrown);
    provider.choose(() => null);
    assert.ok(error instanceof EmbeddingError, String(error));
    return error;
  };
  const vectors = (...data: unknown[]) => ({ body: { data } });
  const good = answerTo({ path: '', authorization: null, model: '', input: ['a', 'b'] }, lengthOf).data;
  const malformed: [string, EmbeddingAnswer][] = [
    ['no JSON', { body: '<html>' }],
    ['null', { body: 'null' }],
    ['no data', { body: {} }],
    ['one vector only', vectors(good[0])],
    ['one vector too many', vectors(...good, good[0])],
    ['the same vector twice', vectors(good[0], good[0])],
    ['vectors of different lengths', vectors({ embedding: [1] }, { embedding: [1, 2] })],
    ['a vector without a direction', vectors({ embedding: [0, 0] }, { embedding: [0, 1] })],
    ['numbers that are too large', vectors({ embedding: [1e200, 1] }, { embedding: [0, 1] })],
    ['numbers that are too small', vectors({ embedding: [1e-200, 0] }, { embedding: [0, 1] })],
    ['a number that is none', vectors({ embedding: ['1', 2] }, { embedding: [0, 1] })],
    ['a vector that is empty', vectors({ embedding: [] }, { embedding: [] })],
    ['a null', vectors(null, null)],
  ];
  for (const [name, answer] of malformed) {
    it(`rejects an answer with ${name}`, async () => {
      assert.equal((await failing(answer)).message, 'the provider returned an unreadable answer');
    });
  }

  it('takes an answer without indexes in its order', async () => {
    provider.choose(() => vectors({ embedding: [1, 0] }, { embedding: [2, 0] }));
    assert.deepEqual(await embed(['a', 'b']), [
      [1, 0],
      [2, 0],
    ]);
    provider.choose(() => null);
  });

  it('says what the provider answered, without the key, and keeps the wait that it asks for', async () => {
    const body = { error: { message: 'Too fast for sk-1' } };
    const limited = await failing({ status: 429, headers: { 'retry-after': '7' }, body });
    assert.match(limited.message, /^the provider answered 429: Too fast for (?!sk-1)/);
    assert.deepEqual([limited.retryAfterMs, limited.isRefusal], [7_000, false]);
    assert.equal((await failing({ status: 400, body: {} })).isRefusal, true);
  });

  it('gives up a provider that does not answer', async () => {
    assert.match((await failing(never, 50)).message, /^the provider cannot be reached: /);
  });
});
