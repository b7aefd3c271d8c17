/** Tools as they are called. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { startToolServer, type ToolServer } from '../../../test/support/tool-server.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';

let counter = 0;

describe('calling a tool', () => {
  let service: TestService;
  let server: ToolServer;
  let token: string;
  const create = async (rest: object = {}): Promise<string> => {
    const { status, body, text } = await service.call('POST', '/tools', {
      token,
      body: {
        name: `call_${++counter}`,
        ...{ description: 'A tool.', kind: 'read', method: 'GET', url: `${server.origin}/orders/{orderId}` },
        parameters: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
        ...rest,
      },
    });
    assert.equal(status, 201, text);
    return body.id;
  };
  const attempt = (id: string, given: object, rest: object = {}) =>
    service.call('POST', `/tools/${id}/try`, { token, body: { arguments: given, ...rest } });
  const tried = async (id: string, given: object = { orderId: 'a' }, rest: object = {}): Promise<Json> => {
    const { status, body, text } = await attempt(id, given, rest);
    assert.equal(status, 200, text);
    const { ms, ...answer } = body;
    assert.ok(ms >= 0);
    return answer;
  };
  before(async () => {
    service = await joinTestService({ env: loopbackAllowed });
    server = await startToolServer();
  });
  // An account of its own for each: the calls of a minute are counted.
  beforeEach(async () => {
    token = (await service.createAccount()).jwt;
    server.seen.length = 0;
    server.answer((response) => response.end('{"order":{"state":"paid","lines":[1,2]}}'));
  });
  after(async () => {
    await service.close();
    await server.close();
  });

  it('200 what comes back, and the part of it that is the result', async () => {
    const id = await create({ headers: { Authorization: 'Bearer s', 'X-For': '{{customer.id}}' } });
    assert.deepEqual(await tried(id, { orderId: 'a/b c' }), {
      ...{ result: '{"order":{"state":"paid","lines":[1,2]}}', truncated: false, error: null, status: 200 },
    });
    const [call] = server.seen;
    assert.deepEqual([call!.method, call!.url, call!.body], ['GET', '/orders/a%2Fb%20c', '']);
    assert.deepEqual([call!.headers.authorization, call!.headers['x-for']], ['Bearer s', 'example']);
    assert.equal((await tried(await create({ resultPath: '/order/state' }))).result, 'paid');
    assert.equal((await tried(await create({ resultPath: '/order/lines' }))).result, '[1,2]');
    const missing = await tried(await create({ resultPath: '/none' }));
    assert.equal(missing.error, 'the answer has nothing at /none');
  });

  it('a write needs confirm, sends JSON and a key of its own', async () => {
    const write = { kind: 'write', method: 'POST' };
    const id = await create(write);
    assert.equal((await attempt(id, { orderId: 'a' })).status, 400);
    assert.equal(server.seen.length, 0);
    await tried(id, { orderId: 'a' }, { confirm: true });
    const properties = { orderId: { type: 'string' }, amount: { type: 'number' } };
    const parameters = { type: 'object', properties, required: ['orderId'] };
    await tried(await create({ ...write, parameters }), { orderId: 'a', amount: 1.5 }, { confirm: true });
    const body = '{"refund":{"amount":"{amount}","of":"order {orderId}"}}';
    await tried(
      await create({ ...write, parameters, body }),
      { orderId: '"}', amount: 2 },
      { confirm: true },
    );
    const bodies = server.seen.map((call) => JSON.parse(call.body));
    assert.deepEqual(bodies, [{}, { amount: 1.5 }, { refund: { amount: 2, of: 'order "}' } }]);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys).size, 3);
    assert.equal(server.seen[0]!.headers['content-type'], 'application/json');
  });

  it('400 for arguments that do not fit, before anything is sent', async () => {
    const id = await create();
    for (const given of [{}, { orderId: 1 }, { orderId: 'a', more: 1 }, { orderId: '..' }]) {
      const { status, text } = await attempt(id, given);
      assert.equal(status, 400, text);
    }
    assert.equal(server.seen.length, 0);
    assert.equal(
      (await service.call('POST', `/tools/${id}x/try`, { token, body: { arguments: {} } })).status,
      404,
    );
  });

  it('says why there is no result', async () => {
    const id = await create({ resultPath: '/a', timeoutMs: 500, maxBytes: 1_000 });
    const errorFor = async (respond: Parameters<ToolServer['answer']>[0]) => {
      server.answer(respond);
      return (await tried(id)).error;
    };
    assert.equal(await errorFor((response) => response.end('no')), 'the answer is not JSON');
    assert.equal(await errorFor((response) => response.writeHead(404).end('none')), 'answered 404');
    const elsewhere = { location: 'http://127.0.0.1/' };
    const redirected = await errorFor((response) => response.writeHead(302, elsewhere).end());
    assert.equal(redirected, 'answered 302: redirects are not followed');
    assert.equal(
      await errorFor((response) => response.end('x'.repeat(1_001))),
      'the answer is larger than 1000 bytes',
    );
    // It hangs, it never ends, it announces more or less than it sends.
    assert.match(await errorFor(() => {}), /within 0\.5 s/);
    const flood = await errorFor((response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    assert.equal(flood, 'the answer is larger than 1000 bytes');
    assert.match(
      await errorFor((response) => response.writeHead(200, { 'content-length': '9' }).write('12345678')),
      /within 0\.5 s/,
    );
    server.answer((response) => response.socket!.destroy());
    assert.ok((await tried(id)).error);
  });

  it('shortens a long result', async () => {
    server.answer((response) => response.end('é'.repeat(10_000)));
    const { result, truncated } = await tried(await create());
    assert.ok(truncated && Buffer.byteLength(result) <= 4_096 && /^é+…$/.test(result));
  });

  it('429 for the 61st call in a minute', async () => {
    const id = await create();
    const statuses = [];
    for (let made = 0; made < 61; made++) statuses.push((await attempt(id, { orderId: 'a' })).status);
    assert.deepEqual(statuses, [...Array(60).fill(200), 429]);
  });
});
