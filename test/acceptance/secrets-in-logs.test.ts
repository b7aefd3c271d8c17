/** The log at its most talkative, while everything that has a secret is made, used and fails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf, unique } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { fails, type ModelServer, startOpenAiServer } from '../support/model-servers.ts';
import { readCall } from '../support/providers/provider-http.ts';
import { startReceiver } from '../support/receivers.ts';
import {
  type CallOptions,
  type Json,
  password,
  startTestService,
  type TestService,
} from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

const apiKey = 'sk-secret-of-the-agent-4711';

describe('the log', () => {
  const lines: string[] = [];
  let service: TestService;
  let model: ModelServer;
  before(async () => {
    service = await startTestService({
      worker: true,
      env: { ...loopbackAllowed, LOG_LEVEL: 'trace' },
      logTo: { write: (line) => lines.push(line) },
    });
    model = await startOpenAiServer({ apiKey });
  });
  after(async () => {
    await service.close();
    await model.close();
  });

  it('has no password, token, webhook secret or key of an agent, whatever succeeds or fails', async () => {
    const { call, admin } = service;
    const talk = conversationsOf(service);
    const { token: bearer } = await service.createToken(admin.jwt);
    const webhook = await call('POST', '/webhooks', {
      body: { url: 'http://127.0.0.1:9/hook', events: ['crm_record_created'] },
    });
    model.choose(() => fails(500, {}, `bad key ${apiKey}`));
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey };
    const agent = await talk.agent(connected);
    const channel = await talk.channel({
      defaultAgentId: agent.id,
      webhookUrl: 'http://127.0.0.1:9/channel',
    });
    const sessionId = unique('talk');

    await call('GET', '/crm/records', { token: bearer });
    await call('GET', '/crm/records', { token: `${bearer}x` });
    await call('POST', '/auth/login', {
      token: null,
      body: { email: admin.email, password: 'wrong-password-1' },
    });
    await call('POST', '/users', { body: { email: 'no address', name: 'N', role: 'operator', password } });
    await call('PATCH', `/agents/${agent.id}`, { body: { apiKey, provider: 'nobody' } });
    await call('POST', '/crm/records', { body: { title: 'A record' } });
    await talk.accepted({ content: 'Hello?', sessionId, fromChannelIdentifier: channel.identifier });
    await talk.settled(sessionId, 40_000);

    const log = lines.join('');
    assert.match(log, /model/, 'the failure is told');
    const secrets = {
      apiKey,
      password,
      wrongPassword: 'wrong-password-1',
      jwt: admin.jwt,
      token: bearer,
      webhookSecret: webhook.body.secret,
      channelSecret: channel.webhookSecret,
    };
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(secret.length > 8, name);
      assert.ok(!log.includes(secret), `${name} stands in the log`);
    }
  });

  it("has no credential of a connector, nor have answers and the audit log, if the provider's errors repeat it", async () => {
    const provider = await startRepeatingProvider();
    const apiBase = provider.url;
    const tokens = { botToken: '4711:bot-token-of-the-test', authToken: 'auth-token-of-the-test' };
    const keys = { apiKey: 'key-of-the-gateway' };
    const meta = {
      accessToken: 'access-token-of-the-test',
      appSecret: 'app-secret-of-the-test',
      verifyToken: 'verify-token-of-the-test',
    };
    const kinds = [
      {
        type: 'chatbot',
        customer: '4711',
        connector: { kind: 'telegram', mode: 'webhook', credentials: { botToken: tokens.botToken } },
      },
      {
        type: 'sms',
        customer: '+442079460958',
        connector: {
          kind: 'twilio',
          accountSid: `AC${'1'.repeat(32)}`,
          from: '+442079460001',
          credentials: { authToken: tokens.authToken },
        },
      },
      {
        type: 'chatapp_no',
        customer: '+442079460959',
        connector: { kind: 'evolution', instanceName: 'shop', credentials: keys },
      },
      {
        type: 'chatapp',
        customer: '+442079460960',
        connector: {
          kind: 'whatsapp_cloud',
          phoneNumberId: '1065',
          businessAccountId: '1022',
          credentials: meta,
        },
      },
    ];
    const answers: string[] = [];
    const call = async (method: string, path: string, options?: CallOptions): Promise<Json> => {
      const answer = await service.call(method, path, options);
      answers.push(answer.text);
      assert.ok(answer.status < 500, answer.text);
      return answer.body;
    };
    const secrets: Record<string, string> = {
      ...tokens,
      ...keys,
      ...meta,
      basic: Buffer.from(`AC1:${tokens.authToken}`).toString('base64'),
    };
    try {
      const agents = await call('GET', '/agents');
      for (const { type, customer, connector } of kinds) {
        const { kind } = connector;
        const channel = { name: kind, identifier: kind, type, defaultAgentId: agents.items[0].id };
        provider.isGood = false;
        const created = await call('POST', '/channels', {
          body: { ...channel, connector: { ...connector, apiBase } },
        });
        const path = `/channels/${created.id}`;
        const { link } = (await service.context.links.open(service.admin.accountId, created.id))!;
        secrets[`secret of ${kind}`] = link.secret;
        await eventually(async () => (await call('GET', path)).connector.lastError !== null);
        const check = await call('POST', `${path}/connector/check`);
        assert.match(check.detail, /…/, `${kind} repeats what it was sent`);
        // Rejected, with the credentials in its body.
        await call('PATCH', path, { body: { connector: { apiBase: 'ftp://x', ...connector } } });

        provider.isGood = true;
        await call('POST', `${path}/connector/connect`);
        await eventually(async () => (await call('GET', path)).connector.state === 'connected');
        provider.isGood = false;
        const message = { externalUserId: customer, content: 'Hello' };
        // In WhatsApp the customer writes first; the AI's reply is what fails.
        if (kind === 'whatsapp_cloud') {
          const place = { sessionId: kind, fromChannelIdentifier: kind, channelType: type };
          await call('POST', '/messages', { body: { ...message, ...place } });
        } else await call('POST', `${path}/sessions`, { body: message });
        await eventually(async () =>
          (await call('GET', `${path}/connector/log`)).items.some((entry: Json) => entry.state === 'failed'),
        );
        for (const secret of [link.secret, `${link.secret}x`]) {
          await call('POST', `/connect/${created.id}`, {
            token: null,
            headers: { 'x-connector-secret': secret, 'x-telegram-bot-api-secret-token': secret },
            body: { event: 'messages.upsert', apikey: keys.apiKey, data: {} },
          });
        }
        await call('POST', `${path}/connector/disconnect`);
      }
      await call('GET', '/channels');
      const { items } = await call('GET', '/audit-log?limit=100');
      assert.ok(items.some(({ action }: Json) => action === 'connector.saved'));
    } finally {
      await provider.close();
    }
    const places = { log: lines.join(''), 'an answer': answers.join('') };
    for (const [name, secret] of Object.entries(secrets)) {
      for (const [place, text] of Object.entries(places)) {
        assert.ok(!text.includes(secret), `${name} stands in ${place}`);
        assert.ok(!text.includes(encodeURIComponent(secret)), `${name} stands in ${place}, encoded`);
      }
    }
  });
});

/** Of any kind: rejects every request and repeats all of it, or accepts it. */
async function startRepeatingProvider() {
  const state = { isGood: false };
  const receiver = await startReceiver(async (message, response) => {
    const { url, headers, body } = await readCall(message);
    const { authorization, apikey } = headers;
    const said = `not you: ${url.pathname} ${authorization} ${apikey} ${body}`;
    const good = { ok: true, result: { message_id: 1 }, status: 'active', instance: { state: 'open' } };
    Object.assign(good, { display_phone_number: '+44 20' });
    const bad = { ok: false, error_code: 400, description: said, message: said };
    Object.assign(bad, { error: { message: said, code: 100 } });
    response.writeHead(state.isGood ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(state.isGood ? good : bad));
  });
  return Object.assign(state, { url: receiver.origin, close: () => receiver.close() });
}
