import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  type EmbeddingServer,
  never,
  startEmbeddingServer,
} from '../../../../test/support/embedding-server.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { loopbackAllowed } from '../../../../test/support/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('the vectors of passages', () => {
  let service: TestService;
  let provider: EmbeddingServer;
  let token: string;
  let accountId: string;
  let sourceId: string;
  let dimensions: number;
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const write = async (title: string, text: string): Promise<string> =>
    (await call('POST', '/documents', { sourceId, title, text, state: 'published' })).id;
  const change = (embedding: object | null) => call('PATCH', '/settings', { embedding });
  const turnOn = (more: object = {}) =>
    change({ provider: 'openai-compatible', baseUrl: provider.baseUrl, model: 'small', ...more });
  const embedding = async (): Promise<Json> => (await call('GET', '/settings')).embedding;
  const reaches = async (expected: object): Promise<void> => {
    let found: Json;
    const fits = async () => {
      found = await embedding();
      return Object.entries(expected).every(([name, value]) => found[name] === value);
    };
    await eventually(fits).catch(() => assert.deepEqual(found, expected));
  };
  const vectors = async () =>
    (
      await service.context.db.query<{ vector: Buffer | null }>(sql`
        select vector from knowledge_vectors where account_id = ${accountId} order by document_id, number`)
    ).map(({ vector }) => vector && [...new Int8Array(vector)]);
  const asked = () => provider.requests.flatMap(({ input }) => input);

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
  });
  beforeEach(async () => {
    dimensions = 2;
    // The length of a text, and then nothing.
    provider = await startEmbeddingServer((text) => [-text.length, ...Array(dimensions - 1).fill(1)]);
    ({ jwt: token, accountId } = await service.createAccount());
    sourceId = (await call('GET', '/sources')).items[0].id;
  });
  afterEach(() => provider.close());
  after(() => service.close());

  it('are made of what is published, and go with it', async () => {
    const first = await write('Returns', '# Shoes\n\nWithin 30 days.');
    await call('POST', '/documents', { sourceId, title: 'Draft', text: 'Nobody reads it.' });
    await turnOn();
    await reaches({ state: 'ready', passages: 1, embedded: 1, refused: 0 });
    assert.deepEqual(asked(), ['Returns\nShoes\n# Shoes\n\nWithin 30 days.']);
    assert.deepEqual(await vectors(), [[-127, 3]]);
    const second = await write('Shipping', 'Tomorrow.');
    await reaches({ state: 'ready', passages: 2, embedded: 2 });
    assert.deepEqual(asked().length, 2, 'only the new one is asked for');
    await call('PUT', `/documents/${first}`, {
      title: 'Returns',
      text: 'Within 60 days.',
      state: 'published',
      expectedVersion: 1,
    });
    await reaches({ state: 'ready', passages: 2, embedded: 2 });
    assert.deepEqual(asked().at(-1), 'Returns\nWithin 60 days.');
    await call('DELETE', `/documents/${second}`);
    assert.deepEqual((await vectors()).length, 1);
    await call('DELETE', `/documents/${first}`);
    assert.deepEqual(await vectors(), []);
  });

  it('are made in batches, by one call after the other', async () => {
    let open = 0;
    let mostOpen = 0;
    provider.choose(async () => {
      mostOpen = Math.max(mostOpen, ++open);
      await new Promise(setImmediate);
      open--;
      return null;
    });
    const text = Array.from({ length: 70 }, (_, at) => `# Part ${at}\n\nText ${at}.`).join('\n\n');
    await write('Long', text);
    await turnOn();
    await reaches({ state: 'ready', passages: 70, embedded: 70 });
    assert.deepEqual(
      provider.requests.map(({ input }) => input.length),
      [32, 32, 6],
    );
    assert.equal(mostOpen, 1);
  });

  it('are made anew for another model, kept while it is off, and removed without a provider', async () => {
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await reaches({ state: 'ready', embedded: 1 });
    await change({ enabled: false });
    await write('Shipping', 'Tomorrow.');
    await reaches({ state: 'off', passages: 2, embedded: 1 });
    dimensions = 3;
    await change({ enabled: true, model: 'large' });
    await reaches({ state: 'ready', passages: 2, embedded: 2 });
    assert.deepEqual(
      (await vectors()).map((vector) => vector!.length),
      [3, 3],
    );
    assert.deepEqual(
      provider.requests.map(({ model, input }) => [model, input.length]),
      [
        ['small', 1],
        ['large', 2],
      ],
    );
    await change(null);
    assert.deepEqual(await vectors(), []);
  });

  it('wait as long as the provider asks, and are tried at once with other settings', async () => {
    provider.choose(() => ({ status: 429, headers: { 'retry-after': '3000' }, body: { error: 'quota' } }));
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await reaches({ state: 'problem', problem: 'the provider answered 429: quota', embedded: 0 });
    await eventually(async () => {
      const [job] = await service.context.db.query<{ isWaiting: boolean }>(sql`
        select run_at > now() + interval '2900 s' and lease_token is null as "isWaiting" from jobs
        where account_id = ${accountId} and kind = 'knowledge_vectors'`);
      return job!.isWaiting;
    });
    provider.choose(() => null);
    await change({ apiKey: 'sk-2' });
    await reaches({ state: 'ready', problem: null, embedded: 1 });
    assert.equal(provider.requests.at(-1)!.authorization, 'Bearer sk-2');
  });

  it('are tried at once with settings that came during a call that failed', async () => {
    let answer = () => {};
    provider.choose(({ authorization }) =>
      authorization === null
        ? new Promise(
            (resolve) => (answer = () => resolve({ status: 429, headers: { 'retry-after': '3000' } })),
          )
        : null,
    );
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await eventually(() => provider.requests.length === 1);
    await change({ apiKey: 'sk-2' });
    answer();
    await reaches({ state: 'ready', problem: null, embedded: 1 });
  });

  it('are tried again after an error', async () => {
    let failures = 1;
    provider.choose(() => (failures-- > 0 ? { status: 500, body: 'oops' } : null));
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await reaches({ state: 'ready', problem: null, embedded: 1 });
    assert.equal(provider.requests.length, 2);
  });

  it('are made of the others if the provider refuses a passage', async () => {
    provider.choose(({ input }) =>
      input.some((text) => text.includes('poison')) ? { status: 400, body: { error: 'too long' } } : null,
    );
    await write('Returns', 'Within 30 days.');
    await write('Broken', 'This is poison.');
    await write('Shipping', 'Tomorrow.');
    await turnOn();
    await reaches({ state: 'ready', passages: 3, embedded: 2, refused: 1 });
  });

  it('are none if the provider refuses every text', async () => {
    provider.choose(() => ({ status: 400, body: { error: { message: 'unknown model' } } }));
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await reaches({ state: 'problem', problem: 'the provider answered 400: unknown model', refused: 0 });
    assert.deepEqual(await vectors(), []);
  });

  it('stay those of one model: another length is a problem', async () => {
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await reaches({ state: 'ready', embedded: 1 });
    dimensions = 3;
    await write('Shipping', 'Tomorrow.');
    await reaches({ state: 'problem', embedded: 1 });
    assert.match((await embedding()).problem, /3 dimensions, those before had 2/);
  });

  it('of settings that have changed during the call are not kept', async () => {
    let answer = () => {};
    provider.choose(({ model }) =>
      model === 'small' ? new Promise((resolve) => (answer = () => resolve(null))) : never,
    );
    await write('Returns', 'Within 30 days.');
    await turnOn();
    await eventually(() => provider.requests.length === 1);
    await change({ model: 'large' });
    answer();
    await eventually(() => provider.requests.length === 2);
    assert.deepEqual(await vectors(), []);
    assert.equal((await embedding()).state, 'working');
    await change(null);
  });
});
