import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type Scripted, scriptedProvider } from '../../../test/support/providers/scripted-provider.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { ProviderError } from './connectors.provider.ts';

let service: TestService;
let scripted: Scripted;
let agentId: string;
let identifiers = 0;

before(async () => {
  service = await joinTestService({ worker: true });
  agentId = (await service.call('GET', '/agents')).body.items[0].id;
});
after(() => service.close());
beforeEach(() => {
  scripted = scriptedProvider();
  service.context.providers.set('telegram', scripted.provider);
});

const create = (connector: unknown, more: object = {}) =>
  service.call('POST', '/channels', {
    body: {
      name: 'Bot',
      identifier: `bot-${++identifiers}`,
      type: 'chatbot',
      defaultAgentId: agentId,
      connector,
      ...more,
    },
  });
const webhook = { kind: 'telegram', mode: 'webhook', credentials: { botToken: 'good-token' } };
const connectorOf = async (id: string) => (await service.call('GET', `/channels/${id}`)).body.connector;
const stateOf = async (id: string, state: string): Promise<Json> => {
  await eventually(async () => (await connectorOf(id)).state === state);
  return connectorOf(id);
};

describe('a connector as part of its channel', () => {
  it('201 with defaults, connected by a job, without its credentials', async () => {
    const { status, body, text } = await create({
      kind: 'telegram',
      apiBase: 'https://api.example.com/',
      mode: 'webhook',
      credentials: { botToken: 'good-token' },
    });
    assert.equal(status, 201);
    assert.equal(body.enabled, true);
    assert.deepEqual(body.connector, {
      kind: 'telegram',
      mode: 'webhook',
      apiBase: 'https://api.example.com',
      hasCredentials: true,
      state: 'connecting',
      lastError: null,
      lastInboundAt: null,
      lastOutboundAt: null,
      inboundUrl: `${service.context.config.publicUrl}/connect/${body.id}`,
    });
    assert.ok(!text.includes('good-token'));
    await stateOf(body.id, 'connected');
    const listed = (await service.call('GET', '/channels')).body.items;
    assert.equal(listed.find((one: Json) => one.id === body.id).connector.state, 'connected');
    assert.ok(listed.some((one: Json) => one.connector === null));
  });

  it('400 that names what is wrong', async () => {
    for (const [connector, message] of [
      [{}, 'connector.kind is required'],
      [{ kind: 'fax' }, 'connector.kind must be one of telegram, twilio, evolution'],
      [{ kind: 'telegram' }, 'connector.credentials.botToken is required'],
      [
        { kind: 'telegram', credentials: { botToken: ' ' } },
        'connector.credentials.botToken must not be empty',
      ],
      [{ kind: 'telegram', credentials: { botToken: 5 } }, 'connector.credentials.botToken must be a string'],
      [{ ...webhook, mode: 'pigeon' }, 'connector.mode must be one of polling, webhook'],
      [{ ...webhook, apiBase: 'ftp://x' }, 'connector.apiBase must'],
      ['telegram', 'connector must be an object or null'],
    ] as const) {
      const { status, body } = await create(connector);
      assert.equal(status, 400, message);
      assert.ok(body.message.startsWith(message), `${body.message} / ${message}`);
    }
    const sms = await create(webhook, { type: 'sms' });
    assert.equal(sms.body.message, 'connector.kind telegram needs a channel of the type chatbot');
  });

  it('400 that names each setting and each credential that is missing, of every kind', async () => {
    const meta = { accessToken: 'a', appSecret: 's', verifyToken: 'v' };
    const kinds: [kind: string, type: string, settings: object, credentials: object][] = [
      ['whatsapp_cloud', 'chatapp', { phoneNumberId: '1065', businessAccountId: '1022' }, meta],
      ['messenger', 'chatapp', { pageId: '104', platform: 'page' }, meta],
      ['evolution', 'chatapp_no', { apiBase: 'https://api.example.com', instanceName: 'i' }, { apiKey: 'k' }],
      ['twilio', 'sms', { accountSid: 'AC1' }, { authToken: 't' }],
    ];
    for (const [kind, type, settings, credentials] of kinds) {
      const missing = async (name: string, connector: object) => {
        const { status, body } = await create({ kind, ...connector }, { type });
        assert.deepEqual([status, body.message], [400, `connector.${name} is required`], `${kind} ${name}`);
      };
      for (const name of Object.keys(settings)) {
        await missing(name, { ...settings, [name]: undefined, credentials });
      }
      for (const name of Object.keys(credentials)) {
        const others = { ...credentials, [name]: undefined };
        await missing(`credentials.${name}`, { ...settings, credentials: others });
      }
    }
    const silent = { kind: 'twilio', accountSid: 'AC1', credentials: { authToken: 't' } };
    const { body } = await create(silent, { type: 'sms' });
    assert.equal(body.message, 'connector.from or connector.messagingServiceSid is required');
  });

  it('PATCH leaves out a setting that is required now and was not when the connector was made', async () => {
    const credentials = { accessToken: 'a', appSecret: 's', verifyToken: 'v' };
    const numbers = { phoneNumberId: '1065', businessAccountId: '1022' };
    // Disabled: it connects to nothing.
    const more = { type: 'chatapp', enabled: false };
    const { id } = (await create({ kind: 'whatsapp_cloud', ...numbers, credentials }, more)).body;
    const patch = (connector: unknown) => service.call('PATCH', `/channels/${id}`, { body: { connector } });
    const cleared = await patch({ businessAccountId: null });
    assert.deepEqual(
      [cleared.status, cleared.body.message],
      [400, 'connector.businessAccountId is required'],
    );
    await service.context.db.transaction((tx) =>
      tx.query(sql`
        update connectors set settings = settings - 'businessAccountId' where channel_id = ${id}`),
    );
    const changed = await patch({ phoneNumberId: '1066' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      [changed.body.connector.phoneNumberId, changed.body.connector.businessAccountId],
      ['1066', undefined],
    );
    assert.equal((await patch({ businessAccountId: 'x' })).status, 400);
    assert.equal((await patch({ businessAccountId: '1023' })).body.connector.businessAccountId, '1023');
    assert.equal((await patch({ businessAccountId: null })).status, 400);
  });

  it('PATCH keeps what is left out, null removes it, and the audit log has no credential', async () => {
    const { id } = (await create(webhook)).body;
    await stateOf(id, 'connected');
    const patch = (connector: unknown) => service.call('PATCH', `/channels/${id}`, { body: { connector } });
    assert.equal((await patch({ apiBase: 'https://api.example.com/v2' })).body.connector.mode, 'webhook');
    await stateOf(id, 'connected');
    const bad = await patch({ credentials: { botToken: 'wrong-token' } });
    assert.equal(bad.body.connector.apiBase, 'https://api.example.com/v2');
    const failed = await stateOf(id, 'error');
    assert.equal(failed.lastError, 'Unauthorized: …');
    assert.equal(
      (await service.call('PATCH', `/channels/${id}`, { body: { name: 'New' } })).body.connector.state,
      'error',
    );
    assert.equal((await service.call('PATCH', `/channels/${id}`, { body: { type: 'sms' } })).status, 400);
    let notified: Json;
    await eventually(async () => {
      const { items } = (await service.call('GET', '/notifications', { token: service.admin.jwt })).body;
      notified = items.find((one: Json) => one.kind === 'connector_failed' && one.channelId === id);
      return notified !== undefined;
    });
    assert.match(notified.body, /Unauthorized: …/);
    await patch({ credentials: { botToken: 'good-token' } });
    await stateOf(id, 'connected');
    await eventually(async () => {
      const { items } = (await service.call('GET', '/notifications', { token: service.admin.jwt })).body;
      return items.find((one: Json) => one.id === notified.id).readAt !== null;
    });
    assert.equal((await patch(null)).body.connector, null);
    assert.equal(await connectorOf(id), null);
    await eventually(() => scripted.calls.includes('disconnect'));
    const log = await service.call('GET', '/audit-log?limit=100', { token: service.admin.jwt });
    const actions = log.body.items.filter((one: Json) => one.target.id === id).map((one: Json) => one.action);
    assert.ok(actions.includes('connector.saved') && actions.includes('connector.removed'));
    assert.ok(!log.text.includes('good-token') && !log.text.includes('wrong-token'));
  });

  it('with check, a connection that the provider refuses is not saved', async () => {
    const count = async () => (await service.call('GET', '/channels?limit=100')).body.items.length;
    const before = await count();
    const make = (botToken: string, more: object = {}) =>
      service.call('POST', '/channels?check=true', {
        body: {
          name: 'Bot',
          identifier: `checked-${identifiers}`,
          type: 'chatbot',
          defaultAgentId: agentId,
          connector: { kind: 'telegram', credentials: { botToken } },
          ...more,
        },
      });
    const refused = await make('wrong-token');
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.message],
      [409, 'CONNECTION_REFUSED', 'Unauthorized: …'],
    );
    assert.equal(await count(), before);
    // What can be wrong without the provider is said without asking it.
    scripted.calls.length = 0;
    const { status, body } = await make('good-token', { defaultAgentId: 'nobody' });
    assert.deepEqual([status, scripted.calls], [400, []], body.message);
    assert.equal((await service.call('POST', '/channels?check=perhaps', { body: {} })).status, 400);
    const { id, connector } = (await make('good-token')).body;
    assert.equal(connector.state, 'connecting');
    assert.equal(await count(), before + 1);
    await stateOf(id, 'connected');
    const patch = (change: object) =>
      service.call('PATCH', `/channels/${id}?check=true`, { body: { connector: change } });
    assert.equal((await patch({ credentials: { botToken: 'wrong-token' } })).body.code, 'CONNECTION_REFUSED');
    // Asked with the stored token.
    assert.equal((await patch({ mode: 'webhook' })).status, 200);
    await stateOf(id, 'connected');
    assert.equal((await patch({ apiBase: 'https://other.example.com' })).status, 400);
    scripted.validToken = 'another-token';
    assert.equal((await patch({ mode: 'polling' })).body.code, 'CONNECTION_REFUSED');
    assert.equal((await connectorOf(id)).mode, 'webhook');
    const unlinked = new ProviderError('unlinked', 'The phone is not linked.');
    scripted.provider.check = () => Promise.reject(unlinked);
    assert.equal((await patch({ mode: 'polling' })).status, 200);
  });

  it('stored credentials do not follow a changed address', async () => {
    const { id } = (await create(webhook)).body;
    await stateOf(id, 'connected');
    const patch = (connector: unknown) => service.call('PATCH', `/channels/${id}`, { body: { connector } });
    const secretNow = async () => (await service.context.links.openChannel(id, { fresh: true }))!.link.secret;
    const secret = await secretNow();
    for (const apiBase of [
      'https://other.example.com',
      'http://api.example.com',
      'https://api.example.com:8443',
    ]) {
      const { status, body } = await patch({ apiBase });
      assert.deepEqual(
        [status, body.message],
        [400, 'connector.credentials.botToken is required, because connector.apiBase changed'],
      );
    }
    assert.equal((await connectorOf(id)).apiBase, 'https://api.example.com');
    const moved = await patch({
      apiBase: 'https://other.example.com',
      credentials: { botToken: 'good-token' },
    });
    assert.equal(moved.status, 200, moved.text);
    // What the new server learns must not be what the old one will be connected with again.
    assert.notEqual(await secretNow(), secret);
    // Back to the default is a change of the address too.
    assert.equal((await patch({ apiBase: null })).status, 400);
    assert.equal((await patch({ mode: 'polling' })).status, 200);
  });

  it('each server of a mailbox has its own credentials', async () => {
    const login = { user: 'u', password: 'p' };
    const connector = {
      kind: 'email',
      address: 'desk@example.com',
      imap: { host: 'imap.example.com' },
      smtp: { host: 'smtp.example.com' },
      credentials: { imap: login, smtp: login },
    };
    const { id } = (await create(connector, { type: 'email', enabled: false })).body;
    const patch = (change: unknown) =>
      service.call('PATCH', `/channels/${id}`, { body: { connector: change } });
    for (const [change, message] of [
      [{ imap: { host: 'other.example.com' } }, 'imap.user is required, because connector.imap changed'],
      [{ imap: { port: 1993 } }, 'imap.user is required, because connector.imap changed'],
      [{ smtp: { tls: false } }, 'smtp.user is required, because connector.smtp changed'],
      [
        { smtp: { host: 'other.example.com' }, credentials: { imap: login, smtp: { user: 'u' } } },
        'smtp.password is required, because connector.smtp changed',
      ],
    ] as const) {
      const { status, body } = await patch(change);
      assert.deepEqual([status, body.message], [400, `connector.credentials.${message}`]);
    }
    assert.equal((await patch({ imap: { host: 'IMAP.example.com', port: 993 } })).status, 200);
    assert.equal((await patch({ signature: 'The desk' })).status, 200);
    const moved = await patch({ smtp: { host: 'other.example.com' }, credentials: { smtp: login } });
    assert.equal(moved.status, 200, moved.text);
  });

  it('may leave new conversations to people', async () => {
    const wrong = await create(webhook, { settings: { answersFirst: 'nobody' } });
    assert.deepEqual(
      [wrong.status, wrong.body.message],
      [400, 'settings.answersFirst must be one of agent, people'],
    );
    const { identifier, type } = (await create(webhook, { settings: { answersFirst: 'people' } })).body;
    const body = {
      content: 'Hi',
      fromChannelIdentifier: identifier,
      channelType: type,
      sessionId: 'people-1',
    };
    const sent = await service.call('POST', '/messages', { body });
    assert.equal(sent.body.message, 'message stored; the AI is paused');
    const session = (await service.call('GET', '/sessions/people-1')).body;
    assert.deepEqual([session.aiPaused, session.needsAttention], [true, true]);
  });

  it('is disconnected when its channel is deleted', async () => {
    const { id } = (await create(webhook)).body;
    await stateOf(id, 'connected');
    assert.equal((await service.call('DELETE', `/channels/${id}`)).status, 200);
    await eventually(() => scripted.calls.includes('disconnect'));
  });

  it('shows operators only its kind and state', async () => {
    const { id } = (await create(webhook)).body;
    const operator = await service.createUser('operator');
    const { body } = await service.call('GET', `/channels/${id}`, { token: operator.jwt });
    assert.deepEqual(Object.keys(body.connector).sort(), ['kind', 'state']);
  });
});

