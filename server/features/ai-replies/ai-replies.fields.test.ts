/** Fields hidden from the AI (`aiVisible: false`): their values are in no tool, prompt or reply. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import {
  callsTools,
  type ModelServer,
  type ModelStep,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { repeatsValue } from './ai-replies.guard.ts';

describe('a field that is hidden from the AI', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let model: ModelServer;

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    ({ call } = service);
    model = await startOpenAiServer();
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  /** A board with a visible and a hidden field, and a conversation on it. */
  async function stage(hidden: object = {}, message: object = {}) {
    const kanban = await talk.kanban({
      fields: [
        { name: 'City', type: 'text' },
        { name: 'Secret', type: 'text', aiVisible: false, ...hidden },
      ],
    });
    const [city, secret] = ['City', 'Secret'].map((name) =>
      kanban.fields.find((field: Json) => field.name === name),
    );
    const agent = await talk.agent({
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: model.baseUrl,
      tools: ['find_record', 'set_field'],
    });
    const channel = await talk.channel({
      type: 'chatapp_no',
      defaultAgentId: agent.id,
      agentKanbanConfigs: { [agent.id]: kanban.id },
    });
    const sessionId = unique('talk');
    const say = (content: string) =>
      talk.accepted({
        content,
        sessionId,
        fromChannelIdentifier: channel.identifier,
        channelType: 'chatapp_no',
        ...message,
      });
    const card = async (): Promise<Json> => {
      const { recordId } = await talk.session(sessionId);
      return talk.expect(200, call('GET', `/crm/records/${recordId}`));
    };
    /** The first message creates the card, without the AI. */
    const begin = async (customFields: object) => {
      model.choose(() => says('Hello.'));
      await say('Hello');
      await talk.replied(sessionId);
      const { recordId } = await card();
      await talk.expect(200, call('PUT', `/crm/records/${recordId}`, { body: { customFields } }));
    };
    const ask = async (content: string, ...steps: ModelStep[]) => {
      const count = (await talk.replies(sessionId)).length;
      model.choose((_, number) => steps[number - first - 1] ?? says('No more steps.'));
      const first = model.requests.length;
      await say(content);
      const reply = (await talk.replied(sessionId, count + 1)).at(-1);
      return { reply, sent: JSON.stringify(model.requests.slice(first).map(({ body }) => body)) };
    };
    return { kanban, city, secret, channel, sessionId, say, card, begin, ask };
  }

  it('is not read by the tools: neither its name nor its value reaches the model', async () => {
    const { city, secret, begin, ask } = await stage();
    await begin({ [city.id]: 'Porto', [secret.id]: 'walrus-margin' });
    const look = callsTools({ name: 'find_record', arguments: {} });
    const { sent } = await ask('Where do I live?', look, says('In Porto.'));
    assert.match(sent, /Porto/);
    assert.doesNotMatch(sent, /Secret|walrus/);
  });

  it('is not written by the tools: the refusal is that of a field which is not there', async () => {
    const { secret, begin, ask, card } = await stage();
    await begin({ [secret.id]: 'walrus' });
    const set = (field: string) => callsTools({ name: 'set_field', arguments: { field, value: 'x' } });
    const { sent } = await ask('Change it', set('Secret'), set('Nothing'), says('I cannot.'));
    assert.match(sent, /Refused: there is no field named Secret/);
    assert.match(sent, /Refused: there is no field named Nothing/);
    assert.equal((await card()).customFields[secret.id], 'walrus');
  });

  it('stays hidden where it is also the customer’s id and the card’s title', async () => {
    const phone = '5511987654321';
    const { kanban, card, begin, ask } = await stage({}, { externalUserId: phone });
    const phoneField = kanban.fields.find((field: Json) => field.name === 'Phone');
    await talk.expect(200, call('PATCH', `/crm/fields/${phoneField.id}`, { body: { aiVisible: false } }));
    await begin({});
    const { title, customFields } = await card();
    assert.deepEqual([title, customFields[phoneField.id]], [phone, phone]);
    const look = callsTools({ name: 'find_record', arguments: {} });
    const { sent, reply } = await ask('What is my number?', look, says('It is +55 (11) 98765-4321.'));
    assert.doesNotMatch(sent, new RegExp(phone));
    assert.equal(reply.held, true);
  });

  const repeated: [object, unknown, string][] = [
    [{ type: 'text' }, 'Walrus', 'You are a walrus to us.'],
    [
      { type: 'textarea' },
      'pays late and must pay in advance',
      'You must pay in advance, as you pay late and must pay in advance.',
    ],
    [{ type: 'select', options: ['Platinum', 'Tin'] }, 'Platinum', 'Your tier is platinum!'],
    [{ type: 'multiselect', options: ['Churn risk', 'VIP'] }, ['Churn risk'], 'We see a churn risk.'],
    [{ type: 'number' }, 742, 'Your score is 742.'],
    [{ type: 'currency' }, 12_500.5, 'Your limit is $12,500.50.'],
    [{ type: 'date' }, '2031-03-01', 'It ends on 01/03/2031.'],
    [{ type: 'email' }, 'ana@example.org', 'I wrote to Ana@Example.org.'],
    [{ type: 'phone' }, '+55 11 91234-5678', 'Is it 11912345678?'],
    [{ type: 'url' }, 'https://intranet.example.net/ana', 'See intranet.example.net/ana'],
  ];
  it('holds a reply that repeats its value, for every type', async () => {
    for (const [hidden, value, answer] of repeated) {
      const { secret, sessionId, begin, ask } = await stage(hidden);
      await begin({ [secret.id]: value });
      const { reply } = await ask('Tell me', says(answer));
      assert.equal(reply.held, true, answer);
      assert.equal((await talk.session(sessionId)).needsAttention, true);
      const [entry] = await talk.replyLog(sessionId);
      assert.deepEqual([entry.outcome, entry.reason], ['held', 'repeats a field that is hidden from the AI']);
    }
  });

  it('holds it too when the field is hidden while the model thinks', async () => {
    const { secret, begin, say, sessionId } = await stage({ aiVisible: true });
    await begin({ [secret.id]: 'walrus-margin' });
    let answer = () => {};
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asked = model.requests.length;
    model.choose(() => ({ ...says('Your secret is walrus-margin.'), after: gate }));
    await say('What is my secret?');
    await model.requested(asked + 1);
    await talk.expect(200, call('PATCH', `/crm/fields/${secret.id}`, { body: { aiVisible: false } }));
    answer();
    assert.equal((await talk.replied(sessionId, 2)).at(-1)!.held, true);
  });

  it('holds nothing that the customer said, a visible field has, or chance explains', async () => {
    const { city, secret, begin, ask } = await stage();
    await begin({ [city.id]: 'Porto', [secret.id]: 'Porto' });
    assert.equal((await ask('Where do I live?', says('In Porto.'))).reply.held, false);
    assert.equal((await ask('Am I a walrus?', says('A walrus? No.'))).reply.held, false);
    assert.equal(repeatsValue('No, we open at 10.', ['10', 'no'], []), false);
    assert.equal(repeatsValue('See you in 2031.', ['2031-03-01', '01/03/2031'], []), false);
  });

  it('a visible field is read, written and said as before', async () => {
    const { secret, begin, ask, card } = await stage({ aiVisible: true });
    await begin({ [secret.id]: 'walrus' });
    const set = callsTools({ name: 'set_field', arguments: { field: 'secret', value: 'penguin' } });
    const { sent, reply } = await ask('Change it', set, says('It is penguin now.'));
    assert.match(sent, /Secret is set/);
    assert.equal(reply.held, false);
    assert.equal((await card()).customFields[secret.id], 'penguin');
  });
});
