/**
 * Everything hostile, in every place of every operation that the OpenAPI document has. An answer is a success or a 4xx
 * in the common shape, and what was accepted is stored as it was sent. What is attacked is read from that document.
 * A run takes a share of every kind of attack for each place; a full run takes all.
 */
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { hiddenHeader } from '../../contract/knowledge.ts';
import { limits } from '../../contract/limits.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { type Operation, type Place, placesIn, readOperations, typesOf } from '../support/api-operations.ts';
import {
  connectChannel,
  connectedChannelId,
  createOneOfEach,
  createSampler,
  keyOf,
  type Sampler,
} from '../support/api-samples.ts';
import { type HostileJson, hostileBodies, hostileInAddress, hostileJson } from '../support/hostile-values.ts';
import { longJwt } from '../support/long-jwt.ts';
import { makeSampleMail } from '../support/mail.ts';
import { resetRateLimits } from '../support/rate-limits.ts';
import { sampleOf } from '../support/sample.ts';
import { type Answer, type Json, startTestService, type TestService } from '../support/service.ts';

const statuses = [400, 401, 404, 409, 413, 415, 422, 429];
const mark = '@hostile@';
const tooDeep = `body is nested deeper than ${limits.nestingDepth} levels`;
/** They need a state that one request cannot make: a file to import, a bucket, a mail server, a held message. */
const refusesItsSample = [
  'GET /automation-runs/{id}',
  'GET /help-center/logo',
  'PATCH /auth/passkeys/{id}',
  'PATCH /channels/{channelId}/sessions/{sessionId}/notes/{messageId}',
  'PATCH /crm/imports/{importId}',
  'POST /admin/backups',
  'POST /admin/failed-jobs/{jobId}/retry',
  // The sample before it has published the draft.
  'POST /agents/{id}/replay',
  'POST /agents/{id}/test-runs',
  'POST /auth/factors/passkey-options',
  'POST /auth/factors/recovery-codes',
  'POST /auth/factors/totp',
  'POST /auth/factors/totp/confirm',
  'POST /auth/factors/totp/remove',
  'POST /auth/passkeys',
  'POST /auth/passkeys/registration',
  'POST /auth/passkeys/{id}/remove',
  'POST /automation-runs/{id}/cancel',
  'POST /automation-runs/{id}/retry',
  'POST /automations/backtest',
  'POST /automations/dry-run',
  'POST /automations/reorder',
  'POST /automations/{id}/rotate-hook',
  'POST /automations/{id}/rotate-secret',
  'POST /channels/{id}/connector/log/{entryId}/retry',
  'POST /crm/import',
  'POST /crm/imports',
  'POST /crm/imports/{importId}/resume',
  'POST /crm/imports/{importId}/start',
  'POST /knowledge/gaps/{id}/dismiss',
  'POST /knowledge/gaps/{id}/draft',
  'POST /knowledge/runs/{id}/publish',
  'POST /knowledge/sources/{id}/sync',
  // Its file is one of messages.
  'POST /knowledge/sources/{id}/files',
  'POST /mcp-servers',
  'POST /mcp-servers/{id}/refresh',
  'POST /sessions/{sessionId}/copilot',
  'POST /sessions/{sessionId}/copilot/{suggestionId}/outcome',
  'POST /sessions/{sessionId}/messages/{messageId}/forward',
  'POST /sessions/{sessionId}/messages/{messageId}/release',
  'POST /sessions/{sessionId}/template',
  'POST /sessions/{sessionId}/tool-calls/{callId}/approve',
  'POST /sessions/{sessionId}/tool-calls/{callId}/reject',
  'POST /sessions/{sessionId}/transcript',
  'POST /sessions/{sessionId}/transfer',
  'PUT /crm/records/{recordId}/position',
];

