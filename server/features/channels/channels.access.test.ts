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

describe('addresses that receive what customers write', () => {
  let service: TestService;
  let agentId: string;
  let limited: string;
  let trusted: string;
  before(async () => {
    service = await joinTestService();
    agentId = (await service.call('GET', '/agents')).body.items[0].id;
    limited = await withRole(['channels.manage', 'agents.manage']);
    trusted = await withRole(['channels.manage', 'agents.manage', 'webhooks.manage']);
  });
  after(() => service.close());

  const withRole = async (permissions: string[]): Promise<string> => {
    const { jwt } = service.admin;
    const name = `Role of ${permissions.length}`;
    const role = await service.call('POST', '/roles', { token: jwt, body: { name, permissions } });
    const { id, ...user } = await service.createUser('operator');
    await service.call('PATCH', `/users/${id}`, { token: jwt, body: { roleId: role.body.id } });
    return user.jwt;
  };
  const refused = async (method: string, path: string, body: object, field: string) => {
    const answer = await service.call(method, path, { token: limited, body });
    assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'], `${path} ${field}`);
    assert.ok(answer.body.message.startsWith(`${field} needs the permission webhooks.manage`), answer.text);
  };
  const done = async (token: string, method: string, path: string, body: object): Promise<Json> => {
    const answer = await service.call(method, path, { token, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  let identifiers = 0;
  const plain = (more: object = {}) => ({
    name: 'Bot',
    identifier: `address-${++identifiers}`,
    type: 'chatbot',
    defaultAgentId: agentId,
    enabled: false,
    ...more,
  });

  it('agents', async () => {
    const body = { name: 'Mia', provider: 'openai-compatible', model: 'm' };
    const [one, other] = ['https://models.example.com/v1', 'https://models.example.com/v2'];
    await refused('POST', '/agents', { ...body, baseUrl: one }, 'baseUrl');
    const { id } = await done(trusted, 'POST', '/agents', { ...body, baseUrl: one });
    const path = `/agents/${id}`;
    await refused('PATCH', path, { baseUrl: other }, 'baseUrl');
    await done(limited, 'PATCH', path, { baseUrl: one, instructions: 'Be brief' });
    await done(limited, 'PATCH', path, { provider: 'anthropic', baseUrl: null });
    await refused('PATCH', path, { baseUrl: one }, 'baseUrl');
    await done(limited, 'POST', '/agents', { name: 'Tom', provider: 'offline' });
  });

  it('channels', async () => {
    const [one, other] = ['https://hooks.example.com/a', 'https://hooks.example.com/b'];
    await refused('POST', '/channels', plain({ webhookUrl: one }), 'webhookUrl');
    await refused('POST', '/channels', plain({ forwardIncoming: true }), 'forwardIncoming');
    const { id } = await done(trusted, 'POST', '/channels', plain({ webhookUrl: one }));
    const path = `/channels/${id}`;
    await refused('PATCH', path, { webhookUrl: other }, 'webhookUrl');
    await refused('PATCH', path, { forwardIncoming: true }, 'forwardIncoming');
    await refused('PATCH', path, { settings: { forwardUpdates: true } }, 'settings.forwardUpdates');
    await done(limited, 'PATCH', path, { webhookUrl: one, forwardIncoming: false, name: 'Robot' });
    await done(limited, 'PATCH', path, { webhookUrl: null });
    await done(limited, 'POST', '/channels', plain());
  });

  it('connectors', async () => {
    const credentials = { botToken: 't' };
    const bot = { kind: 'telegram', credentials };
    const apiBase = 'https://bots.example.com';
    const own = plain({ connector: { ...bot, apiBase } });
    await refused('POST', '/channels', own, 'connector.apiBase');
    const { id } = await done(limited, 'POST', '/channels', plain({ connector: bot }));
    const path = `/channels/${id}`;
    const change = { connector: { apiBase, credentials } };
    await refused('PATCH', path, change, 'connector.apiBase');
    await refused(
      'PATCH',
      path,
      { connector: { apiBase: 'https://api.telegram.org/mine' } },
      'connector.apiBase',
    );
    await done(limited, 'PATCH', path, { connector: { mode: 'webhook' } });
    await done(trusted, 'PATCH', path, change);
    await done(limited, 'PATCH', path, { connector: { apiBase: `${apiBase}/` } });
    const login = { user: 'u', password: 'p' };
    const mailbox = {
      kind: 'email',
      address: 'desk@example.com',
      imap: { host: 'imap.example.com' },
      smtp: { host: 'smtp.example.com' },
      credentials: { imap: login, smtp: login },
    };
    await refused('POST', '/channels', plain({ type: 'email', connector: mailbox }), 'connector.imap');
    const made = await done(trusted, 'POST', '/channels', plain({ type: 'email', connector: mailbox }));
    const moved = { connector: { smtp: { host: 'my.example.com' }, credentials: { smtp: login } } };
    await refused('PATCH', `/channels/${made.id}`, moved, 'connector.smtp');
    await done(limited, 'PATCH', `/channels/${made.id}`, { connector: { signature: 'The desk' } });
  });
});
