/**
 * Another account's ids in every place of every operation of the OpenAPI document: the answer is the one that an id
 * of nothing gets, and the other account is afterwards what it was before, row by row. Once with both accounts in one
 * database, and once with each in a cell of its own. A run takes in one database every place with the id that fits it and
 * a share of the others, and of the places in cells a share; a full run takes all ids in all places by all callers.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cellOfAccount } from '../../server/platform/cells/directory.ts';
import type { Db } from '../../server/platform/db/db.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import {
  mapKey,
  type Operation,
  type Place,
  placesIn,
  readOperations,
  schemaAt,
  typesOf,
} from '../support/api-operations.ts';
import {
  absentId,
  automationRunId,
  createOneOfEach,
  createSampler,
  idFor,
  idInPath,
  type KnownIds,
  keyOf,
  type Sampler,
} from '../support/api-samples.ts';
import { eventually } from '../support/eventually.ts';
import { longJwt } from '../support/long-jwt.ts';
import { makeSampleMail } from '../support/mail.ts';
import { resetRateLimits } from '../support/rate-limits.ts';
import { isFull, sampleOf } from '../support/sample.ts';
import { type Answer, type Json, startTestService, type TestService } from '../support/service.ts';

/** These refuse the caller, or ask for the password, before they look for anything. */
const answersOtherwise = / \/admin\/|^POST \/auth\/passkeys\/\{id\}\/remove$/;

type Account = Awaited<ReturnType<TestService['createAccount']>>;

interface Attempt {
  operation: Operation;
  place: string;
  ids: string[];
  /** The one of the kind that the place asks for. */
  fitting: string | undefined;
  isInPath?: true;
  /** The same request with one id or the other in it. */
  request: (id: string) => { path: string; body?: Json };
}

const layouts = [
  {
    title: 'isolation of accounts',
    cells: [],
    callers: ['an administrator', 'a token', 'an operator'],
    otherCell: 'home',
    share: 1,
  },
  // The rights of a caller are the same code in every cell: one caller is enough here, with all ids in all places.
  {
    title: 'isolation of accounts in two cells',
    cells: ['eu2'],
    callers: ['a token'],
    otherCell: 'eu2',
    share: 1 / 16,
  },
];