describe('hostile input', () => {
  let service: TestService;
  let jwt: string;
  let operations: Operation[];
  let sampler: Sampler;
  let calls = 0;
  /** Stored values with what was sent. */
  let compared = 0;
  let attacked: Operation | null = null;

  before(async () => {
    service = await startTestService();
    jwt = await longJwt(service, service.admin.jwt);
    operations = await readOperations(service);
    sampler = createSampler(await createOneOfEach(service, service.admin.jwt, operations));
    await makeSampleMail(service, service.admin.accountId, service.admin.jwt, sampler.ids);
    // What is deleted can no longer be attacked.
    operations.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  });
  after(() => service.close());

  const send = async (
    operation: Operation,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => {
    // Every user has a limit, and so have wrong passwords; here they would answer instead of the route.
    if (++calls % 500 === 0) await resetRateLimits(service);
    if (operation.path.startsWith('/auth/')) await service.context.db.query(sql`delete from login_failures`);
    if (operation.path === '/connect/{channelId}' && operation !== attacked) await connectAgain();
    attacked = operation;
    return service.call(operation.method, path, {
      token: operation.isPublic ? null : jwt,
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    });
  };
  /** Changes that were accepted have disabled the channel, or removed its connector. */
  const connectAgain = () => connectChannel(service, jwt, sampler.ids.get(connectedChannelId)!);
  const baseline = (operation: Operation) => ({
    path: sampler.address(operation),
    body: sampler.body(operation),
  });

  const expectSane = (answer: Answer, operation: Operation, what: string) => {
    const where = `${operation.name}, ${what}: ${answer.status} ${answer.text.slice(0, 200)}`;
    assert.ok(answer.status < 500, where);
    assert.equal(answer.headers['x-request-id']?.length, 36, where);
    assert.match(String(answer.headers['x-api-version']), /^v1\.7\.\d+$/, where);
    if (answer.status < 300) return;
    assert.ok(statuses.includes(answer.status), where);
    if (!operation.isPublic) assert.ok(answer.status !== 401 && answer.status !== 429, where);
    assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error', 'message', 'requestId'], where);
    assert.equal(answer.body.error, STATUS_CODES[answer.status], where);
    assert.match(answer.body.code, /^[A-Z_]+$/, where);
    assert.equal(answer.body.requestId, answer.headers['x-request-id'], where);
    assert.ok(answer.body.message.length > 0 && answer.body.message.length < 2_000, where);
    assert.doesNotMatch(answer.body.message, /\bat .*\.ts:|node_modules|syntax error|pg_|undefined/, where);
  };

  it('the samples are accepted, so what follows is judged by its hostile part', async (t) => {
    const refused: string[] = [];
    const reasons: string[] = [];
    for (const operation of operations.filter(({ isPublic, method }) => !isPublic && method !== 'DELETE')) {
      const { path, body } = baseline(operation);
      const answer = await send(operation, path, body);
      expectSane(answer, operation, 'baseline');
      if (answer.status < 300) continue;
      refused.push(operation.name);
      reasons.push(`${operation.name}: ${answer.status} ${answer.text}`);
    }
    for (const line of reasons) t.diagnostic(line);
    assert.deepEqual(refused.sort(), refusesItsSample.toSorted());
  });

  it('hostile ids in every path', async () => {
    for (const operation of operations) {
      for (const { name } of operation.pathParameters) {
        for (const { what, text, unstorable } of attacksOn(`${operation.name} ${name}`, hostileInAddress)) {
          const own = sampler.address({ ...operation, path: operation.path.replace(`{${name}}`, mark) });
          const answer = await send(operation, own.replace(mark, text), sampler.body(operation));
          expectSane(answer, operation, `${what} as ${name}`);
          // A value in a path, such as a contact to block, may be any text; an id that nobody made names nothing.
          if (/(id|fileKey)$/i.test(name))
            assert.ok(
              answer.status === 404 || (answer.status === 400 && (unstorable || asksFirst(operation))),
              `${operation.name}, ${what} as ${name}: ${answer.text}`,
            );
        }
      }
    }
  });

  it('bodies of every kind that are no JSON object', async () => {
    for (const operation of operations.filter(({ method }) => method !== 'GET')) {
      const { path } = baseline(operation);
      for (const { what, body, headers } of attacksOn(operation.name, hostileBodies)) {
        // A deletion of something that is there would leave nothing for the next one.
        const target = operation.method === 'DELETE' ? `${path}x` : path;
        expectSane(await send(operation, target, body, headers), operation, what);
      }
    }
  });

  it('hostile values in every place of every body: refused by name or stored as sent', async () => {
    const used = new Set<HostileJson>();
    compared = 0;
    for (const operation of operations.filter(({ body }) => body !== null)) {
      for (const [index, place] of placesIn(operation.body!).entries()) {
        // A property gets all of it, in a short run a third; deeper inside, neighbouring places share it out.
        const share = hostileJson.filter((_, i) => place.length === 1 || i % 3 === index % 3);
        const where = `${operation.name} ${place.join('.')}`;
        const attacks = attacksOn(where, share);
        for (const hostile of sampleOf(attacks, place.length === 1 ? 1 / 3 : 1 / 6, where)) {
          used.add(hostile);
          const { bytes, sent } = bodyWith(sampler, operation, place, hostile);
          const answer = await send(operation, sampler.address(operation), bytes);
          const what = `${hostile.what} at ${place.join('.')}`;
          expectSane(answer, operation, what);
          // Anonymous bodies are small, and what is too deep is not read: neither knows of a field.
          const isUnread =
            (answer.status === 413 && operation.isPublic && bytes.length > limits.publicBodyBytes) ||
            (/10,000 deep/.test(hostile.what) && answer.body.message === tooDeep);
          if (hostile.unstorable && !isUnread) expectRefusal(answer, place, `${operation.name}, ${what}`);
          else if (answer.status < 300) {
            await expectStored(operation, place, sent, answer, what);
            await takeAway(operation, answer);
          }
        }
      }
    }
    assert.equal(used.size, hostileJson.length);
    assert.ok(compared >= 40, `only ${compared} stored values were compared`);
  });

  const expectRefusal = (answer: Answer, place: Place, where: string) => {
    assert.equal(answer.status, 400, `${where}: ${answer.text}`);
    assert.ok(
      answer.body.message.includes(String(place[0])),
      `${where} should name the field: ${answer.body.message}`,
    );
  };

  /** In the answer itself, and again when the object is read. */
  const expectStored = async (
    operation: Operation,
    place: Place,
    sent: unknown,
    answer: Answer,
    what: string,
  ) => {
    if (typeof sent === 'object') return;
    // Names are trimmed, e-mail addresses are lower-cased, passwords and secrets are not returned.
    const faithful = typeof sent === 'string' ? [sent, sent.trim(), sent.trim().toLowerCase()] : [sent];
    const compare = (body: Json, where: string) => {
      const stored = valuesAt(body, place, sampler).filter(
        (value) => typeof value === typeof sent && value !== hiddenHeader,
      );
      if (stored.length === 0) return;
      compared++;
      assert.ok(
        stored.some((value) => faithful.includes(value)),
        `${where}: ${JSON.stringify(stored).slice(0, 300)} for ${JSON.stringify(sent).slice(0, 300)}`,
      );
    };
    compare(answer.body, `${operation.name}, ${what}, answered`);
    const item = itemOf(operation, answer);
    if (operation.method === 'POST' && item?.GET) {
      compare((await send(item.GET, item.path)).body, `${operation.name}, ${what}, read again`);
    } else if (operation.method !== 'POST') {
      const reader = operations.find(({ method, path }) => method === 'GET' && path === operation.path);
      if (reader)
        compare((await send(reader, sampler.address(reader))).body, `${operation.name}, ${what}, read again`);
    }
  };

  /** Where a newly created object is found, and what can be done with it there. */
  const itemOf = (operation: Operation, { body }: Answer) => {
    const own = operations.filter(({ path }) => path.replace(/\/\{\w+\}$/, '') === operation.path);
    const name = own
      .flatMap(({ path, pathParameters }) => (path.endsWith('}') ? pathParameters : []))
      .at(0)?.name;
    const id = name && (body?.[name] ?? body?.id);
    if (typeof id !== 'string') return null;
    const of = (method: string) => own.find((one) => one.method === method && one.path.endsWith('}'));
    return { path: `${operation.path}/${id}`, GET: of('GET'), DELETE: of('DELETE') };
  };

  /** Hundreds of boards would slow down everything that follows. */
  const takeAway = async (operation: Operation, answer: Answer) => {
    const item = operation.method === 'POST' ? itemOf(operation, answer) : null;
    if (item?.DELETE) await send(item.DELETE, item.path);
  };

  it('hostile values in every query parameter', async () => {
    for (const operation of operations) {
      for (const { name, schema } of operation.queryParameters) {
        const sendWith = (...raw: string[]) =>
          send(operation, sampler.address(operation, { name, raw }), sampler.body(operation));
        for (const { what, text, unstorable } of attacksOn(`${operation.name} ?${name}`, hostileInAddress)) {
          const answer = await sendWith(text);
          expectSane(answer, operation, `${what} in ${name}`);
          await takeAway(operation, answer);
          if (unstorable || (!typesOf(schema).includes('string') && /[a-z%]/i.test(text))) {
            expectRefusal(answer, [name], `${operation.name}, ${what} in ${name}`);
          }
        }
        expectRefusal(await sendWith('1', '1'), [name], `${operation.name}, ${name} twice`);
      }
    }
  });

  it('parameters that nobody knows are ignored, whatever they are', async () => {
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const usual = await send(operation, sampler.address(operation));
      const odd = [
        '__proto__=1',
        'constructor=1',
        '%00=1',
        '%ff=%ff',
        'x[]=1&x[a]=2',
        '=',
        '&&&',
        '?',
        'a=1&a=2',
      ];
      for (const text of sampleOf(odd, 1 / 40, `${operation.name} odd`)) {
        const path = sampler.address(operation);
        const answer = await send(operation, `${path}${path.includes('?') ? '&' : '?'}${text}`);
        expectSane(answer, operation, text);
        if (operation.queryParameters.length === 0)
          assert.equal(answer.status, usual.status, `${path}?${text}`);
      }
    }
  });

  it('hostile headers', async () => {
    const headers: Record<string, string>[] = [
      { 'idempotency-key': '\u0001' },
      { 'idempotency-key': 'x'.repeat(10_000) },
      { 'x-dry-run': 'everything' },
      { cookie: `talkboard_refresh=${'x'.repeat(5_000)}` },
      { cookie: 'talkboard_refresh=%00; =; ;;; __proto__=1' },
      { 'content-length': '-1' },
      { 'transfer-encoding': 'nonsense' },
      { accept: 'x'.repeat(5_000) },
      { 'x-forwarded-for': "'; drop table records; --" },
      { 'accept-encoding': '*;q=NaN' },
    ];
    for (const operation of operations) {
      for (const header of sampleOf(headers, 1 / 40, `${operation.name} header`)) {
        const { path, body } = baseline(operation);
        const target = operation.method === 'DELETE' ? `${path}x` : path;
        expectSane(
          await send(operation, target, body, header),
          operation,
          JSON.stringify(header).slice(0, 60),
        );
      }
    }
  });

  it('nothing has crept into the prototypes, and the objects are still there', async () => {
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.equal(([] as unknown as Record<string, unknown>).polluted, undefined);
    await connectAgain();
    const draft = operations.find(({ name }) => name === 'PUT /agents/{id}/draft')!;
    await send(draft, sampler.address(draft), {});
    for (const operation of operations.filter(({ method, isPublic }) => method === 'GET' && !isPublic)) {
      if (refusesItsSample.includes(operation.name)) continue;
      const answer = await send(operation, sampler.address(operation));
      assert.equal(answer.status, 200, `${operation.name}: ${answer.text}`);
    }
  });
});

