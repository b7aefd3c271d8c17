/** What a reply was made of: its version, its cost, its tools, and the rules that looked at it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import {
  callsTools,
  fails,
  type ModelServer,
  type ModelStep,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { isFull } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';

const apiKey = 'sk-secret-of-the-agent-4711';
const allFree = ['note', 'hidden_field', 'blocked_pattern', 'window'].map((rule) => ({ rule, held: false }));

describe('what a reply was made of', () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    model = await startOpenAiServer({ apiKey });
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  const modelled = async (settings: object = {}): Promise<{ agent: Json; identifier: string }> => {
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey };
    const agent = await talk.agent({ ...connected, ...settings });
    const { identifier } = await talk.channel({ defaultAgentId: agent.id });
    return { agent, identifier };
  };
  const ask = async (identifier: string, content: string, ...steps: ModelStep[]): Promise<Json> => {
    model.script(...steps);
    const { sessionId } = await talk.accepted({ content, fromChannelIdentifier: identifier });
    await talk.settled(sessionId);
    const [entry] = await talk.replyLog(sessionId);
    return { ...entry, sessionId };
  };

  it('version, tokens, cost by the own price, and a guard that held nothing', async () => {
    const { agent, identifier } = await modelled({ price: { input: 2, output: 10 } });
    const reply = says('Hello.', { usage: { input: 1_000, output: 500 } });
    const entry = await ask(identifier, 'Hi', reply);
    const { agentVersion, cost, toolCalls, guard, handover } = entry;
    assert.deepEqual(
      { agentVersion, cost, toolCalls, guard, handover },
      {
        agentVersion: 1,
        cost: { amount: 0.007, currency: 'USD' },
        toolCalls: [],
        guard: allFree,
        handover: null,
      },
    );
    await talk.expect(200, service.call('PATCH', `/agents/${agent.id}`, { body: { price: null } }));
    const next = await ask(identifier, 'Hi again', reply);
    assert.deepEqual([next.agentVersion, next.cost], [2, null], 'nobody knows what the model m costs');
  });

  it('cost by the public price of a model that is known by its name', async () => {
    const { identifier } = await modelled({ model: 'gpt-4o-mini' });
    const reply = says('Hello.', { usage: { input: 1_000_000, output: 0 } });
    const { cost } = await ask(identifier, 'Hi', reply);
    assert.ok(cost.amount > 0.01 && cost.amount < 10, JSON.stringify(cost));
  });

  it('calls of tools with what they were given, returned and refused, and no secret', async () => {
    const { identifier } = await modelled({ tools: ['find_record', 'set_status'] });
    const calls = callsTools(
      { name: 'find_record', arguments: {} },
      { name: 'set_status', arguments: { status: 'no such status' } },
      { name: 'set_status', arguments: { wrong: 'é'.repeat(3_000) } },
      { name: 'send_money', arguments: { amount: 1 } },
    );
    const { toolCalls } = await ask(identifier, 'Hi', calls, says('Done.'));
    const [found, refused, misfit, unknown] = toolCalls;
    assert.deepEqual(
      [found.name, found.kind, found.arguments, found.error],
      ['find_record', 'read', {}, null],
    );
    assert.deepEqual(Object.keys(JSON.parse(found.result)).slice(0, 2), ['title', 'board']);
    assert.ok(Number.isInteger(found.ms));
    assert.deepEqual(
      [refused.kind, refused.arguments, refused.result],
      ['write', { status: 'no such status' }, null],
    );
    assert.match(refused.error, /^status must be one of /);
    assert.ok(misfit.error);
    assert.ok(Buffer.byteLength(misfit.arguments) <= 4_096 && misfit.arguments.endsWith('é…'));
    assert.deepEqual([unknown.name, unknown.kind, unknown.result], ['send_money', null, null]);
    assert.ok(!JSON.stringify(toolCalls).includes('4711'));
  });

  it('the calls of all tries, also of a reply that failed', async () => {
    const { identifier } = await modelled({ tools: ['find_record'] });
    const find = callsTools({ name: 'find_record', arguments: {} });
    const repeated = await ask(identifier, 'Hi', find, fails(500), find, says('Hello.'));
    assert.deepEqual(
      [repeated.outcome, repeated.toolCalls.map(({ name, error }: Json) => [name, error])],
      ['sent', Array(2).fill(['find_record', null])],
    );
    const failed = await ask(identifier, 'Hi again', find, fails(400));
    assert.deepEqual([failed.outcome, failed.toolCalls.length], ['failed', 1]);
    assert.equal(
      JSON.parse(failed.toolCalls[0].result).status,
      JSON.parse(repeated.toolCalls[0].result).status,
    );
  });

  it('the rule that held it', async () => {
    const { identifier } = await modelled();
    const { sessionId } = await talk.accepted({ content: 'Hi', fromChannelIdentifier: identifier });
    await talk.replied(sessionId);
    const { channelId } = await talk.session(sessionId);
    const content = 'The customer owes us 4711 euros since March';
    const note = { content, isNote: true, isNoteVisibleToAi: true };
    assert.equal((await talk.operatorSays(channelId, sessionId, note)).status, 201);
    model.script(says('The customer owes us 4711 euros since March.'));
    await talk.accepted({ content: 'What now?', sessionId, fromChannelIdentifier: identifier });
    await talk.settled(sessionId);
    const [entry] = await talk.replyLog(sessionId);
    assert.deepEqual(
      [entry.outcome, entry.guard],
      ['held', [{ rule: 'note', held: true }, ...allFree.slice(1)]],
    );
  });

  it('a hand-over with its reason, and no guard where nothing was to be sent', async () => {
    const { identifier } = await modelled({ tools: ['hand_over'] });
    const calls = callsTools({ name: 'hand_over', arguments: { reason: 'wants a person' } });
    const { handover, toolCalls } = await ask(identifier, 'A person, please', calls);
    assert.deepEqual(handover, { reason: 'requested' });
    assert.deepEqual(toolCalls[0].arguments, { reason: 'wants a person' });
    const failed = await ask(identifier, 'Hi', { status: 400, headers: {}, message: 'no' });
    assert.deepEqual(
      [failed.outcome, failed.agentVersion, failed.guard, failed.cost],
      ['failed', 1, [], null],
    );
  });

  it('replyId finds the entry of one reply', async () => {
    const { sessionId } = await talk.accepted({ content: 'What is Talkboard?' });
    await talk.replied(sessionId);
    await talk.accepted({ content: 'What is a board?', sessionId });
    const replies = await talk.replied(sessionId, 2);
    await talk.settled(sessionId);
    const find = async (replyId: string): Promise<Json[]> => {
      const path = `/sessions/${sessionId}/replies?replyId=${replyId}`;
      return (await talk.expect(200, service.call('GET', path))).items;
    };
    for (const { id } of replies)
      assert.deepEqual(
        (await find(id)).map(({ replyId }) => replyId),
        [id],
      );
    assert.deepEqual(await find('nothing'), []);
  });

  it('each of many replies is explained by one version while versions are published and taken back', async () => {
    const total = isFull ? 1_000 : 60;
    /** Every field that reaches the model names its version. */
    const versionOf = (number: number) => ({
      model: `model-${number}`,
      instructions: `[instructions-${number}]`,
      knowledge: [{ title: 'Version', text: `[knowledge-${number}]` }],
    });
    const { agent, identifier } = await modelled(versionOf(1));
    model.choose(({ body }) => {
      const text = JSON.stringify(body.messages);
      const seen = [
        body.model,
        text.match(/\[instructions-\d+\]/)?.[0],
        text.match(/\[knowledge-\d+\]/)?.[0],
      ];
      return says(seen.map((one) => one?.match(/\d+/)?.[0]).join(' '));
    });
    const asked: string[] = [];
    const path = `/agents/${agent.id}`;
    const change = async (number: number) => {
      await talk.expect(200, service.call('PUT', `${path}/draft`, { body: versionOf(number) }));
      await talk.expect(200, service.call('POST', `${path}/publish`, { body: {} }));
      if (number % 3 === 0)
        await talk.expect(200, service.call('POST', `${path}/rollback`, { body: { version: 1 } }));
    };
    const send = () =>
      talk.accepted({
        sessionId: unique('talk'),
        content: 'Which version?',
        fromChannelIdentifier: identifier,
      });
    for (let number = 2; asked.length < total; number++) {
      const [, ...sent] = await Promise.all([change(number), ...Array.from({ length: 10 }, send)]);
      asked.push(...sent.map(({ sessionId }) => sessionId));
    }
    const versions = new Map<number, Json>();
    for (const sessionId of asked) {
      const [reply] = await talk.replied(sessionId, 1, 120_000);
      await talk.settled(sessionId);
      const entries = await talk.replyLog(sessionId);
      assert.equal(entries.length, 1);
      const { agentVersion, model: named } = entries[0]!;
      if (!versions.has(agentVersion)) {
        const version = service.call('GET', `${path}/versions/${agentVersion}`);
        versions.set(agentVersion, await talk.expect(200, version));
      }
      const explained = versions.get(agentVersion);
      const number = explained.model.replace('model-', '');
      assert.equal(reply.content, `${number} ${number} ${number}`);
      assert.equal(named, explained.model);
    }
    assert.ok(versions.size > 1, 'replies of several versions');
  });
});
