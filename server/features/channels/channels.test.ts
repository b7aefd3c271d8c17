import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const apiKey = 'sk-secret-4711-of-an-agent';

describe('channels and agents', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const post = (path: string, body: object) => call('POST', path, { body });
  const patch = (path: string, body: object) => call('PATCH', path, { body });

  it('every new account has an offline agent, an api channel and a web channel', async () => {
    const { token } = await service.createAccount();
    const agents = (await call('GET', '/agents', { token })).body.items;
    const channels = (await call('GET', '/channels', { token })).body.items;
    assert.deepEqual(
      agents.map((one: Json) => one.provider),
      ['offline'],
    );
    assert.deepEqual(
      channels.map((one: Json) => [one.type, one.identifier, one.defaultAgentId]),
      [
        ['api', 'api', agents[0].id],
        ['web', 'web', agents[0].id],
      ],
    );
  });

  describe('channels', () => {
    it('201 with everything and the secret, which no other answer carries', async () => {
      const agent = await talk.agent();
      const kanban = await talk.kanban();
      const settings = {
        name: 'Shop',
        identifier: unique('shop'),
        type: 'chatapp_no',
        defaultAgentId: agent.id,
        allowedAgentIds: [agent.id],
        agentKanbanConfigs: { [agent.id]: kanban.id },
        webhookUrl: 'https://example.com/hook',
        forwardIncoming: true,
        settings: { transcribe: 'all' },
        assignment: { mode: 'round_robin', teamId: null },
      };
      const created = await post('/channels', settings);
      assert.equal(created.status, 201, created.text);
      const { webhookSecret, ...channel } = created.body;
      assert.match(webhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const { id, createdAt, updatedAt, ...rest } = channel;
      assert.ok(id && createdAt && updatedAt);
      assert.deepEqual(rest, { ...settings, enabled: true, hoursId: null, connector: null });
      assert.deepEqual((await call('GET', `/channels/${id}`)).body, channel);
      const others = [
        await call('GET', '/channels?limit=100'),
        await patch(`/channels/${id}`, { name: 'Store' }),
        await call('GET', '/audit-log', { token: service.admin.jwt }),
      ];
      for (const { text } of others) assert.ok(!text.includes(webhookSecret.slice(6)));
      const rows = await service.context.db.query<{ secret: string }>(
        sql`select secret from webhooks where id = ${id}::uuid`,
      );
      assert.ok(!rows[0]!.secret.includes(webhookSecret.slice(6)), 'sealed at rest');
    });

    it('400 that names the field for unknown ids, types and addresses', async () => {
      const agent = await talk.agent();
      const kanban = await talk.kanban();
      const good = { name: 'x', identifier: unique('bad'), type: 'api', defaultAgentId: agent.id };
      const wrong: [object, RegExp][] = [
        [{ name: ' ' }, /^name is required/],
        [{ identifier: undefined }, /^identifier is required/],
        [{ identifier: agent.id.toUpperCase() }, /^identifier must not be an id in another spelling$/],
        [{ identifier: ` ${agent.id}` }, /^identifier must not be an id in another spelling$/],
        [{ type: 'fax' }, /^type must be one of/],
        [{ defaultAgentId: 'none' }, /^defaultAgentId/],
        [{ allowedAgentIds: ['none'] }, /^allowedAgentIds/],
        [{ agentKanbanConfigs: { none: kanban.id } }, /^agentKanbanConfigs/],
        [{ agentKanbanConfigs: { [agent.id]: 'none' } }, /^agentKanbanConfigs/],
        [{ webhookUrl: 'http://127.0.0.1/' }, /^webhookUrl/],
        [{ webhookUrl: 'ftp://example.com/' }, /^webhookUrl/],
        [{ settings: { transcribe: 'maybe' } }, /^settings\.transcribe/],
      ];
      const { id } = await talk.channel();
      for (const [change, message] of wrong) {
        const created = await post('/channels', { ...good, ...change });
        assert.equal(created.status, 400, `${created.text} ${JSON.stringify(change)}`);
        assert.match(created.body.message, message);
        if (Object.values(change)[0] === undefined) continue;
        const changed = await patch(`/channels/${id}`, change);
        assert.equal(changed.status, 400, changed.text);
        assert.match(changed.body.message, message);
      }
    });

    it('409 for an identifier that its type has already; another type or account may have it', async () => {
      const channel = await talk.channel();
      const body = {
        name: 'x',
        identifier: channel.identifier,
        type: 'api',
        defaultAgentId: channel.defaultAgentId,
      };
      assert.equal((await post('/channels', body)).status, 409);
      assert.equal((await post('/channels', { ...body, type: 'web' })).status, 201);
      const other = await talk.channel();
      assert.equal((await patch(`/channels/${other.id}`, { identifier: channel.identifier })).status, 409);
      assert.equal((await patch(`/channels/${other.id}`, { identifier: other.identifier })).status, 200);
    });

    it('a board that is deleted later does not keep its channel from being changed', async () => {
      const agent = await talk.agent();
      const kanban = await talk.kanban();
      const channel = await talk.channel({
        defaultAgentId: agent.id,
        agentKanbanConfigs: { [agent.id]: kanban.id },
      });
      await talk.expect(200, call('DELETE', `/kanbans/${kanban.id}`));
      await talk.expect(200, patch(`/channels/${channel.id}`, { name: 'Still here' }));
      await talk.accepted({ fromChannelIdentifier: channel.identifier });
    });

    it('a channel with conversations can be neither deleted nor given another type; without, both', async () => {
      const channel = await talk.channel();
      await talk.accepted({ fromChannelIdentifier: channel.identifier });
      assert.equal((await call('DELETE', `/channels/${channel.id}`)).status, 409);
      assert.equal((await patch(`/channels/${channel.id}`, { type: 'web' })).status, 409);
      const empty = await talk.channel();
      await talk.expect(200, patch(`/channels/${empty.id}`, { type: 'web' }));
      await talk.expect(200, call('DELETE', `/channels/${empty.id}`));
      assert.equal((await call('GET', `/channels/${empty.id}`)).status, 404);
      assert.equal(
        (await talk.send({ fromChannelIdentifier: empty.identifier, channelType: 'web' })).status,
        404,
      );
    });
  });

  describe('agents', () => {
    it('201; the key is never returned, nor readable in the database', async () => {
      const body = {
        name: 'Ada',
        provider: 'anthropic',
        model: 'm',
        apiKey,
        instructions: 'Be brief.',
        tools: ['hand_over'],
      };
      const created = await post('/agents', body);
      assert.equal(created.status, 201, created.text);
      const { id } = created.body;
      assert.equal(created.body.hasApiKey, true);
      const answers = [
        created,
        await call('GET', `/agents/${id}`),
        await call('GET', '/agents?limit=100'),
        await patch(`/agents/${id}`, { apiKey: `${apiKey}-2`, name: 'Grace' }),
        await call('GET', '/audit-log', { token: service.admin.jwt }),
        await patch(`/agents/${id}`, { apiKey: 7, name: apiKey.length }),
      ];
      for (const { text } of answers) assert.ok(!text.includes(apiKey));
      const rows = await service.context.db.query<{ text: string }>(
        sql`select row_to_json(a)::text as text from agents a where id = ${id}::uuid`,
      );
      assert.ok(!rows[0]!.text.includes(apiKey));
      const cleared = await talk.expect(200, patch(`/agents/${id}`, { apiKey: null }));
      assert.equal(cleared.hasApiKey, false);
      assert.equal(cleared.name, 'Grace');
    });

    it('400 that names what a provider needs, an address that may not be called, an unknown tool', async () => {
      const wrong: [object, RegExp][] = [
        [{ provider: 'oracle' }, /^provider must be one of/],
        [{ provider: 'anthropic' }, /^model is required/],
        [{ provider: 'openai-compatible', model: 'm' }, /^baseUrl is required/],
        [{ provider: 'openai-compatible', model: 'm', baseUrl: 'http://10.0.0.1/v1' }, /^baseUrl/],
        [{ provider: 'offline', tools: ['shell'] }, /^tools/],
        [{ provider: 'offline', batchWindowMs: -1 }, /^batchWindowMs/],
        [{ provider: 'offline', name: '' }, /^name/],
      ];
      for (const [body, message] of wrong) {
        const { status, body: answer, text } = await post('/agents', { name: 'x', ...body });
        assert.equal(status, 400, text);
        assert.match(answer.message, message);
      }
    });

    it('allowedKanbanIds: empty by default, kept in order, 400 for an unknown board, cleaned up with a board', async () => {
      const other = await service.createAccount();
      const foreign = await call('GET', '/kanbans', { token: other.token });
      const [first, second] = [await talk.kanban(), await talk.kanban()];
      const plain = await talk.agent();
      assert.deepEqual(plain.allowedKanbanIds, []);
      const agent = await talk.agent({ allowedKanbanIds: [second.id, first.id] });
      const stored = async () => (await call('GET', `/agents/${agent.id}`)).body.allowedKanbanIds;
      assert.deepEqual(agent.allowedKanbanIds, [second.id, first.id]);
      assert.deepEqual(await stored(), [second.id, first.id]);
      const unknown = ['nonsense', '01890000-0000-7000-8000-000000000000', foreign.body.items[0].id];
      for (const id of unknown) {
        const change = { allowedKanbanIds: [first.id, id] };
        for (const answer of [
          await patch(`/agents/${agent.id}`, change),
          await post('/agents', { name: 'x', provider: 'offline', ...change }),
        ]) {
          assert.equal(answer.status, 400, answer.text);
          assert.match(answer.body.message, /^allowedKanbanIds has an unknown kanban: /);
        }
      }
      await talk.expect(200, patch(`/agents/${agent.id}`, { name: unique('Renamed') }));
      assert.deepEqual(await stored(), [second.id, first.id], 'a change of something else leaves them');
      await talk.expect(200, call('DELETE', `/kanbans/${second.id}`));
      assert.deepEqual(await stored(), [first.id]);
      await talk.expect(200, patch(`/agents/${agent.id}`, { allowedKanbanIds: [] }));
      assert.deepEqual(await stored(), []);
    });

    it('409 while a channel or a conversation uses it, 200 afterwards', async () => {
      const agent = await talk.agent();
      const channel = await talk.channel({ allowedAgentIds: [agent.id] });
      assert.equal((await call('DELETE', `/agents/${agent.id}`)).status, 409);
      const base = { fromChannelIdentifier: channel.identifier };
      const { sessionId } = await talk.accepted({ ...base, agentId: agent.id });
      await talk.expect(200, patch(`/channels/${channel.id}`, { allowedAgentIds: [] }));
      assert.equal((await call('DELETE', `/agents/${agent.id}`)).status, 409);
      await talk.accepted({ ...base, sessionId, agentId: channel.defaultAgentId });
      await talk.expect(200, call('DELETE', `/agents/${agent.id}`));
      assert.equal((await call('GET', `/agents/${agent.id}`)).status, 404);
    });
  });

  it('reading needs messages:read, changing manage; another account’s are 404', async () => {
    const { token } = await service.createToken(service.admin.jwt, { scopes: ['messages:read'] });
    const operator = await service.createUser('operator');
    const channel = await talk.channel();
    for (const as of [token, operator.jwt]) {
      assert.equal((await call('GET', '/channels', { token: as })).status, 200);
      assert.equal((await call('GET', `/agents/${channel.defaultAgentId}`, { token: as })).status, 200);
      for (const [method, path] of [
        ['PATCH', `/channels/${channel.id}`],
        ['POST', `/channels/${channel.id}/rotate-secret`],
        ['DELETE', `/agents/${channel.defaultAgentId}`],
      ] as const) {
        const answer = await call(method, path, {
          token: as,
          ...(method === 'PATCH' && { body: { name: 'x' } }),
        });
        assert.equal(answer.status, 403, `${method} ${path}`);
      }
    }
    const other = await service.createAccount();
    assert.equal((await call('GET', `/channels/${channel.id}`, { token: other.token })).status, 404);
    const rotate = await call('POST', `/channels/${channel.id}/rotate-secret`, { token: other.token });
    assert.equal(rotate.status, 404);
  });
});