/** For the password, before it looks for what is to be removed. */
function asksFirst({ name }: Operation): boolean {
  return name === 'POST /auth/passkeys/{id}/remove';
}

/** Of every kind at least one: what repels one value usually repels its like. */
function attacksOn<T extends { kind: string }>(where: string, all: readonly T[]): T[] {
  const kinds = Map.groupBy(all, ({ kind }) => kind);
  return [...kinds].flatMap(([kind, alike]) => sampleOf(alike, 1 / 24, `${where} ${kind}`));
}

/** The accepted body with the raw value put in at the place. */
function bodyWith(
  sampler: Sampler,
  operation: Operation,
  place: Place,
  hostile: HostileJson,
): { bytes: Buffer; sent: unknown } {
  const body = sampler.body(operation, place);
  const holder = place
    .slice(0, -1)
    .reduce<Json>((value, _, depth) => value[keyOf(sampler.ids, place, depth)], body);
  holder[keyOf(sampler.ids, place, place.length - 1)] = mark;
  const [head, tail] = JSON.stringify(body).split(`"${mark}"`) as [string, string];
  const json = Buffer.from(hostile.json);
  return {
    bytes: Buffer.concat([Buffer.from(head), json, Buffer.from(tail)]),
    sent: hostile.unstorable ? undefined : JSON.parse(json.toString()),
  };
}

/** The value at the place in a response; lists may contain other items, in another order. */
function valuesAt(body: Json, place: Place, sampler: Sampler): Json[] {
  return place.reduce<Json[]>(
    (values, step, depth) =>
      values.flatMap((value) =>
        typeof step === 'number'
          ? Array.isArray(value)
            ? value
            : []
          : [value?.[keyOf(sampler.ids, place, depth)]],
      ),
    [body],
  );
}
