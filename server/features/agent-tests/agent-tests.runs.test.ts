/** Runs of test cases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  callsTools,
  fails,
  type ModelServer,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { startToolServer } from '../../../test/support/tool-server.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

const apiKey = 'sk-runs';
const orderParameters = {
  type: 'object',
  properties: { orderId: { type: 'string' } },
  required: ['orderId'],
};
/** Of a run, of requests, and of the service itself. */
const written = /^(agent_test|api_nodes|housekeeping|idempotency|jobs|processes|rate_limit|live_presence)/;

describe('runs of test cases', () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    model = await startOpenAiServer({ apiKey });
  });
  after(async () => {
    await service.close();
    await model.close();
  });

  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> =>
    talk.expect(status, service.call(method, path, body && { body }));
  const modelled = (rest: object = {}): Promise<Json> =>
    talk.agent({ provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey, ...rest });
  const addCase = (agent: Json, rest: object = {}): Promise<Json> =>
    call(201, 'POST', `/agents/${agent.id}/test-cases`, {
      name: 'Hours',
      messages: [{ role: 'user', content: 'When are you open?' }],
      ...rest,
    });
  const start = (agent: Json, body: object = { version: 1 }): Promise<Json> =>
    call(202, 'POST', `/agents/${agent.id}/test-runs`, body);
  const ended = async (agent: Json, { id }: Json): Promise<Json> => {
    const path = `/agents/${agent.id}/test-runs/${id}`;
    await eventually(async () => (await call(200, 'GET', path)).endedAt !== null, 20_000);
    return call(200, 'GET', path);
  };
  const run = async (agent: Json, body?: object): Promise<Json> => ended(agent, await start(agent, body));
  const lastPrompt = (): string => JSON.stringify(model.requests.at(-1)!.body);

  it('judge each check, with frozen results of tools, and count what passed', async () => {
    const agent = await modelled({ tools: ['find_record', 'set_status'], price: { input: 1, output: 1 } });
    const checks = [
      { kind: 'contains', text: 'NINE' },
      { kind: 'not_contains', text: 'ten' },
      { kind: 'matches', pattern: '(?i)from \\w+ to' },
      { kind: 'max_length', max: 10 },
      { kind: 'language', language: 'en' },
      { kind: 'hands_over' },
      { kind: 'does_not_hand_over' },
      { kind: 'cites', documentId: absentId },
      { kind: 'calls_tool', name: 'set_status', arguments: { status: 'won' } },
      { kind: 'does_not_call_tool', name: 'find_record' },
      { kind: 'judge', instruction: 'It is polite.' },
    ];
    await addCase(agent, { checks, card: { title: 'Lamp', status: 'new' } });
    await addCase(agent, { name: 'Nothing to check' });
    model.choose(({ body }) => {
      const text = JSON.stringify(body);
      if (text.includes('You judge replies')) return says('{"passed": false, "reason": "It is rude."}');
      if (text.includes('not called')) {
        return says('We are open from nine to six.', { usage: { input: 1_000_000, output: 0 } });
      }
      return callsTools(
        { name: 'find_record', arguments: {} },
        { name: 'set_status', arguments: { status: 'won' } },
      );
    });
    const { state, counts, version, baseline, cost, results } = await run(agent);
    assert.deepEqual(
      { state, version, baseline, counts },
      {
        ...{ state: 'done', version: 1, baseline: null },
        counts: { total: 2, done: 2, passed: 1, failed: 1, changed: 0 },
      },
    );
    assert.ok(cost >= 2, String(cost));
    const [{ subject, changed }] = results;
    assert.equal(changed, null);
    assert.deepEqual(
      subject.verdicts.map(({ reason }: Json) => reason),
      [
        ...[null, null, null, 'the reply has 29 characters', null, 'it does not hand over', null],
        ...['it does not cite it', null, 'there is such a call', 'It is rude.'],
      ],
    );
    const [found, set] = subject.toolCalls;
    assert.equal(found.result, '{"title":"Lamp","status":"new"}');
    assert.match(set.error, /^not called/);
    assert.equal(results[1].subject.passed, true);
  });

  it('compare with a baseline: what differs is changed', async () => {
    const agent = await modelled({ instructions: 'ONE' });
    await call(200, 'PUT', `/agents/${agent.id}/draft`, { instructions: 'TWO' });
    await addCase(agent, { name: 'Same', messages: [{ role: 'user', content: 'Hi' }] });
    await addCase(agent, { name: 'Other', messages: [{ role: 'user', content: 'Bye' }] });
    model.choose(({ body }) => {
      const text = JSON.stringify(body.messages);
      return says(text.includes('Hi') ? 'Hello.' : text.includes('ONE') ? 'One.' : 'Two.');
    });
    const { version, baseline, counts, results } = await run(agent, {
      version: 'draft',
      baseline: 'published',
    });
    assert.deepEqual([version, baseline, counts.changed], [null, 1, 1]);
    assert.deepEqual(
      results.map((one: Json) => [one.name, one.changed, one.baseline.text, one.subject.text]),
      [
        ['Same', false, 'Hello.', 'Hello.'],
        ['Other', true, 'One.', 'Two.'],
      ],
    );
  });

  /** Every request to the model, with the calls of tools in between. Their ids are the provider's. */
  const promptsOf = async (act: () => Promise<unknown>): Promise<string[]> => {
    const from = model.requests.length;
    await act();
    return model.requests
      .slice(from)
      .map(({ body }) => JSON.stringify(body).replaceAll(/call_\d+_/g, 'call_'));
  };

  it('production, try, run and replay ask the same, byte for byte, and the last three write nothing', async () => {
    const shop = await startToolServer();
    shop.answer((response) => response.end('{"zone":"A","id":7,"state":"packed"}'));
    const tool = await call(201, 'POST', '/tools', {
      ...{ name: 'find_order', description: 'Finds an order.', kind: 'read', method: 'GET' },
      ...{ url: `${shop.origin}/orders/{orderId}`, parameters: orderParameters },
    });
    const agent = await modelled({
      instructions: 'Be brief.',
      knowledge: [{ title: 'Hours', text: 'From nine to six.' }],
      tools: ['find_record', 'hand_over'],
      toolIds: [tool.id],
      maskForModel: ['email'],
    });
    await call(200, 'PUT', `/agents/${agent.id}/draft`, {});
    const { identifier, id: channelId } = await talk.channel({ defaultAgentId: agent.id });
    const answerWithTools = () =>
      model.choose(({ body }) => {
        const text = JSON.stringify(body.messages);
        if (!text.includes('possibleStatuses')) return callsTools({ name: 'find_record', arguments: {} });
        return text.includes('packed')
          ? says('From nine [1].')
          : callsTools({ name: 'find_order', arguments: { orderId: '7' } });
      });
    const said = async (sessionId: string, content: string, who: object = {}) => {
      await talk.accepted({ content, sessionId, fromChannelIdentifier: identifier, ...who });
      await talk.settled(sessionId);
    };

    // A trial has no customer, no card and no results.
    model.choose(() => says('From nine [1].'));
    const plain = await promptsOf(() => said(unique('plain'), 'When are you open?'));
    // With a history, a name, a note, a card, and calls of tools.
    const sessionId = unique('told');
    await said(sessionId, 'Hello', { externalUserId: 'customer', sessionName: 'Ana Souza' });
    const note = { content: 'She is in a hurry.', isNote: true, isNoteVisibleToAi: true };
    assert.equal((await talk.operatorSays(channelId, sessionId, note)).status, 201);
    answerWithTools();
    const content = 'When are you open? Write to ana@example.com';
    const production = await promptsOf(() => said(sessionId, content));
    assert.equal(production.length, 3);

    const [{ toolCalls, messageId }] = await talk.replyLog(sessionId);
    const taken = await call(201, 'POST', `/agents/${agent.id}/test-cases`, {
      name: 'x',
      sessionId,
      messageId,
    });
    const { id: caseId } = await addCase(agent, {
      messages: [...taken.messages.slice(0, -1), { role: 'user', content }],
      notes: taken.notes,
      customer: { id: 'customer', name: 'Ana Souza' },
      card: JSON.parse(toolCalls[0].result),
      toolResults: taken.toolResults,
    });
    const { id: plainCaseId } = await addCase(agent);
    const runOf = (id: string) => () => run(agent, { version: 1, caseIds: [id] });
    const replay = async () =>
      ended(agent, await call(202, 'POST', `/agents/${agent.id}/replay`, { days: 1, limit: 1 }));
    // The log of live updates follows their changes.
    const changes = sql`live_changes where account_id = ${service.admin.accountId}`;
    await eventually(async () => (await talk.count(changes)) === 0);
    const calls = shop.seen.length;
    const before = await digestRows();
    assert.deepEqual(await promptsOf(runOf(caseId)), production);
    assert.deepEqual(await promptsOf(replay), production);
    model.choose(() => says('From nine [1].'));
    assert.deepEqual(await promptsOf(runOf(plainCaseId)), plain);
    const trial = { messages: [{ role: 'user', content: 'When are you open?' }] };
    assert.deepEqual(await promptsOf(() => call(200, 'POST', `/agents/${agent.id}/try`, trial)), plain);
    assert.deepEqual(await digestRows(), before);
    assert.equal(shop.seen.length, calls);
    await shop.close();
  });

  it('replay real conversations with the draft, beside what was sent', async () => {
    const agent = await modelled({ instructions: 'ONE' });
    const { identifier, id: channelId } = await talk.channel({ defaultAgentId: agent.id });
    model.choose(({ body }) => says(JSON.stringify(body).includes('ONE') ? 'One.' : 'Two.'));
    const { sessionId } = await talk.accepted({
      content: 'Which one?',
      sessionName: 'Ana Souza',
      fromChannelIdentifier: identifier,
    });
    await talk.settled(sessionId);
    const production = lastPrompt();
    const path = `/agents/${agent.id}/replay`;
    const asked = { days: 1, limit: 10 };
    assert.equal((await call(409, 'POST', path, asked)).code, 'NO_DRAFT');
    await call(200, 'PUT', `/agents/${agent.id}/draft`, {});
    const same = await ended(agent, await call(202, 'POST', path, { ...asked, channelIds: [channelId] }));
    assert.deepEqual([same.kind, same.counts.total, same.counts.changed], ['replay', 1, 0]);
    assert.equal(lastPrompt(), production);
    await call(200, 'PUT', `/agents/${agent.id}/draft`, { instructions: 'TWO' });
    const { results } = await ended(agent, await call(202, 'POST', path, asked));
    const [{ changed, baseline, subject, source, caseId }] = results;
    assert.deepEqual([changed, baseline.text, subject.text, caseId], [true, 'One.', 'Two.', null]);
    assert.equal(source.sessionId, sessionId);
    await call(404, 'POST', path, { ...asked, channelIds: [absentId] });
  });

  it('one at a time for each agent, until it is cancelled', async () => {
    const agent = await modelled();
    await call(400, 'POST', `/agents/${agent.id}/test-runs`, { version: 1 });
    await addCase(agent);
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    model.choose(() => {
      asked.resolve();
      return { ...says('late'), after: release.promise };
    });
    const { id } = await start(agent);
    await asked.promise;
    const { code } = await call(409, 'POST', `/agents/${agent.id}/test-runs`, { version: 1 });
    assert.equal(code, 'RUN_RUNNING');
    const path = `/agents/${agent.id}/test-runs`;
    assert.equal((await call(200, 'POST', `${path}/${id}/cancel`)).state, 'cancelled');
    release.resolve();
    model.choose(() => says('Hello.'));
    assert.equal((await run(agent)).state, 'done');
    const { state, counts } = await call(200, 'GET', `${path}/${id}`);
    assert.deepEqual([state, counts.done], ['cancelled', 0]);
    assert.deepEqual(
      (await call(200, 'GET', path)).items.map((one: Json) => one.state),
      ['done', 'cancelled'],
    );
    await call(404, 'POST', path, { version: 7 });
    await call(404, 'POST', path, { version: 1, caseIds: [absentId] });
    assert.equal((await call(409, 'POST', path, { version: 'draft' })).code, 'NO_DRAFT');
    await call(404, 'GET', `${path}/${absentId}`);
  });

  it('wait when the provider has too much to do; other failures are results', async () => {
    const agent = await modelled();
    await addCase(agent);
    let busy = 4;
    model.choose(() => (busy-- > 0 ? fails(429, { 'retry-after-ms': '1' }) : says('Hello.')));
    const waited = await run(agent);
    assert.deepEqual([waited.state, waited.counts.passed], ['done', 1]);
    model.choose(() => fails(400, {}, 'no such model'));
    const failed = await run(agent);
    assert.deepEqual([failed.state, failed.counts.failed], ['done', 1]);
    assert.match(failed.results[0].subject.failure, /the model answered 400/);
  });

  it('ask for four replies at once', async () => {
    const agent = await modelled();
    for (let n = 0; n < 6; n++) await addCase(agent);
    let running = 0;
    let most = 0;
    const four = Promise.withResolvers<void>();
    const leave = () => {
      running -= 1;
    };
    model.choose(() => {
      running += 1;
      most = Math.max(most, running);
      if (running === 4) four.resolve();
      return { ...says('Hello.'), after: four.promise.then(leave) };
    });
    assert.equal((await run(agent)).counts.passed, 6);
    assert.equal(most, 4);
  });

  /** What each table has, but for those that such a request may write to. */
  const digestRows = async (): Promise<Json> => {
    const { db } = service.context;
    const tables = await db.query<{ name: string }>(sql`
      select table_name as name from information_schema.columns
      where table_schema = current_schema() and column_name = 'account_id' order by 1`);
    const digests: Json = {};
    for (const { name } of tables.filter((table) => !written.test(table.name))) {
      const text = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, ';' order by t::text)), '') as digest
        from ${name} t where account_id = `;
      const [row] = await db.query<{ digest: string }>(
        sql(
          Object.assign([text, ''], { raw: [text, ''] }) as unknown as TemplateStringsArray,
          service.admin.accountId,
        ),
      );
      digests[name] = row!.digest;
    }
    return digests;
  };
});