for (const { title, cells, callers, otherCell, share } of layouts) {
  describe(title, () => {
    let service: TestService;
    let operations: Operation[];
    let own: Account;
    let other: Account;
    let sampler: Sampler;
    let foreign: KnownIds;
    let credentials: Record<string, string>;
    let calls = 0;

    before(async () => {
      service = await startTestService({ cells });
      operations = (await readOperations(service)).filter(({ isPublic }) => !isPublic);
      // The first one goes to the cell that has no account yet.
      other = await lastingAccount();
      own = await lastingAccount();
      const placed = [own, other].map(({ accountId }) => cellOfAccount(service.context.db, accountId));
      assert.deepEqual(await Promise.all(placed), ['home', otherCell]);
      sampler = createSampler(await createOneOfEach(service, own.jwt, operations));
      foreign = await createOneOfEach(service, other.jwt, operations);
      await plantRun(own.accountId, sampler.ids);
      await plantRun(other.accountId, foreign, otherCell);
      await makeSampleMail(service, own.accountId, own.jwt, sampler.ids);
      await makeSampleMail(service, other.accountId, other.jwt, foreign, otherCell);
      const operator = await service.createUser('operator', own.jwt);
      const all = {
        'an administrator': own.jwt,
        'a token': own.token,
        'an operator': await longJwt(service, operator.jwt),
      };
      credentials = Object.fromEntries(Object.entries(all).filter(([who]) => callers.includes(who)));
    });
    after(() => service.close());

    /** These services have no worker that would run a rule. */
    const plantRun = async (accountId: string, ids: Map<string, string>, cell = 'home') => {
      const id = newId();
      await service.contextOf(cell).db.query(sql`
        insert into automation_runs (account_id, id, rule_id, rule_name, version, cause_row, cause_type, cause_id, subject,
          state, chain, created_at)
        values (${accountId}, ${id}, ${newId()}, 'Rule', 1, gen_random_uuid(), 'hook', 'h', 'h:1', 'done', '[]', 0)`);
      ids.set(automationRunId, id);
    };

    const lastingAccount = async (): Promise<Account> => {
      const account = await service.createAccount();
      return { ...account, jwt: await longJwt(service, account.jwt) };
    };

    const send = async (operation: Operation, token: string, path: string, body?: Json) => {
      if (++calls % 300 === 0) await resetRateLimits(service);
      const answer = await service.call(operation.method, path, {
        token,
        ...(body !== undefined && { body }),
      });
      // An account can have so many of them only.
      if (operation.name === 'POST /macros' && answer.status === 201) {
        await service.call('DELETE', `/macros/${answer.body.id}`, { token });
      }
      if (operation.name === 'POST /automations' && answer.status === 201) {
        await service.call('DELETE', `/automations/${answer.body.id}`, { token: own.jwt });
      }
      // The sample names the first version.
      if (operation.name === 'PUT /automations/{id}' && answer.status === 200) {
        await service.context.db.query(sql`delete from automation_versions where version > 1`);
        await service.context.db.query(sql`update automations set version = 1 where version > 1`);
      }
      return answer;
    };

    /**
     * The first caller may do everything: it tries the fitting id and a share of the others. In a quarter of the places one
     * more caller tries the fitting one. In a full run all try all.
     */
    const tryAll = async (attempts: readonly Attempt[]) => {
      const [first, ...others] = Object.keys(credentials);
      const again = new Set(sampleOf(attempts, 1 / 16, 'by another caller'));
      for (const attempt of attempts) {
        const { operation, place, ids, fitting } = attempt;
        const where = `${operation.name} ${place}`;
        // Only the first of many deletions finds something, and only the first of many publications a draft.
        if ((operation.method === 'DELETE' && place.startsWith('?')) || operation.path.endsWith('/publish'))
          await send(operation, own.jwt, sampler.address(operation), sampler.body(operation));
        const some = new Set([...(fitting ? [fitting] : []), ...sampleOf(ids, 1 / 192, where)]);
        await expectAsAbsent(attempt, first!, [...some]);
        for (const who of again.has(attempt) ? sampleOf(others, 1 / 2, where) : [])
          await expectAsAbsent(attempt, who, isFull ? ids : [fitting ?? ids[0]!]);
      }
    };

    const expectAsAbsent = async (attempt: Attempt, who: string, ids: string[]) => {
      const { operation, place, request, isInPath } = attempt;
      const token = credentials[who]!;
      const absent = request(absentId);
      const expected = readable(await send(operation, token, absent.path, absent.body));
      if (isInPath && who === 'an administrator' && !answersOtherwise.test(operation.name)) {
        const { status, body } = expected;
        assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], `${operation.name}, nothing as ${place}`);
        assert.match(body.message, / not found$/, operation.name);
      }
      for (const id of ids) {
        const { path, body } = request(id);
        const found = readable(await send(operation, token, path, body));
        assert.deepEqual(found, expected, `${operation.name} by ${who}, ${id} as ${place}`);
        assert.ok(![401, 429, 500].includes(found.status), `${operation.name}: ${found.status}`);
      }
    };

    // A value in a path, such as a contact to block, is no reference to anything.
    const inPath = (operation: Operation): Attempt[] =>
      operation.pathParameters
        .filter(({ name }) => /(id|fileKey)$/i.test(name))
        .map(({ name }) => ({
          operation,
          place: name,
          isInPath: true,
          ids: [...foreign.values()],
          fitting: idInPath(foreign, operation.path, name),
          request: (id) => ({
            path: sampler.address({ ...operation, path: operation.path.replace(`{${name}}`, id) }),
            body: sampler.body(operation),
          }),
        }));

    const inQuery = (operation: Operation): Attempt[] =>
      operation.queryParameters
        .filter(({ schema }) => typesOf(schema).includes('string'))
        .map(({ name }) => ({
          operation,
          place: `?${name}`,
          ids: [...foreign.values()],
          fitting: idFor(foreign, name),
          request: (id) => ({
            path: sampler.address(operation, { name, raw: [id] }),
            body: sampler.body(operation),
          }),
        }));

    const inBody = (operation: Operation): Attempt[] =>
      (operation.body ? placesIn(operation.body) : [])
        .map((place) => ({
          operation,
          place: place.join('.'),
          ids: idsFor(operation, place),
          fitting: fittingAt(place),
          request: (id: string) => ({
            path: sampler.address(operation),
            body: bodyWith(operation, place, id),
          }),
        }))
        .filter(({ ids }) => ids.length > 0);

    const fittingAt = (place: Place): string | undefined => {
      if (place.at(-1) !== mapKey) return idFor(foreign, nameAt(place));
      const key = keyOf(foreign, place, place.length - 1);
      return [...foreign.values()].find((id) => id === key);
    };

    it('the ids mean something to their owner', async () => {
      assert.ok(foreign.size >= 8, `only ${[...foreign.keys()].join(', ')}`);
      const reads = operations.filter((one) => one.method === 'GET' && one.pathParameters.length > 0);
      assert.ok(reads.length > 0);
      for (const operation of reads) {
        const answer = await send(operation, other.jwt, createSampler(foreign).address(operation));
        assert.equal(answer.status, 200, `${operation.name}: ${answer.text}`);
      }
    });

    it('in paths, queries and bodies they are as absent, and nothing of their account changes', async () => {
      // A search of messages numbers the live changes of all accounts that are not numbered yet.
      const { db } = service.contextOf(otherCell);
      await eventually(async () => {
        await db.query(sql`select from live_tick(0, 0)`);
        return (await db.query(sql`select from live_changes`)).length === 0;
      });
      const before = await rowsOf(db, other.accountId);
      assert.ok(before.length > 20);
      const addressed = operations.flatMap((operation) => [...inPath(operation), ...inQuery(operation)]);
      await tryAll(sampleOf(addressed, share, 'addresses'));
      // Last, because a name is accepted even if it is an id, and becomes the slug of a board that paths then find.
      await tryAll(sampleOf(operations.flatMap(inBody), share, 'bodies'));
      assert.deepEqual(await rowsOf(db, other.accountId), before);
    });

    it('a page of one account cannot be turned by another', async () => {
      for (const operation of operations) {
        if (operation.method !== 'GET' || !operation.queryParameters.some(({ name }) => name === 'nextToken'))
          continue;
        const first = createSampler(foreign).address(operation, { name: 'limit', raw: ['1'] });
        const { body } = await send(operation, other.jwt, first);
        if (!body?.nextToken) continue;
        const mine = sampler.address(operation, { name: 'nextToken', raw: [body.nextToken] });
        const answer = await send(operation, own.jwt, mine);
        assert.equal(answer.status, 400, `${operation.name}: ${answer.text}`);
      }
    });

    /** All of them where an id is asked for; one where it is only a text like any other. */
    const idsFor = (operation: Operation, place: Place): string[] => {
      const types = typesOf(schemaAt(operation.body!, place));
      const isMapValue = place.at(-1) === mapKey;
      if (types.length > 0 && !types.includes('string') && !isMapValue) return [];
      const name = nameAt(place);
      // Setting one is not repeatable: the first of two requests changes what the second is answered.
      if (/password/i.test(name)) return [];
      // A new version is not repeatable either: the second request names an old one.
      if (operation.name === 'PUT /knowledge/documents/{id}') return [];
      // A record's channelId is a free text that finds the own account's duplicates: not repeatable either.
      if (name === 'channelId' && operation.path.startsWith('/crm/')) return [];
      // The caller chooses these: they name conversations and customers of the own account, and make them.
      const isChosen = /^(sessionId|externalUserId)$/.test(name);
      if (isChosen && ['/messages', '/channels/{channelId}/sessions'].includes(operation.path)) return [];
      // The first start is a new conversation, the second continues it.
      if (operation.path === '/channels/{channelId}/sessions' && !idFor(foreign, name)) return [];
      if (name === 'providerMsgId') return [];
      // A text that the caller chooses: a second one is added to the first, so that the answers differ.
      if (name === 'emoji') return [];
      // A number or an address of the customer: it names nothing of ours, and an id of digits alone is a number.
      if (/^(add|remove)Identifiers$/.test(String(place[0])) && name === 'value') return [];
      // Answered from what the account's own agent knows, and that is by now what was tried on PATCH /agents/{id}.
      if (operation.path === '/agents/{id}/try') return [];
      return idFor(foreign, name) || isMapValue ? [...foreign.values()] : [foreign.get('recordId')!];
    };

    /** For a map the id is its key. */
    const bodyWith = (operation: Operation, place: Place, id: string): Json => {
      const body = sampler.body(operation, place);
      const holder = place
        .slice(0, -1)
        .reduce<Json>((value, _, depth) => value[keyOf(sampler.ids, place, depth)], body);
      if (place.at(-1) === mapKey) {
        for (const key of Object.keys(holder)) delete holder[key];
        holder[id] = 'x';
      } else holder[place.at(-1)!] = id;
      return body;
    };
  });
}

