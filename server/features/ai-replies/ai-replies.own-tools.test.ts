/** Agents that call the account's own tools. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import {
  callsTools,
  type ModelServer,
  type ModelStep,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { startToolServer, type ToolServer } from '../../../test/support/tool-server.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';

const apiKey = 'sk-test';
let counter = 0;

describe("the account's tools", () => {
  let service: TestService;
  let talk: Conversations;
  let model: ModelServer;
  let shop: ToolServer;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    model = await startOpenAiServer({ apiKey });
    shop = await startToolServer();
  });
  after(async () => {
    await service.close();
    await model.close();
    await shop.close();
  });

  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> =>
    talk.expect(status, service.call(method, path, body && { body }));
  const createTool = (rest: object = {}): Promise<Json> =>
    call(201, 'POST', '/tools', {
      name: `find_order_${++counter}`,
      ...{ description: 'Finds an order.', kind: 'read', method: 'GET' },
      url: `${shop.origin}/orders/{orderId}?customer={{customer.id}}`,
      parameters: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
      ...rest,
    });
  const modelled = async (
    toolIds: string[],
    rest: object = {},
  ): Promise<{ id: string; identifier: string }> => {
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey };
    const { id } = await talk.agent({ ...connected, toolIds, ...rest });
    return { id, identifier: (await talk.channel({ defaultAgentId: id })).identifier };
  };
  const ask = async (identifier: string, ...steps: ModelStep[]): Promise<Json> => {
    model.script(...steps);
    shop.seen.length = 0;
    const { sessionId } = await talk.accepted({
      content: 'Where is my order?',
      fromChannelIdentifier: identifier,
    });
    await talk.settled(sessionId);
    const [entry] = await talk.replyLog(sessionId);
    return { ...entry, session: await talk.session(sessionId) };
  };

  it('an agent has the tools it was given, until they are deleted; a version names those', async () => {
    const [one, other] = [await createTool(), await createTool()];
    const { id } = await modelled([other.id, one.id]);
    const path = `/agents/${id}`;
    assert.deepEqual((await call(200, 'GET', path)).toolIds, [other.id, one.id]);
    const unknown = await call(400, 'PATCH', path, { toolIds: [absentId] });
    assert.equal(unknown.message, `toolIds has an unknown tool: ${absentId}`);
    assert.deepEqual((await call(200, 'PATCH', path, { toolIds: [one.id] })).toolIds, [one.id]);
    await call(200, 'DELETE', `/tools/${other.id}`);
    await call(200, 'DELETE', `/tools/${one.id}`);
    assert.deepEqual((await call(200, 'GET', path)).toolIds, []);
    const { toolIds, leftOut } = await call(200, 'POST', `${path}/rollback`, { version: 1 });
    assert.deepEqual([toolIds, leftOut.toolIds], [[], [other.id, one.id]]);
  });

  it('a tool that reads is called, with values of the service, and its result goes to the model', async () => {
    const tool = await createTool({ headers: { Authorization: 'Bearer secret' } });
    const { identifier } = await modelled([tool.id]);
    shop.answer((response) => response.end('{"state":"on its way"}'));
    const asked = { name: tool.name, arguments: { orderId: '7/8' } };
    const entry = await ask(identifier, callsTools(asked), says('It is on its way.'));
    const [seen] = shop.seen;
    const customer = encodeURIComponent(entry.session.externalUserId ?? '');
    assert.equal(seen!.url, `/orders/7%2F8${customer && `?customer=${customer}`}`);
    assert.equal(seen!.headers.authorization, 'Bearer secret');
    assert.match(JSON.stringify(model.requests.at(-1)!.body.messages), /on its way/);
    assert.equal(entry.outcome, 'sent');
    const [{ ms, ...logged }] = entry.toolCalls;
    assert.ok(ms >= 0);
    assert.deepEqual(logged, {
      ...{ name: tool.name, kind: 'read', arguments: { orderId: '7/8' } },
      ...{ result: '{"state":"on its way"}', error: null },
    });
    assert.doesNotMatch(JSON.stringify(entry), /secret/);
  });

  it('what is wrong is told to the model: arguments, a failure, a sixth call', async () => {
    const tool = await createTool();
    const { identifier } = await modelled([tool.id]);
    shop.answer((response) => response.writeHead(500).end('down'));
    const step = (given: object) => callsTools({ name: tool.name, arguments: given });
    const entry = await ask(
      identifier,
      step({}),
      callsTools(...Array.from({ length: 5 }, () => ({ name: tool.name, arguments: { orderId: 'a' } }))),
      says('I could not find out.'),
    );
    const errors = entry.toolCalls.map(({ error }: Json) => error);
    assert.deepEqual(errors, [
      'arguments.orderId is required',
      ...Array(4).fill('answered 500\ndown'),
      'too many calls of such tools: answer now',
    ]);
    assert.equal(shop.seen.length, 4);
    assert.match(JSON.stringify(model.requests.at(-1)!.body.messages), /Refused: too many calls/);
  });

  it('a tool that is disabled is not offered', async () => {
    const [one, other] = [await createTool({ enabled: false }), await createTool()];
    const { identifier } = await modelled([one.id, other.id]);
    await ask(identifier, says('Hello.'));
    const offered = (model.requests.at(-1)!.body.tools ?? []).map((tool: Json) => tool.function.name);
    assert.deepEqual(offered, [other.name]);
  });
});
