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
});
