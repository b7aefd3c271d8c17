/** Parts of a channel that not everyone may see. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

const webhookUrl = 'https://hooks.example.com/secret-path';

describe('channels for those who do not manage', () => {
  let service: TestService;
  let channel: Json;
  before(async () => {
    service = await joinTestService();
    const settings = { transcribe: 'off', accessToken: 'of the chat app' };
    channel = await conversationsOf(service).channel({ webhookUrl, settings });
  });
  after(() => service.close());

  const read = async (token: string): Promise<[Json, Json]> => {
    const list = await service.call('GET', '/channels?limit=100', { token });
    const one = await service.call('GET', `/channels/${channel.id}`, { token });
    assert.deepEqual([list.status, one.status], [200, 200]);
    return [list.body.items.find((item: Json) => item.id === channel.id), one.body];
  };

  it('operators and tokens without manage get neither webhookUrl nor secrets', async () => {
    const operator = await service.createUser('operator');
    const scopes = ['messages:read', 'messages:write', 'crm:read', 'crm:write'];
    const { token } = await service.createToken(service.admin.jwt, { scopes });
    for (const caller of [operator.jwt, token]) {
      for (const shown of await read(caller)) {
        assert.ok(!('webhookUrl' in shown));
        assert.deepEqual(shown.settings, { transcribe: 'off' });
        const text = JSON.stringify(shown);
        assert.ok(!/whsec_|secret-path|of the chat app/.test(text), text);
        const { webhookUrl: _url, webhookSecret: _secret, settings: _settings, ...rest } = channel;
        const { settings: _shown, ...common } = shown;
        assert.deepEqual(common, rest, 'all else is there');
      }
    }
  });

  it('administrators and tokens with manage get the webhookUrl, and never the secret again', async () => {
    const colleague = await service.createUser('admin');
    for (const caller of [service.admin.jwt, colleague.jwt, service.token]) {
      for (const shown of await read(caller)) {
        assert.equal(shown.webhookUrl, webhookUrl);
        assert.equal(shown.settings.accessToken, 'of the chat app');
        assert.ok(!('webhookSecret' in shown));
      }
    }
  });

  it('agents: what they are told and where their model is, only for those who manage agents', async () => {
    const secrets = { instructions: 'Never offer more than 12 %', baseUrl: 'https://models.example.com/v1' };
    const knowledge = [{ title: 'Margins', text: 'Ours are 40 %' }];
    const body = { name: 'Nora', provider: 'openai-compatible', model: 'm', ...secrets, knowledge };
    const { id } = (await service.call('POST', '/agents', { body })).body;
    const operator = await service.createUser('operator');
    const { token } = await service.createToken(service.admin.jwt, { scopes: ['messages:read'] });
    const readAgent = async (caller: string): Promise<Json[]> => {
      const { items } = (await service.call('GET', '/agents?limit=100', { token: caller })).body;
      const one = await service.call('GET', `/agents/${id}`, { token: caller });
      return [items.find((item: Json) => item.id === id), one.body];
    };
    for (const caller of [operator.jwt, token]) {
      for (const shown of await readAgent(caller)) {
        assert.equal(shown.name, 'Nora');
        for (const hidden of ['instructions', 'knowledge', 'baseUrl']) assert.ok(!(hidden in shown), hidden);
      }
    }
    for (const caller of [service.admin.jwt, service.token]) {
      for (const shown of await readAgent(caller)) {
        assert.deepEqual({ ...shown, ...secrets, knowledge }, shown);
      }
    }
  });
});
