/** Attacks on an agent's key by someone who may change the agent: no other origin ever receives it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import {
  type ModelServer,
  startAnthropicServer,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';

const apiKey = 'sk-entered-for-the-real-provider-4711';

describe('the key of an agent', () => {
  let service: TestService;
  let talk: Conversations;
  let provider: ModelServer;
  /** Everything an attacker's host receives is in its requests, headers included. */
  let thief: ModelServer;
  let anthropicThief: ModelServer;

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    provider = await startOpenAiServer({ apiKey });
    thief = await startOpenAiServer();
    anthropicThief = await startAnthropicServer();
  });
  after(async () => {
    await Promise.all([provider, thief, anthropicThief].map((server) => server.close()));
    await service.close();
  });

  const agentAtProvider = (more: object = {}): Promise<Json> =>
    talk.agent({ provider: 'openai-compatible', model: 'm', baseUrl: provider.baseUrl, apiKey, ...more });
  const patch = (id: string, body: object): Promise<Json> =>
    talk.expect(200, service.call('PATCH', `/agents/${id}`, { body }));
  const tryAgent = (id: string, more: object = {}) =>
    service.call('POST', `/agents/${id}/try`, {
      body: { messages: [{ role: 'user', content: 'Hello' }], ...more },
    });
  const stolen = () => JSON.stringify([thief.requests, anthropicThief.requests]).includes('4711');

  it('is removed when baseUrl moves to another port, host or scheme, and the new host never receives it', async () => {
    const { origin, port } = new URL(provider.baseUrl);
    const elsewhere = [
      thief.baseUrl,
      thief.baseUrl.replace('127.0.0.1', 'localhost'),
      provider.baseUrl.replace('127.0.0.1', '127.0.0.2'),
      provider.baseUrl.replace('http:', 'https:'),
      `https://example.com:${port}/v1`,
    ];
    for (const baseUrl of elsewhere) {
      assert.notEqual(new URL(baseUrl).origin, origin);
      const { id } = await agentAtProvider();
      assert.equal((await patch(id, { baseUrl })).hasApiKey, false, baseUrl);
      await patch(id, { baseUrl: provider.baseUrl });
      assert.match((await tryAgent(id)).body.failure, /401/, 'coming back does not bring the key back');
    }
    const { id } = await agentAtProvider();
    await patch(id, { baseUrl: thief.baseUrl });
    const tried = await tryAgent(id);
    assert.ok(tried.body.text, 'the new host was asked');
    const channel = await talk.channel({ defaultAgentId: id });
    const sessionId = unique('talk');
    await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
    await talk.replied(sessionId);
    assert.equal(thief.requests.length, 2);
    assert.ok(!stolen());
  });

  it('is removed when the provider changes so that the key would go elsewhere', async () => {
    const toAnthropic = await agentAtProvider();
    const moved = await patch(toAnthropic.id, { provider: 'anthropic', baseUrl: anthropicThief.baseUrl });
    assert.equal(moved.hasApiKey, false);
    assert.match((await tryAgent(toAnthropic.id)).body.failure, /no key/);

    const toDefault = await agentAtProvider();
    const atDefault = await patch(toDefault.id, { provider: 'anthropic', baseUrl: null });
    assert.equal(atDefault.hasApiKey, false, 'an address that is removed stands for the provider’s own');

    const fromDefault = await talk.agent({ provider: 'anthropic', model: 'm', apiKey });
    assert.equal((await patch(fromDefault.id, { baseUrl: anthropicThief.baseUrl })).hasApiKey, false);

    const viaOffline = await agentAtProvider();
    await patch(viaOffline.id, { provider: 'offline', baseUrl: null });
    const back = await patch(viaOffline.id, { provider: 'openai-compatible', baseUrl: thief.baseUrl });
    assert.equal(back.hasApiKey, false, 'a detour over the offline agent does not help');
    await tryAgent(viaOffline.id);
    assert.ok(!stolen());
  });

  it('stays for another path of the same origin, and is replaced by a key in the same request', async () => {
    const { id } = await agentAtProvider();
    const sameOrigin = await patch(id, { baseUrl: `${provider.baseUrl}/`, name: unique('Renamed') });
    assert.equal(sameOrigin.hasApiKey, true);
    assert.equal((await patch(id, { model: 'other' })).hasApiKey, true);
    const own = await patch(id, { baseUrl: thief.baseUrl, apiKey: 'sk-for-the-new-host' });
    assert.equal(own.hasApiKey, true);
    const before = thief.requests.length;
    await tryAgent(id);
    assert.equal(thief.requests[before]!.headers.authorization, 'Bearer sk-for-the-new-host');
    const { items } = (await service.call('GET', '/audit-log?limit=100', { token: service.admin.jwt })).body;
    assert.ok(items.some(({ changes }: Json) => /origin changed/.test(changes?.apiKey)));
  });

  it('goes to the stored address only when the agent is tried, whatever the request says', async () => {
    const { id } = await agentAtProvider();
    const before = thief.requests.length;
    const override = { baseUrl: thief.baseUrl, agent: { baseUrl: thief.baseUrl }, provider: 'anthropic' };
    assert.ok((await tryAgent(id, override)).body.text);
    assert.equal(thief.requests.length, before);
  });

  it('does not leak when the address changes while the agent is being tried', async () => {
    const { id } = await agentAtProvider();
    for (let round = 0; round < 8; round++) {
      await patch(id, { baseUrl: provider.baseUrl, apiKey });
      const tries = Array.from({ length: 2 }, () => tryAgent(id));
      const [changed] = await Promise.all([patch(id, { baseUrl: thief.baseUrl }), ...tries]);
      assert.equal(changed.hasApiKey, false);
    }
    assert.ok(!stolen());
  });
});
