/** What an agent may do on its own: how often, for how much, and what it never says. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type ModelServer, says, startOpenAiServer } from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

const price = { input: 2, output: 10 };

describe('the limits of an agent', () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  let token: string;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    token = (await service.createUser('admin')).jwt;
    model = await startOpenAiServer();
    model.choose(() => says('Hello.', { usage: { input: 1_000, output: 500 } }));
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  const agentWith = async (settings: object): Promise<{ agent: Json; identifier: string }> => {
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl };
    const agent = await talk.agent({ ...connected, ...settings });
    const { identifier } = await talk.channel({ defaultAgentId: agent.id });
    return { agent, identifier };
  };
  const ask = async (identifier: string, sessionId = unique('talk')): Promise<Json> => {
    await talk.accepted({ content: 'Hi', sessionId, fromChannelIdentifier: identifier });
    await talk.settled(sessionId);
    const [entry] = await talk.replyLog(sessionId);
    return { ...entry, sessionId };
  };
  const newsOf = async (agentId: string): Promise<Json[]> =>
    (await talk.expect(200, service.call('GET', '/notifications', { token }))).items.filter(
      (one: Json) => one.agentId === agentId,
    );
  const refused = async (body: object): Promise<string> => {
    const agent = { name: 'A', provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, ...body };
    return (await talk.expect(400, service.call('POST', '/agents', { body: agent }))).message;
  };

  it('at its replies in a conversation, a person takes over and those who manage agents are told once a day', async () => {
    const { agent, identifier } = await agentWith({ limits: { repliesPerSession: 1 } });
    const { sessionId, outcome } = await ask(identifier);
    assert.equal(outcome, 'sent');
    const asked = model.requests.length;
    const limited = await ask(identifier, sessionId);
    const reason = 'the agent has reached its limit of replies in a conversation, 1';
    assert.deepEqual(
      [limited.outcome, limited.reason, limited.handover],
      ['failed', reason, { reason: 'limit' }],
    );
    assert.equal(model.requests.length, asked, 'no model is asked');
    const { aiPaused, needsAttention } = await talk.session(sessionId);
    assert.deepEqual([aiPaused, needsAttention], [true, true]);
    const [, told] = await talk.replies(sessionId);
    assert.match(told!.content, /person/);
    let news: Json[] = [];
    await eventually(async () => {
      news = await newsOf(agent.id);
      return news.length > 0;
    });
    const [{ kind, title, body, sessionId: none }] = news as [Json];
    assert.deepEqual(
      [kind, title, body, none],
      ['agent_limit', 'An agent reached its limit', `${agent.name}: ${reason}`, null],
    );
    const operator = await service.createUser('operator');
    const others = await service.call('GET', '/notifications', { token: operator.jwt });
    assert.deepEqual(others.body.items, []);
    // Another conversation on the same day, and one on the next.
    const again = async () => {
      await ask(identifier, (await ask(identifier)).sessionId);
    };
    await again();
    await service.context.db.transaction((tx) =>
      tx.query(
        sql`update notifications set updated_at = updated_at - 86400000 where subject_id = ${agent.id}`,
      ),
    );
    await again();
    await eventually(async () => (await newsOf(agent.id))[0]!.count > 1);
    assert.equal((await newsOf(agent.id))[0]!.count, 2);
  });

  it('at its costs of a day, no model is asked', async () => {
    const { identifier } = await agentWith({ price, limits: { costPerDay: 0.01 } });
    const outcomes = [];
    for (let count = 0; count < 3; count++) outcomes.push((await ask(identifier)).reason);
    const reason = 'the agent has reached its limit of costs a day, 0.01 US dollars';
    assert.deepEqual(outcomes, [null, null, reason]);
  });

  it('400 for costs of a model whose price is not known, and for what is no pattern', async () => {
    const limits = { costPerDay: 1 };
    assert.equal(await refused({ limits }), 'limits.costPerDay needs a known price: set price');
    const { agent } = await agentWith({ price, limits });
    const change = service.call('PATCH', `/agents/${agent.id}`, { body: { price: null } });
    assert.match((await talk.expect(400, change)).message, /known price/);
    assert.match(
      await refused({ blockedPatterns: ['ok', 'a(?=b)'] }),
      /^blockedPatterns\[1\] is no regular expression of RE2: /,
    );
    await refused({ blockedPatterns: Array.from({ length: 51 }, (_, index) => `${index}`) });
    await refused({ blockedPatterns: ['a'.repeat(501)] });
  });

  it('a reply that says what must never be said is held', async () => {
    const { agent, identifier } = await agentWith({ blockedPatterns: ['(?i)\\bguarantee', '^none$'] });
    assert.equal((await ask(identifier)).outcome, 'sent');
    model.choose(() => says('We GUARANTEE it.'));
    const { outcome, reason, guard, sessionId } = await ask(identifier);
    assert.deepEqual([outcome, reason], ['held', 'says what the agent must never say']);
    assert.deepEqual(
      guard.filter(({ held }: Json) => held).map(({ rule }: Json) => rule),
      ['blocked_pattern'],
    );
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    const operator = await service.createUser('operator');
    const read = await service.call('GET', `/agents/${agent.id}`, { token: operator.jwt });
    assert.equal(read.body.blockedPatterns, undefined, 'only for those who manage agents');
  });

  it('a run of tests says that such a reply would be held', async () => {
    const { agent } = await agentWith({ blockedPatterns: ['(?i)guarantee'] });
    model.choose(() => says('We guarantee it.'));
    const path = `/agents/${agent.id}`;
    const body = { name: 'Promise', messages: [{ role: 'user', content: 'Is it good?' }] };
    await talk.expect(201, service.call('POST', `${path}/test-cases`, { body }));
    const { id } = await talk.expect(
      202,
      service.call('POST', `${path}/test-runs`, { body: { version: 1 } }),
    );
    let run: Json;
    await eventually(async () => {
      run = await talk.expect(200, service.call('GET', `${path}/test-runs/${id}`));
      return run.state === 'done';
    });
    assert.deepEqual(run.results[0].subject.heldBy, ['blocked_pattern']);
  });

  it('are parts of a version', async () => {
    const { agent } = await agentWith({});
    const path = `/agents/${agent.id}`;
    const body = { limits: { repliesPerSession: 3 }, blockedPatterns: ['a'], maskForModel: ['phone'] };
    await talk.expect(200, service.call('PATCH', path, { body }));
    const rollback = service.call('POST', `${path}/rollback`, { body: { version: 1 } });
    const { limits, blockedPatterns, maskForModel, version } = await talk.expect(200, rollback);
    assert.deepEqual([limits, blockedPatterns, maskForModel, version], [{}, [], [], 3]);
  });
});
