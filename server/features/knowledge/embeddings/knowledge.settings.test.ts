import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';

const baseUrl = 'https://models.example.com/v1';
const settings = { provider: 'openai-compatible', baseUrl, model: 'small' };
const hidden = '********';

describe('PATCH /knowledge/settings', () => {
  let service: TestService;
  let token: string;
  let accountId: string;
  const patch = (embedding: object | null, as = token) =>
    service.call('PATCH', '/knowledge/settings', { token: as, body: { embedding } });
  const change = async (embedding: object | null): Promise<Json> => {
    const { status, text, body } = await patch(embedding);
    assert.equal(status, 200, text);
    assert.deepEqual(await read(), body);
    return body.embedding;
  };
  const read = async (): Promise<Json> => (await service.call('GET', '/knowledge/settings', { token })).body;
  const stored = async () => {
    const [row] = await service.context.db.query<{ key: string | null; generation: number }>(sql`
      select api_key as key, generation from knowledge_embeddings where account_id = ${accountId}`);
    const { secrets } = service.context;
    return row && { ...row, key: row.key && secrets.open(row.key, sealedFor.knowledgeEmbedding(accountId)) };
  };
  before(async () => {
    service = await joinTestService();
  });
  beforeEach(async () => {
    ({ jwt: token, accountId } = await service.createAccount());
  });
  after(() => service.close());

  it('200 off until a provider is set, which shows its key as stars', async () => {
    assert.deepEqual(await read(), { embedding: null });
    assert.deepEqual(await change({ ...settings, apiKey: 'sk-1' }), {
      ...settings,
      enabled: true,
      apiKey: hidden,
      state: 'ready',
      problem: null,
      passages: 0,
      embedded: 0,
      refused: 0,
    });
    assert.equal((await stored())!.key, 'sk-1');
    assert.equal((await change({ enabled: false })).state, 'off');
    assert.equal(await change(null), null);
    assert.equal(await stored(), undefined);
    assert.equal(await change(null), null);
  });

  it('400 without what a provider needs, and for an address on a private network', async () => {
    const refused = async (embedding: object, message: RegExp) => {
      const { status, body } = await patch(embedding);
      assert.equal(status, 400);
      assert.match(body.message, message);
    };
    for (const name of ['provider', 'baseUrl', 'model'] as const) {
      await refused({ ...settings, [name]: undefined }, new RegExp(`embedding.${name} is required`));
    }
    await refused({ ...settings, provider: 'offline' }, /embedding.provider/);
    await refused({ ...settings, baseUrl: 'http://10.0.0.1/v1' }, /^embedding.baseUrl .*private/);
    await refused({ ...settings, baseUrl: 'ftp://models.example.com' }, /^embedding.baseUrl /);
    await refused({ ...settings, apiKey: 'two\nlines' }, /^embedding.apiKey cannot be sent/);
    assert.deepEqual(await read(), { embedding: null });
  });

  it('keeps the key for its origin, and removes it with another one', async () => {
    await change({ ...settings, apiKey: 'sk-1' });
    await change({ model: 'large', apiKey: hidden, baseUrl: `${baseUrl}/other` });
    assert.equal((await stored())!.key, 'sk-1');
    for (const other of [
      'https://models.example.com:8443/v1',
      'http://models.example.com/v1',
      'https://thief.example.com/v1',
    ]) {
      await change({ ...settings, apiKey: 'sk-1' });
      assert.equal((await change({ baseUrl: other, apiKey: hidden })).apiKey, null, other);
      assert.equal((await change({ baseUrl })).apiKey, null, 'coming back does not bring the key back');
    }
    await change({ ...settings, apiKey: 'sk-1' });
    assert.equal((await change({ baseUrl: 'https://other.example.com', apiKey: 'sk-2' })).apiKey, hidden);
    assert.equal((await stored())!.key, 'sk-2');
    assert.equal((await change({ apiKey: null })).apiKey, null);
  });

  it('makes vectors anew for another model or address only', async () => {
    const generation = async (embedding: object) => {
      await change(embedding);
      return (await stored())!.generation;
    };
    const first = await generation(settings);
    assert.equal(await generation({ ...settings, apiKey: 'sk-2', enabled: false }), first);
    const second = await generation({ model: 'large' });
    assert.notEqual(second, first);
    const third = await generation({ baseUrl: 'https://other.example.com/v1' });
    assert.notEqual(third, second);
    await change(null);
    assert.ok((await generation(settings)) > third);
  });

  it('403 for an address, without the right to set where texts of customers go', async () => {
    await change(settings);
    const limited = { name: 'Knowledge only', scopes: ['knowledge:read', 'knowledge:write'] };
    const { token: writer } = await service.createToken(token, limited);
    assert.equal((await patch({ model: 'large' }, writer)).status, 200);
    const { status, body } = await patch({ baseUrl: 'https://other.example.com' }, writer);
    assert.equal(status, 403);
    assert.match(body.message, /^embedding.baseUrl needs the permission webhooks.manage/);
  });

  it('is in the audit log, without the key', async () => {
    await change({ ...settings, apiKey: 'sk-secret' });
    await change({ baseUrl: 'https://other.example.com' });
    await change({});
    const { body } = await service.call('GET', '/audit-log?action=knowledge_settings.updated', { token });
    assert.deepEqual(
      body.items.map(({ changes }: Json) => changes),
      [
        { baseUrl: { from: baseUrl, to: 'https://other.example.com' }, apiKey: 'removed' },
        {
          enabled: { from: null, to: true },
          provider: { from: null, to: 'openai-compatible' },
          baseUrl: { from: null, to: baseUrl },
          model: { from: null, to: 'small' },
          apiKey: 'changed',
        },
      ],
    );
  });
});
