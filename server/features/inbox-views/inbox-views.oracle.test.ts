import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConditionFieldName, conditionFields } from '../../../contract/conditions.ts';
import { viewSorts } from '../../../contract/messaging/sessions.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type OracleContext, oracleMatches } from '../../../test/support/filter-oracle.ts';
import { anyCondition, anyNode, generator } from '../../../test/support/random-filters.ts';
import { isFull, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const [sessionCount, filterCount] = isFull ? [5_000, 300] : [300, 25];
const dayMs = 86_400_000;
const oracleTypes = {
  number: 'number',
  boolean: 'boolean',
  option: 'select',
  options: 'multiselect',
  time: 'datetime',
};

/** What a view shows, compared with what it should show, while conversations change. */
describe('views of the inbox against an oracle', () => {
  let service: TestService;
  let talk: Conversations;
  const random = generator(seed);
  const { pick } = random;
  /** Of its own: how many changes happen depends on the machine. */
  const changes = generator(seed + 1);
  const numbers = Array.from({ length: sessionCount - 1 }, (_, n) => `o${n + 1}`);
  const ids: { [kind: string]: string[] } = {};

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    const made = async (count: number, make: () => Promise<Json>) => {
      const list: string[] = [];
      for (let i = 0; i < count; i++) list.push((await make()).id);
      return list;
    };
    ids.channel = await made(2, () => talk.channel({ settings: { answersFirst: 'people' } }));
    ids.user = [service.admin.userId, ...(await made(2, () => service.createUser('operator')))];
    ids.team = await made(2, () =>
      talk.expect(201, service.call('POST', '/teams', { body: { name: unique('Team') } })),
    );
    ids.label = await made(3, () =>
      talk.expect(201, service.call('POST', '/labels', { body: { name: unique('Label'), color: 'blue' } })),
    );
    await talk.accepted({ sessionId: 'seed' });
    const { accountId } = service.admin;
    await service.context.db.autocommit(sql`
      insert into sessions (account_id, session_id, channel_id, contact_key, agent_id, kanban_id, last_message_at,
        created_at, updated_at, message_count, event_sequence, search_text)
      select account_id, 'o' || n, channel_id, 'o' || n, agent_id, kanban_id, last_message_at, created_at, updated_at, 0,
        0, ''
      from sessions, generate_series(1, ${sessionCount - 1}::int) n
      where account_id = ${accountId} and session_id = 'seed' returning 1`);
    ids.agent = (
      await service.context.db.query<{ id: string }>(sql`
      select agent_id as id from sessions where account_id = ${accountId} limit 1`)
    ).map(({ id }) => id);
    for (const id of numbers) await shuffle(id);
  });
  after(() => service.close());

  async function shuffle(sessionId: string): Promise<void> {
    const now = service.context.clock.now();
    const at =
      now -
      Math.floor(40 * dayMs * changes.pick([0.0001, 0.01, 0.03, 0.2, 0.6, 1]) * changes.pick([0.5, 0.7, 1]));
    const orNull = <T>(value: T) => (changes.chance(0.4) ? null : value);
    await service.context.db.autocommit(sql`
      update sessions set status = ${changes.pick(['open', 'open', 'snoozed', 'resolved'])}, channel_id = ${changes.pick(ids.channel!)},
        assigned_user_id = ${orNull(changes.pick(ids.user!))}::uuid, team_id = ${orNull(changes.pick(ids.team!))}::uuid,
        label_ids = ${ids.label!.filter(() => changes.chance(0.3))}::uuid[], ai_paused = ${changes.chance(0.5)},
        unread = ${changes.pick([0, 0, 1, 3])}, last_message_at = ${at}, created_at = ${at - dayMs},
        waiting_since = ${orNull(at - 3 * 60_000)}::bigint, sla_due = ${orNull(at + dayMs)}::bigint,
        updated_at = updated_at + 1
      where account_id = ${service.admin.accountId} and session_id = ${sessionId} returning 1`);
  }

  interface Row {
    sessionId: string;
    slaDue: number | null;
    version: number;
    [name: string]: unknown;
  }
  const rows = async (): Promise<Map<string, Row>> => {
    const found = await service.context.db.query<Row>(sql`
      select session_id as "sessionId", status, channel_id as "channelId", agent_id as "agentId",
        (select type from channels c where c.account_id = s.account_id and c.id = s.channel_id) as "channelType",
        assigned_user_id as "assignedUserId", team_id as "teamId", label_ids::text[] as "labelIds",
        ai_paused as "aiPaused", unread, created_at as "createdAt", last_message_at as "lastMessageAt",
        waiting_since as "waitingSince", sla_due as "slaDue", updated_at as version
      from sessions s where account_id = ${service.admin.accountId}`);
    return new Map(found.map((row) => [row.sessionId, row]));
  };

  const waits = (row: Row) => (row.status === 'resolved' ? null : (row.waitingSince as number | null));
  const facts = (row: Row, now: number): Json => {
    const since = waits(row);
    const values: Json = { ...row, waitingMinutes: since === null ? undefined : (now - since) / 60_000 };
    const named = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
    return { customFields: Object.fromEntries(named.map(([name, value]) => [`session.${name}`, value])) };
  };
  /** In the order of their place in the list. */
  const inOrder = (sort: (typeof viewSorts)[number]) => {
    const newest = (a: Row, b: Row) =>
      (b.lastMessageAt as number) - (a.lastMessageAt as number) || (a.sessionId < b.sessionId ? 1 : -1);
    if (sort === 'newest') return newest;
    if (sort === 'oldest') return (a: Row, b: Row) => -newest(a, b);
    const key = sort === 'due' ? (row: Row) => row.slaDue : waits;
    return (a: Row, b: Row) => {
      const [x, y] = [key(a), key(b)];
      if (x === null || y === null) return x === y ? newest(a, b) : x === null ? 1 : -1;
      return x - y || (a.sessionId < b.sessionId ? -1 : 1);
    };
  };

  const fields = (Object.keys(conditionFields) as ConditionFieldName[]).filter(
    (name) => name.startsWith('session.') && !['session.language', 'session.rating'].includes(name),
  );
  const anyValue = (field: ConditionFieldName, op: string, now: number): unknown => {
    const { comparison, refersTo, values } = conditionFields[field] as Json;
    if (refersTo) return pick(field === 'session.assignedUserId' ? [...ids.user!, 'me'] : ids[refersTo]!);
    if (values) return pick(values);
    if (comparison === 'boolean') return random.chance(0.5);
    if (comparison === 'time') return now - pick([0, 1, 5, 20]) * dayMs;
    return op === 'between' ? pick([0, 1, 5, 10_000]) : pick([0, 1, 2, 60, 3_000]);
  };

  it('every conversation that stays the same is listed once, in order, if and only if it matches; counts are right', async () => {
    const me = service.admin.userId;
    const context: OracleContext = {
      fields: Object.fromEntries(
        fields.map((name) => [name, { type: (oracleTypes as Json)[conditionFields[name].comparison] }]),
      ),
      statuses: [],
      me,
      now: 0,
    };
    const withMe = (node: Json): Json =>
      JSON.parse(JSON.stringify(node).replaceAll('"me"', JSON.stringify(me)));
    let [found, changed] = [0, 0];
    for (let run = 0; run < filterCount; run++) {
      const now = service.context.clock.now();
      const part = anyNode(random, 1, () => {
        const field = pick(fields);
        const { comparison } = conditionFields[field];
        // What is relative to the moment of the request is compared elsewhere, with one clock.
        for (;;) {
          const one = anyCondition(random, field, comparison, (op) => anyValue(field, op, now));
          if (!['inLast', 'inNext'].includes(one.op)) return one;
        }
      });
      // A filter that was counted seconds ago would not be counted again.
      const filter = {
        and: [part, { field: 'session.createdAt', op: 'after', value: run }],
        timeZone: 'UTC',
      };
      const sort = pick(viewSorts);
      const text = `${sort} ${JSON.stringify(filter)}`;
      const earlier = await rows();
      const listed: string[] = [];
      let isOver = false;
      const changing = (async () => {
        while (!isOver) await shuffle(changes.pick(numbers));
      })();
      for (let nextToken: string | null = null; ; ) {
        const query = { sort, filter: JSON.stringify(filter), limit: isFull ? '100' : '20' };
        const token: object = nextToken === null ? {} : { nextToken };
        const path = `/sessions?${new URLSearchParams({ ...query, ...token })}`;
        const page: Json = await talk.expect(200, service.call('GET', path));
        listed.push(...page.items.map(({ sessionId }: Json) => sessionId));
        nextToken = page.nextToken;
        if (nextToken === null) break;
      }
      isOver = true;
      await changing;
      const later = await rows();
      const same = [...later.values()].filter((row) => earlier.get(row.sessionId)?.version === row.version);
      changed += later.size - same.length;
      const matches = (row: Row) => oracleMatches(facts(row, now), withMe(filter), { ...context, now });
      const wanted = same
        .filter(matches)
        .sort(inOrder(sort))
        .map(({ sessionId }) => sessionId);
      const unchanged = new Set(same.map(({ sessionId }) => sessionId));
      assert.deepEqual(
        listed.filter((id) => unchanged.has(id)),
        wanted,
        text,
      );
      found += wanted.length;
      const view = await talk.expect(
        201,
        service.call('POST', '/inbox-views', { body: { name: unique('View'), filter, sort } }),
      );
      const { items } = await talk.expect(200, service.call('GET', '/inbox-views/counts'));
      const all = [...later.values()].filter(matches).length;
      const counted = items.find(({ id }: Json) => id === view.id);
      assert.deepEqual([counted.count, counted.more], [Math.min(all, 999), all > 999], text);
      await talk.expect(200, service.call('DELETE', `/inbox-views/${view.id}`));
    }
    assert.ok(found > filterCount && changed > 0, `${found} found, ${changed} changed`);
  });
});
