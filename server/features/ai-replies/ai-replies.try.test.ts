import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../test/support/conversations.ts';
import {
  callsTools,
  fails,
  type ModelServer,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

describe('trying an agent', () => {
  let service: TestService;
  let model: ModelServer;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    model = await startOpenAiServer({ apiKey: 'sk-try' });
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  const agentWith = async (settings: object) => (await conversationsOf(service).agent(settings)).id as string;
  const modelled = (settings: object = {}) =>
    agentWith({
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: model.baseUrl,
      apiKey: 'sk-try',
      ...settings,
    });
  const ask = (id: string, ...contents: string[]) =>
    service.call('POST', `/agents/${id}/try`, {
      token: service.admin.jwt,
      body: {
        messages: contents.map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content })),
      },
    });

  it('an offline agent answers from its knowledge and leaves nothing behind', async () => {
    const id = await agentWith({
      provider: 'offline',
      knowledge: [{ title: 'Opening hours', text: 'We are open from 9 to 17.' }],
    });
    const { status, body } = await ask(id, 'What are your opening hours?');
    assert.equal(status, 200);
    assert.match(body.text, /from 9 to 17/);
    assert.deepEqual([body.handover, body.failure], [false, null]);
    assert.equal((await ask(id, 'I want to talk to a human please')).body.handover, true);
    const own = sql`account_id = ${service.admin.accountId}`;
    const [kept] = await service.context.db.query<{ count: number }>(sql`
      select (select count(*) from sessions where ${own})::int
        + (select count(*) from messages where ${own})::int as count`);
    assert.equal(kept?.count, 0);
  });

  it('a model gets the conversation, its key and the tools, which are not called', async () => {
    const id = await modelled({
      instructions: 'Be brief.',
      tools: ['set_field', 'hand_over', 'find_record'],
    });
    model.choose(() => says('Twelve.'));
    const { body } = await ask(id, 'How many?', 'Of what?', 'Of months.');
    assert.equal(body.text, 'Twelve.');
    const request = model.requests.at(-1)!;
    assert.match(JSON.stringify(request.body.messages), /Be brief.*How many\?.*Of what\?.*Of months\./s);
    const offered = (request.body as { tools?: { function: { name: string } }[] }).tools ?? [];
    assert.deepEqual(
      offered.map((tool) => tool.function.name),
      ['set_field', 'hand_over', 'find_record'],
    );
    const sets = { name: 'set_field', arguments: { field: 'Months', value: 12 } };
    model.choose(({ body: { messages } }) =>
      JSON.stringify(messages).includes('not called')
        ? callsTools({ name: 'hand_over', arguments: { reason: 'asked' } })
        : callsTools(sets),
    );
    const { handover, toolCalls } = (await ask(id, 'A person, please')).body;
    assert.equal(handover, true);
    assert.deepEqual(
      toolCalls.map(({ name, result, error }: Json) => [name, result, error]),
      [
        ['set_field', null, 'not called: this is a test without a result of this call'],
        ['hand_over', 'a person will take over after this reply', null],
      ],
    );
  });

  it('asks the model the same, byte for byte, as a customer does', async () => {
    const talk = conversationsOf(service);
    const parameters = { type: 'object', properties: { orderId: { type: 'string' } } };
    const tool = { name: 'find_order', description: 'Finds an order.', kind: 'read', method: 'GET' };
    const body = { ...tool, url: 'https://shop.example.com/orders', parameters };
    const { id: toolId } = await talk.expect(201, service.call('POST', '/tools', { body }));
    const id = await modelled({
      instructions: 'Be brief.',
      knowledge: [{ title: 'Opening hours', text: 'We are open from 9 to 17.' }],
      tools: ['find_record', 'transfer', 'hand_over'],
      toolIds: [toolId],
      answerOnlyFromKnowledge: true,
    });
    const { identifier } = await talk.channel({ defaultAgentId: id });
    model.choose(() => says('From 9 to 17 [1].'));
    const content = 'What are your opening hours?';
    const { sessionId } = await talk.accepted({ content, fromChannelIdentifier: identifier });
    await talk.settled(sessionId);
    const { externalUserId, sessionName } = await talk.session(sessionId);
    assert.deepEqual([externalUserId, sessionName], [null, null], 'a trial has no customer');
    const production = model.requests.at(-1)!.body;
    await ask(id, content);
    assert.equal(JSON.stringify(model.requests.at(-1)!.body), JSON.stringify(production));
    assert.equal((await talk.replyLog(sessionId))[0]!.outcome, 'sent');
  });

  it('a model that fails is an answer too, without the key', async () => {
    const id = await modelled();
    model.choose(() => fails(401));
    const { status, body, text } = await ask(id, 'Hello');
    assert.equal(status, 200);
    assert.equal(body.text, null);
    assert.ok(body.failure);
    assert.doesNotMatch(text, /sk-try/);
  });

  it('429 after thirty tries in a minute', async () => {
    const { jwt } = await service.createAccount();
    const { items } = (await service.call('GET', '/agents', { token: jwt })).body;
    const body = { messages: [{ role: 'user', content: 'Hi' }] };
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) {
      const answer = await service.call('POST', `/agents/${items[0].id}/try`, { token: jwt, body });
      statuses.push(answer.status);
    }
    assert.deepEqual([statuses[29], statuses[30]], [200, 429]);
  });
});
