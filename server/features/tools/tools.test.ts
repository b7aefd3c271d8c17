/** Tools as they are configured. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startCanary } from '../../../test/support/receivers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { ssrfVectors } from '../../../test/support/ssrf-vectors.ts';
import { sql } from '../../platform/db/sql.ts';

let counter = 0;
const orderTool = (rest: object = {}) => ({
  name: `find_order_${++counter}`,
  description: 'Finds an order by its number.',
  kind: 'read',
  method: 'GET',
  url: 'https://8.8.8.8/orders/{orderId}',
  parameters: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  ...rest,
});

describe('tools', () => {
  let service: TestService;
  let token: string;
  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const create = (rest: object = {}) => call(201, 'POST', '/tools', orderTool(rest));
  const refused = async (rest: object, message: RegExp | string) => {
    const { message: said } = await call(400, 'POST', '/tools', orderTool(rest));
    if (typeof message === 'string') assert.equal(said, message);
    else assert.match(said, message);
  };
  before(async () => {
    service = await joinTestService();
    token = (await service.createAccount()).jwt;
  });
  after(() => service.close());

  it('201 with defaults, listed oldest first, changed and deleted', async () => {
    const input = orderTool();
    const { id, createdAt, updatedAt, ...rest } = await call(201, 'POST', '/tools', input);
    assert.deepEqual(rest, {
      ...input,
      ...{ approval: 'never', enabled: true, headers: {}, body: null, timeoutMs: 10_000 },
      ...{ resultPath: null, maxBytes: 65_536, mcpServerId: null, changedFrom: null },
    });
    assert.ok(createdAt > 0 && updatedAt === createdAt);
    const other = await create();
    const listed = (await call(200, 'GET', '/tools')).items.map((one: Json) => one.id);
    assert.deepEqual(
      listed.filter((one: string) => one === id || one === other.id),
      [id, other.id],
    );
    const change = { description: 'Another.', timeoutMs: 500, resultPath: '/order', enabled: false };
    const changed = await call(200, 'PATCH', `/tools/${id}`, change);
    assert.deepEqual({ ...changed, updatedAt: 0 }, { ...rest, id, createdAt, ...change, updatedAt: 0 });
    assert.deepEqual(await call(200, 'GET', `/tools/${id}`), changed);
    await call(200, 'DELETE', `/tools/${id}`);
    await call(404, 'GET', `/tools/${id}`);
    await call(404, 'PATCH', `/tools/${id}`, {});
    await call(404, 'DELETE', `/tools/${id}`);
  });

  it('409 for a name that another tool has', async () => {
    const [one, other] = [await create(), await create()];
    const error = await call(409, 'POST', '/tools', orderTool({ name: one.name }));
    assert.equal(error.code, 'CONFLICT');
    await call(409, 'PATCH', `/tools/${other.id}`, { name: one.name });
    await call(200, 'PATCH', `/tools/${other.id}`, { name: other.name });
  });

  it('approval: never for reading, always for writing unless given', async () => {
    assert.equal((await create({ kind: 'write' })).approval, 'always');
    assert.equal((await create({ kind: 'write', approval: 'never' })).approval, 'never');
    await refused({ approval: 'always' }, 'approval must be never for a tool of the kind read');
    const { id, approval } = await create();
    assert.equal(approval, 'never');
    assert.equal((await call(200, 'PATCH', `/tools/${id}`, { kind: 'write' })).approval, 'always');
    assert.equal((await call(200, 'PATCH', `/tools/${id}`, { kind: 'read' })).approval, 'never');
  });

  it('headers are never shown, and belong to the origin they were entered for', async () => {
    const { id, headers } = await create({ headers: { Authorization: 'Bearer secret', 'X-Shop': '1' } });
    const hidden = { Authorization: '********', 'X-Shop': '********' };
    assert.deepEqual(headers, hidden);
    const stored = async () => {
      const [row] = await service.context.db.query<{ text: string }>(
        sql`select t::text as text from tools t where id = ${id}`,
      );
      return row!.text;
    };
    assert.doesNotMatch(await stored(), /secret/);
    const patch = async (change: object) => (await call(200, 'PATCH', `/tools/${id}`, change)).headers;
    assert.deepEqual(await patch({ url: 'https://8.8.8.8/other' }), hidden);
    assert.deepEqual(await patch({ headers: { Authorization: '********' } }), { Authorization: '********' });
    const elsewhere = { url: 'https://8.8.4.4/orders' };
    const error = await call(400, 'PATCH', `/tools/${id}`, {
      ...elsewhere,
      headers: { Authorization: '********' },
    });
    assert.equal(error.message, 'headers.Authorization has no stored value: enter it again');
    assert.deepEqual(await patch(elsewhere), {});
    assert.deepEqual(await patch({ url: 'https://8.8.8.8/orders' }), {});
    const again = { url: 'https://8.8.4.4:8443/orders', headers: { Authorization: 'Bearer another' } };
    assert.deepEqual(await patch(again), { Authorization: '********' });
    assert.deepEqual(await patch({ url: 'http://8.8.4.4:8443/orders' }), {});
  });

  it('403 for an address, without the right to webhooks', async () => {
    const { id } = await create();
    const limited = { name: 'Agents only', permissions: ['agents.manage'] };
    const role = await call(201, 'POST', '/roles', limited);
    const { id: userId, jwt } = await service.createUser('operator', token);
    await call(200, 'PATCH', `/users/${userId}`, { roleId: role.id });
    const as = async (method: string, path: string, input: object) =>
      (await service.call(method, path, { token: jwt, body: input })).status;
    assert.equal(await as('POST', '/tools', orderTool()), 403);
    assert.equal(await as('PATCH', `/tools/${id}`, { url: 'https://8.8.4.4/orders/{orderId}' }), 403);
    assert.equal(await as('PATCH', `/tools/${id}`, { description: 'Another.' }), 200);
  });

  it('the audit log has each change, without values of headers', async () => {
    const { id } = await create({ headers: { Authorization: 'Bearer secret' } });
    await call(200, 'PATCH', `/tools/${id}`, { headers: { Authorization: 'Bearer other' }, enabled: false });
    await call(200, 'DELETE', `/tools/${id}`);
    const { items } = await call(200, 'GET', '/audit-log');
    const own = items.filter(({ target }: Json) => target.id === id);
    assert.deepEqual(
      own.map(({ action }: Json) => action),
      ['tool.deleted', 'tool.updated', 'tool.created'],
    );
    assert.deepEqual(own[1].changes, {
      enabled: { from: true, to: false },
      headers: { from: ['Authorization'], to: ['Authorization'] },
    });
    assert.doesNotMatch(JSON.stringify(own), /Bearer/);
  });

  it('400 for an address that may not be called, in each of its forms, and nobody is called', async (test) => {
    const canary = await startCanary();
    test.after(() => canary.close());
    for (const vector of ssrfVectors) {
      const url = vector.url(canary.port);
      const answer = await service.call('POST', '/tools', { token, body: orderTool({ url }) });
      assert.equal(answer.status, 400, `${vector.name}: ${answer.text}`);
    }
    // What is stored is not trusted either: a name may lead elsewhere by now.
    const { id } = await create({
      url: 'https://8.8.8.8/',
      parameters: { type: 'object' },
      timeoutMs: 1_000,
    });
    for (const vector of ssrfVectors) {
      const url = vector.url(canary.port);
      const server = await service.call('POST', '/mcp-servers', { token, body: { name: 'Private', url } });
      assert.equal(server.status, 400, `${vector.name}: ${server.text}`);
      // The database cannot store it.
      if (url.includes('\0')) continue;
      await service.context.db.query(sql`update tools set url = ${url} where id = ${id}`);
      await service.context.db.query(sql`delete from rate_limit_hits`);
      await service.context.db.query(sql`delete from rate_limit_counters`);
      const answer = await service.call('POST', `/tools/${id}/try`, { token, body: { arguments: {} } });
      assert.ok(answer.status === 400 || answer.body.error, `${vector.name}: ${answer.text}`);
    }
    assert.equal(await canary.hits(), 0);
  });

  it('400 for a template whose placeholders have no place', async () => {
    const at = 'https://8.8.8.8';
    await refused({ url: 'https://{orderId}.example.com/' }, 'url must not have a placeholder in its host');
    await refused({ url: `${at}:{orderId}/` }, /placeholder in its host/);
    await refused({ url: `${at}/{other}` }, 'url has {other}, which is not one of parameters');
    await refused({ url: `${at}/{orderId` }, /placeholder that is not/);
    await refused({ url: `${at}/{}` }, /placeholder that is not/);
    await refused({ url: `${at}/a#{orderId}` }, 'url must not have a fragment');
    await refused({ url: `${at}/../{orderId}` }, /segments/);
    await refused({ url: `${at}/%2e%2e/{orderId}` }, /segments/);
    await refused({ url: `${at}\\@example.com/{orderId}` }, /backslashes/);
    await refused({ url: 'ftp://8.8.8.8/' }, /http or https/);
    await refused(
      { parameters: { type: 'object', properties: { orderId: { type: 'string' } } } },
      'url has {orderId} in its path, so it must be required',
    );
    await refused(
      { parameters: { type: 'object', properties: { orderId: { type: 'array' } }, required: ['orderId'] } },
      /single value/,
    );
    await refused(
      { method: 'POST', body: { a: ['{other}'] } },
      'body has {other}, which is not one of parameters',
    );
    await refused({ method: 'POST', body: '{"a": {orderId}}' }, /^body must be JSON/);
    await refused({ url: `${at}/{{customer.phone}}` }, /unknown value: \{\{customer\.phone}}/);
    await refused(
      { headers: { 'X-Card': '{{card.none}}' } },
      'headers.X-Card has an unknown value: {{card.none}}',
    );
    await refused({ headers: { Host: 'example.com' } }, 'headers.Host cannot be sent');
    await refused({ headers: { 'Idempotency-Key': 'x' } }, 'headers.Idempotency-Key cannot be sent');
    await refused({ headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers.X-A cannot be sent');
    await refused({ resultPath: 'order' }, /JSON Pointer/);
    await refused({ resultPath: '/a~2' }, /JSON Pointer/);
  });

  it('a field that is hidden from the AI cannot be a value', async () => {
    const [field] = (await call(201, 'POST', '/kanbans', { name: 'Orders' })).fields;
    const header = { headers: { 'X-Card': `{{card.${field.id}}}` } };
    const { id } = await create(header);
    await call(200, 'PATCH', `/crm/fields/${field.id}`, { aiVisible: false });
    await refused(header, /hidden from the AI/);
    await call(400, 'PATCH', `/tools/${id}`, { description: 'Still has it.' });
  });

  it('400 for parameters that are no schema of an object, or too many', async () => {
    const parameters = (schema: unknown) => ({ url: 'https://8.8.8.8/', parameters: schema });
    const property = (schema: unknown) => parameters({ type: 'object', properties: { a: schema } });
    const properties = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`a${at}`, {}]));
    await refused(parameters({ type: 'array' }), 'parameters.type must be "object"');
    await refused(parameters({ type: 'object', properties }), /at most 20 properties/);
    await refused(
      parameters({ type: 'object', required: ['b'] }),
      'parameters.required must have names of properties',
    );
    await refused(property({ type: 'text' }), 'parameters.properties.a.type is not a type');
    await refused(property({ pattern: '(a+)+$' }), 'parameters.properties.a.pattern is not supported');
    await refused(property({ $ref: '#' }), 'parameters.properties.a.$ref is not supported');
    await refused(property({ enum: [] }), /enum must be an array/);
    await refused(property({ minLength: -1 }), /minLength must be a whole number/);
    await refused(property({ items: { type: 'x' } }), /items\.type/);
    await refused(parameters({ type: 'object', properties: { 'a b': {} } }), /must begin with a letter/);
    await refused({ name: 'Ab' }, /name must have 3 to 64 characters and begin with a letter/);
    await refused({ timeoutMs: 30_001 }, /timeoutMs must be at most 30000/);
    await refused({ maxBytes: 0 }, /maxBytes must be at least 1/);
  });
});