describe('what an administrator does with it', () => {
  it('200 check, whatever the provider answers', async () => {
    const { id } = (await create(webhook)).body;
    const check = () => service.call('POST', `/channels/${id}/connector/check`);
    assert.deepEqual((await check()).body, { ok: true, detail: 'Connected as @bot.' });
    scripted.validToken = 'another';
    assert.deepEqual((await check()).body, { ok: false, detail: 'Unauthorized: …' });
    assert.equal((await service.call('GET', `/channels/${id}/connector/qr`)).status, 409);
  });

  it('disconnect and connect; 404 without a connector', async () => {
    const { id } = (await create(webhook)).body;
    await stateOf(id, 'connected');
    const stopped = await service.call('POST', `/channels/${id}/connector/disconnect`);
    assert.equal(stopped.body.state, 'disconnected');
    assert.equal((await service.call('POST', `/channels/${id}/connector/connect`)).body.state, 'connecting');
    await stateOf(id, 'connected');
    const plain = (await create(undefined)).body.id;
    for (const place of [plain, '00000000-0000-7000-8000-000000000000', 'x']) {
      for (const action of ['check', 'connect', 'disconnect']) {
        assert.equal((await service.call('POST', `/channels/${place}/connector/${action}`)).status, 404);
      }
    }
  });

  it('shows the code of a phone while it waits for it', async () => {
    scripted.connected = {
      state: 'waiting_for_scan',
      scan: { qr: 'data:image/png;base64,AA', pairingCode: null },
    };
    scripted.provider.scan = async () => ({ qr: null, pairingCode: 'ABCD' });
    const { id } = (await create(webhook)).body;
    await stateOf(id, 'waiting_for_scan');
    assert.deepEqual((await service.call('GET', `/channels/${id}/connector/qr`)).body, {
      state: 'waiting_for_scan',
      qr: 'data:image/png;base64,AA',
      pairingCode: 'ABCD',
    });
    scripted.provider.scan = async () => ({ qr: null, pairingCode: null, isLinked: true });
    scripted.connected = { state: 'connected' };
    const linked = await service.call('GET', `/channels/${id}/connector/qr`);
    assert.deepEqual(linked.body, { state: 'connecting', qr: null, pairingCode: null });
    await stateOf(id, 'connected');
  });
});

describe('a disabled channel', () => {
  it('409 CHANNEL_DISABLED on sends, and its history stays', async () => {
    const { id, identifier } = (await create(undefined)).body;
    const message = {
      content: 'Hi',
      sessionId: `s-${id}`,
      fromChannelIdentifier: identifier,
      channelType: 'chatbot',
    };
    const send = () => service.call('POST', '/messages', { body: message });
    assert.equal((await send()).status, 202);
    const off = await service.call('PATCH', `/channels/${id}`, { body: { enabled: false } });
    assert.equal(off.body.enabled, false);
    const refused = await send();
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, 'CHANNEL_DISABLED');
    const reply = await service.call('POST', `/channels/${id}/sessions/s-${id}/agent-messages`, {
      body: { content: 'Hello' },
    });
    assert.equal(reply.status, 409, reply.text);
    assert.equal(reply.body.code, 'CHANNEL_DISABLED');
    assert.equal((await service.call('GET', `/sessions/s-${id}/messages`)).status, 200);
    await service.call('PATCH', `/channels/${id}`, { body: { enabled: true } });
    assert.equal((await send()).status, 202);
  });
});
