/** Checks the document against the OpenAPI 3.1 rules, the running routes and their real responses. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { version } from '../../../../contract/version.ts';
import { type Operation, operationsOf, type Schema } from '../../../../test/support/api-operations.ts';
import { createOneOfEach, createSampler } from '../../../../test/support/api-samples.ts';
import { makeSampleMail } from '../../../../test/support/mail.ts';
import { type Route, watchRoutes } from '../../../../test/support/routes.ts';
import {
  type Answer,
  type Json,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';

describe('the OpenAPI document', () => {
  let service: TestService;
  let routes: Route[];
  let document: Json;
  let operations: Operation[];
  before(async () => {
    const watched = await watchRoutes(() => startTestService());
    service = watched.started;
    routes = watched.routes;
    document = (await service.call('GET', '/openapi.json', { token: null })).body;
    operations = operationsOf(document);
  });
  after(() => service.close());

  /** Every value of the document with its path. */
  function* walk(value: Json, path: string): Generator<[Json, string]> {
    yield [value, path];
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      yield* walk(item, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }
  const resolve = (pointer: string): Json =>
    pointer
      .split('/')
      .slice(1)
      .reduce<Json>((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  const resolved = (schema: Schema): Schema => (schema.$ref ? resolve(schema.$ref) : schema);

  it('says what it is', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.title, 'Talkboard');
    assert.equal(document.info.version, version);
    assert.equal(document.servers[0].url, service.context.config.publicUrl);
    assert.equal(document.components.securitySchemes.token.scheme, 'bearer');
    for (const key of Object.keys(document)) {
      assert.match(key, /^(openapi|info|servers|paths|webhooks|components|tags|security|externalDocs)$/);
    }
  });

  it('every reference leads somewhere', () => {
    let count = 0;
    for (const [value, path] of walk(document, '')) {
      if (typeof value?.$ref !== 'string') continue;
      count++;
      assert.match(value.$ref, /^#\//, path);
      assert.notEqual(resolve(value.$ref), undefined, `${path} refers to ${value.$ref}`);
    }
    assert.ok(count > 0);
  });

  it('every operation has a summary, a tag, its parameters and its answers', () => {
    const ids = new Set<string>();
    for (const { name, path, method } of operations) {
      const operation = document.paths[path][method.toLowerCase()];
      assert.match(path, /^\/[\w./{}-]*$/, name);
      assert.ok(operation.summary?.length > 3, `${name} has no summary`);
      assert.doesNotMatch(operation.summary, /\.$/, name);
      assert.ok(operation.tags?.length === 1 && operation.tags[0], `${name} has no tag`);
      if (operation.operationId) assert.ok(!ids.has(operation.operationId) && ids.add(operation.operationId));
      const parameters: Json[] = operation.parameters ?? [];
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(keys).size, keys.length, `${name} has a parameter twice`);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).sort();
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      assert.deepEqual(declared.map((parameter) => parameter.name).sort(), inPath, name);
      for (const parameter of parameters) {
        assert.ok(['path', 'query', 'header', 'cookie'].includes(parameter.in), name);
        assert.ok(parameter.schema, `${name}, ${parameter.name}`);
        if (parameter.in === 'path') assert.equal(parameter.required, true, `${name}, ${parameter.name}`);
      }
      const codes = Object.keys(operation.responses);
      assert.ok(
        codes.some((code) => code.startsWith('2')),
        `${name} tells no success`,
      );
      assert.ok(codes.includes('4XX'), `${name} tells no failure`);
      for (const code of codes) {
        assert.match(code, /^([1-5]\d\d|[1-5]XX|default)$/, name);
        assert.ok(operation.responses[code].description, `${name}, ${code}`);
      }
      if (['GET', 'DELETE'].includes(method)) assert.equal(operation.requestBody, undefined, name);
    }
  });

  it('every schema is one', () => {
    const ajv = new Ajv2020({ strict: false });
    let count = 0;
    for (const [value, path] of walk(document, '')) {
      const isSchema = /\/schema$|^\/components\/schemas\/[^/]+$/.test(path);
      if (!isSchema) continue;
      count++;
      assert.ok(ajv.validateSchema(value), `${path}: ${ajv.errorsText()}`);
      for (const [inner, where] of walk(value, path)) {
        const names = Object.keys(inner?.properties ?? {});
        if (Array.isArray(inner?.required) && names.length > 0) {
          for (const name of inner.required) assert.ok(names.includes(name), `${where} requires ${name}`);
        }
      }
    }
    assert.ok(count > operations.length);
  });

  it('has every route that is not hidden, and no other', () => {
    const running = routes
      .filter(({ method, isHidden }) => method !== 'HEAD' && !isHidden)
      .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(operations.map(({ name }) => name).sort(), running.sort());
    assert.equal(new Set(running).size, running.length);
  });

  it('asks for a token exactly where the service does', () => {
    for (const { name, isPublic, path, method } of operations) {
      const route = routes.find(
        (one) => one.method === method && one.url.replace(/:(\w+)/g, '{$1}') === path,
      );
      assert.equal(isPublic, 'public' in route!.access!, name);
      const codes = Object.keys(document.paths[path][method.toLowerCase()].responses);
      if (!isPublic) assert.ok(codes.includes('401'), `${name} tells no 401`);
    }
  });

  it('real answers, good and bad, have the shape that it promises', async () => {
    // Each schema is used for a few answers, and was checked above.
    const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
    const conforms = (schema: Schema, answer: Answer, what: string) => {
      const validate = ajv.compile(resolved(schema));
      assert.ok(validate(answer.body), `${what}: ${ajv.errorsText(validate.errors)} in ${answer.text}`);
    };
    const check = (operation: Operation, answer: Answer) => {
      const what = `${operation.name} answered ${answer.status}`;
      const { responses } = operation;
      const told = responses[answer.status] ?? responses[`${String(answer.status)[0]}XX`];
      assert.ok(told, `${what}, which is not told: ${answer.text.slice(0, 300)}`);
      const schema = told.content?.['application/json']?.schema;
      if (schema) conforms(schema, answer, what);
      else assert.equal(answer.body, undefined, `${what} with JSON that is not told`);
    };
    const ids = await createOneOfEach(service, service.admin.jwt, operations);
    const messages = await service.call('GET', `/sessions/${ids.get('sessionId')}/messages`);
    ids.set('messageId', messages.body.items[0].id);
    await makeSampleMail(service, service.admin.accountId, service.admin.jwt, ids);
    const sampler = createSampler(ids);
    // Deletions come last, and at the very end those of what owns something else. A publication takes the draft.
    const owners = /^\/(users|kanbans|crm\/records|knowledge\/sources)\/\{\w+\}$/;
    const rank = ({ method, path }: Operation) => {
      if (method !== 'DELETE') return path.endsWith('/publish') ? 1 : 0;
      return owners.test(path) ? 3 : 2;
    };
    const ordered = operations.toSorted((a, b) => rank(a) - rank(b));
    const good: string[] = [];
    for (const operation of ordered) {
      const { file } = operation;
      const request = { path: sampler.address(operation), body: file?.example ?? sampler.body(operation) };
      const token = operation.isPublic ? null : service.admin.jwt;
      const send = (path: string, by: string | null, body: unknown) =>
        service.call(operation.method, path, {
          token: by,
          ...(body !== undefined && { body }),
          ...(file && { headers: { 'content-type': file.type } }),
        });
      const answer = await send(request.path, token, request.body);
      check(operation, answer);
      if (answer.status < 300) good.push(operation.name);
      if (operation.isPublic) continue;
      check(operation, await send(request.path, 'tb_none', request.body));
      check(operation, await send(request.path.replace(/[0-9a-f-]{36}/, 'none'), token, request.body));
      if (operation.body) check(operation, await send(request.path, token, '[]'));
    }
    // What a mail, a device, a second step, a failure or another server gives is in no answer that a sample could take it from.
    const given = ['token', 'ticket', 'passkey', 'code'];
    const isAnswerable = ({ path, body }: Operation) =>
      !/^\/(auth\/(factors|passkeys)|admin\/failed-jobs\/|knowledge\/gaps\/|mcp-servers)|\/(tool-calls|copilot|automation-runs|hooks)\/\{|\/backtest$/.test(
        path,
      ) && !given.some((name) => body?.required?.includes(name));
    const answerable = operations.filter(isAnswerable);
    const others = answerable.map(({ name }) => name).filter((name) => !good.includes(name));
    assert.ok(others.length < answerable.length * 0.1, `not answered well: ${others.join(', ')}`);
  });

  it('the reference page needs nothing from elsewhere', async () => {
    const page = await service.call('GET', '/docs/', { token: null });
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    assert.ok(sources.length > 0);
    for (const source of sources) {
      assert.doesNotMatch(source, /^(https?:)?\/\//);
      const path = new URL(source, 'http://localhost/docs/').pathname;
      assert.equal((await service.call('GET', path, { token: null })).status, 200, source);
    }
  });
});
