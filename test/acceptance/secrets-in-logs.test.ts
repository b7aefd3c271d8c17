/** The log at its most talkative, while everything that has a secret is made, used and fails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf, unique } from '../support/conversations.ts';
import { fails, type ModelServer, startOpenAiServer } from '../support/model-servers.ts';
import { password, startTestService, type TestService } from '../support/service.ts';
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
});