function nameAt(place: Place): string {
  return String(place.findLast((step) => typeof step === 'string'));
}

/** Without what differs between any two requests: ids, times, numbers and secrets. */
function readable({ status, body, headers }: Answer): Json {
  const text = JSON.stringify({ ...body, requestId: '' })
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\b(tb_|whsec_|signature=)[\w+/=-]+/g, '$1')
    .replace(/(secret=|"secret":")[A-Z2-7]+|("challenge":")[\w-]+/g, '$1$2')
    // Of a draft of an agent, whose fields an earlier attempt has set.
    .replace(/"changed":\[[^\]]*\]/g, '"changed":[]')
    .replace(/\d+/g, '0');
  return { status, body: JSON.parse(text), limited: 'x-ratelimit-limit' in headers };
}

/** Every row of the account in every table there is, but for the counters of requests. */
async function rowsOf(db: Db, accountId: string): Promise<string[]> {
  const client = await db.connect();
  try {
    const { rows: tables } = await client.query(`
      select c.table_name as name, c.column_name as key from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'rate_limit_%'
        and (c.column_name = 'account_id' or (c.table_name = 'accounts' and c.column_name = 'id'))
      order by 1`);
    const all: string[] = [];
    for (const { name, key } of tables as { name: string; key: string }[]) {
      const { rows } = await client.query(
        `select to_jsonb(t)::text as row from "${name}" t where "${key}" = $1 order by 1`,
        [accountId],
      );
      all.push(...rows.map(({ row }: { row: string }) => `${name} ${row}`));
    }
    return all;
  } finally {
    client.release();
  }
}
