import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  answerTo,
  type EmbeddingServer,
  never,
  startEmbeddingServer,
} from '../../../../test/support/embedding-server.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { loopbackAllowed } from '../../../../test/support/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Whether a text is about the weather. */
const isAboutWeather = (text: string): boolean => /rain|umbrella/i.test(text);

describe('search by meaning', () => {
  let service: TestService;
  let provider: EmbeddingServer;
  let token: string;
  let accountId: string;
  let sourceId: string;
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const write = (title: string, text: string) =>
    call('POST', '/documents', { sourceId, title, text, state: 'published' });
  const q = 'Is the lantern good in rain?';
  const titles = async (limit = 10): Promise<string[]> =>
    (await call('POST', '/search', { q, limit })).passages.map(({ title }: Json) => title);
  const isReady = async () => (await call('GET', '/settings')).embedding.state === 'ready';
  const change = (embedding: object | null) => call('PATCH', '/settings', { embedding });
  /** `Lantern` is first by words, `Umbrella` by meaning. */
  const byWords = ['Lantern', 'Ladder', 'Umbrella'];
  const byMeaning = ['Umbrella', 'Lantern', 'Ladder'];

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
  });
  beforeEach(async () => {
    provider = await startEmbeddingServer((text) => (isAboutWeather(text) ? [1, 0] : [0, 1]));
    ({ jwt: token, accountId } = await service.createAccount());
    sourceId = (await call('GET', '/sources')).items[0].id;
    await write('Lantern', 'The lantern is lit by hand.');
    await write('Ladder', 'You need a ladder for a high lantern.');
    await write('Umbrella', 'An umbrella of this size covers a table, a chair and a small lantern.');
  });
  afterEach(() => provider.close());
  after(() => service.close());
  const turnOn = async () => {
    await change({ provider: 'openai-compatible', baseUrl: provider.baseUrl, model: 'small' });
    await eventually(isReady);
    provider.requests.length = 0;
  };

  it('puts the passages first that mean the same, and asks with the question only', async () => {
    assert.deepEqual(await titles(), byWords);
    await turnOn();
    assert.deepEqual(await titles(), byMeaning);
    assert.deepEqual(await titles(1), ['Umbrella']);
    assert.deepEqual(
      provider.requests.map(({ input }) => input),
      [[q], [q]],
    );
    const { passages } = await call('POST', '/search', { q });
    assert.deepEqual(
      passages.map(({ score }: Json) => score),
      passages.map(({ score }: Json) => score).sort((one: number, other: number) => other - one),
    );
  });

  it('is how agents find passages', async () => {
    const retrieve = async () => {
      const wanted = { q, sourceIds: [sourceId], mayUseInternal: false, language: null, limit: 2 };
      const found = await service.context.knowledgeSearch.retrieve(accountId, wanted);
      return found.map(({ title }) => title);
    };
    assert.deepEqual(await retrieve(), byWords.slice(0, 2));
    await turnOn();
    assert.deepEqual(await retrieve(), byMeaning.slice(0, 2));
  });

  it('is by words while it is off, without a call', async () => {
    await turnOn();
    await change({ enabled: false });
    assert.deepEqual(await titles(), byWords);
    await change({ enabled: true });
    assert.deepEqual(await titles(), byMeaning);
    await change(null);
    provider.requests.length = 0;
    assert.deepEqual(await titles(), byWords);
    assert.equal(provider.requests.length, 0);
  });

  it('is by words if the provider does not answer within a second', async () => {
    await turnOn();
    provider.choose(() => never);
    const began = performance.now();
    assert.deepEqual(await titles(), byWords);
    const waited = performance.now() - began;
    assert.ok(waited >= 900, `${waited} ms`);
    provider.choose(() => null);
    assert.deepEqual(await titles(), byMeaning);
  });

  it('is by words if the answer is an error, is malformed, or is of another model', async () => {
    await turnOn();
    const request = { path: '', authorization: null, model: 'small', input: [q] };
    const answers = [
      { status: 429, body: { error: { message: 'quota' } } },
      { status: 200, body: '{"data": [' },
      { status: 200, body: answerTo(request, () => [1, 0, 0]) },
    ];
    for (const answer of answers) {
      provider.choose(() => answer);
      assert.deepEqual(await titles(), byWords, JSON.stringify(answer));
    }
  });

  it('is by words if the key was sealed with another SECRET_KEY, and the settings say so', async () => {
    await turnOn();
    await change({ apiKey: 'sk-1' });
    await service.context.db.autocommit(sql`
      update knowledge_embeddings set api_key = 'not ours' where account_id = ${accountId}`);
    assert.deepEqual(await titles(), byWords);
    await write('Lamp', 'A lamp.');
    await eventually(async () => (await call('GET', '/settings')).embedding.state === 'problem');
    const { problem } = (await call('GET', '/settings')).embedding;
    assert.equal(problem, 'the key cannot be read: enter it again');
    assert.equal(provider.requests.length, 0);
  });

  it('is by words until there are vectors', async () => {
    provider.choose(() => ({ status: 500, body: '' }));
    await change({ provider: 'openai-compatible', baseUrl: provider.baseUrl, model: 'small' });
    await eventually(async () => (await call('GET', '/settings')).embedding.state === 'problem');
    assert.deepEqual(await titles(), byWords);
    assert.ok(provider.requests.every(({ input }) => input[0] !== q));
  });
});
