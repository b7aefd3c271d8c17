/** A provider's error text reaches the team, without secrets, and never the customer. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { fails, type ModelServer, says, startOpenAiServer } from '../../../test/support/model-servers.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { providerMessage } from './provider-message.ts';

const apiKey = 'secret-of-the-agent-4711';
const said = 'You exceeded your current quota, please check your plan.';

test('the message of a provider is found in the usual forms, and in no others', () => {
  const bodies: [unknown, string | null][] = [
    [{ error: { message: 'No quota', type: 'x' } }, 'No quota'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'Overloaded'],
    [{ error: 'model "x" not found' }, 'model "x" not found'],
    [[{ error: { message: 'API key not valid' } }], 'API key not valid'],
    [{ message: 'Unauthorized' }, 'Unauthorized'],
    [{ detail: 'Not Found' }, 'Not Found'],
    [{ error: null, message: 'Second' }, 'Second'],
    [{ error: { code: 7 } }, null],
    [{}, null],
    [7, null],
    [null, null],
  ];
  for (const [body, message] of bodies) assert.equal(providerMessage(JSON.stringify(body), null), message);
  for (const body of ['<html>502 Bad Gateway</html>', '', undefined]) {
    assert.equal(providerMessage(body, null), null);
  }
});

test('it is one short line without keys', () => {
  const of = (message: string) => providerMessage(JSON.stringify({ error: { message } }), apiKey)!;
  assert.equal(of('  two\n\tlines\u0000 '), 'two lines');
  assert.equal([...of('é'.repeat(5_000))].length, 301);
  for (const message of [
    `Incorrect API key provided: ${apiKey}.`,
    `Incorrect API key provided: "${apiKey}".`,
    'Incorrect API key provided: secret-o************4711.',
    `Authorization: Bearer ${apiKey}`,
    `The key ending in ${apiKey.slice(6)} is disabled`,
  ]) {
    assert.doesNotMatch(of(message), /4711|secret-o/, message);
    assert.match(of(message), /\[key removed\]/);
  }
  assert.doesNotMatch(of('Bad key sk-proj-abcdef123456 of someone'), /abcdef/);
  assert.equal(of('max_tokens must be at most 4096'), 'max_tokens must be at most 4096');
});

describe('an error of a provider', () => {
  const log: string[] = [];
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  let agent: Json;

  before(async () => {
    service = await startTestService({
      worker: true,
      env: { ...loopbackAllowed, LOG_LEVEL: 'trace' },
      logTo: { write: (line) => log.push(line) },
    });
    talk = conversationsOf(service);
    model = await startOpenAiServer({ apiKey });
    agent = await talk.agent({ provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey });
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  it('is shown to the administrator who tries the agent', async () => {
    model.choose(() => fails(400, {}, `${said} Key: ${apiKey}`));
    const { body, text } = await service.call('POST', `/agents/${agent.id}/try`, {
      body: { messages: [{ role: 'user', content: 'Hello' }] },
    });
    assert.equal(body.failure, `the model answered 400: ${said} Key: [key removed]`);
    assert.ok(!text.includes(apiKey));
  });

  it('is in the reply log, the system message and the notification; neither in the log nor in a prompt', async () => {
    const channels = (await service.call('GET', '/channels')).body.items;
    const web = channels.find(({ type }: Json) => type === 'web');
    await talk.expect(
      200,
      service.call('PATCH', `/channels/${web.id}`, { body: { defaultAgentId: agent.id } }),
    );
    const visit = { channel: 'web' };
    const { token } = (await service.call('POST', '/widget/sessions', { token: null, body: visit })).body;
    const say = (content: string) =>
      talk.expect(
        202,
        service.call('POST', '/widget/messages', { token, body: { clientId: unique('client'), content } }),
      );
    model.choose(() => fails(400, {}, said));
    await say('Hello?');
    const [{ sessionId }] = (await service.call('GET', '/sessions?limit=1')).body.items;
    await talk.settled(sessionId);

    const [entry] = await talk.replyLog(sessionId);
    assert.deepEqual([entry.outcome, entry.reason], ['failed', `the model answered 400: ${said}`]);
    const system = (await talk.messages(sessionId)).find(({ role }) => role === 'system');
    assert.match(system!.content, /^The assistant could not answer\./);
    assert.ok(system!.content.endsWith(`Reason: the model answered 400: ${said}`));
    await eventually(async () => {
      const { items } = (await service.call('GET', '/notifications', { token: service.admin.jwt })).body;
      return items.some(({ kind, body }: Json) => kind === 'attention' && body.includes(said));
    });

    assert.match(log.join(''), /the model answered 400/);
    assert.ok(!log.join('').includes(said));
    const read = await service.call('GET', '/widget/messages', { token });
    assert.ok(!read.text.includes(said), 'the customer reads it');
    model.choose(() => says('Here I am.'));
    await say('And now?');
    await talk.replied(sessionId);
    const prompt = JSON.stringify(model.requests.at(-1)!.body);
    assert.match(prompt, /The assistant could not answer/);
    assert.ok(!prompt.includes(said), 'a reply could repeat it');
  });
});
