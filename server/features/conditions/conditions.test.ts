import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type ConditionFieldName,
  conditionFields,
  fieldOfCondition,
  isConditionField,
} from '../../../contract/conditions.ts';
import { comparisonOf } from '../../../contract/crm/filters.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type OracleContext, oracleMatches } from '../../../test/support/filter-oracle.ts';
import { anyCondition, anyNode, generator } from '../../../test/support/random-filters.ts';
import { isFull, runsOf, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AccountConfig } from '../channels/channels.ts';
import {
  type CheckContext,
  type ConditionSubject,
  Conditions,
  checkConditions,
  evaluate,
  findConversations,
  loadSubjects,
  type SubjectKey,
} from './conditions.ts';

const random = generator(seed);
const { pick, chance } = random;
const now = Date.now();
const dayMs = 86_400_000;
const names = ['Ana Silva', 'ANA', 'João', 'São Tomé', 'Straße 5', 'x', 'Łódź'];
const textParts = ['ana', 'JOAO', 'são', 'ss', 'x', 'zzz', 'lodz', '5'];
const openHours = 'a0000000-0000-4000-8000-000000000001';
const closedHours = 'a0000000-0000-4000-8000-000000000002';
const isOpen = (id: string) => (id === openHours ? true : id === closedHours ? false : null);

describe('conditions', () => {
  let service: TestService;
  let talk: Conversations;
  let config: AccountConfig;
  let accountId: string;
  const ids: { [kind: string]: string[] } = { channel: [], agent: [], user: [], team: [], label: [] };
  const sessionIds: string[] = [];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    accountId = service.admin.accountId;
    const { call } = service;
    const made = async (path: string, body: object) =>
      (await talk.expect(201, call('POST', path, { body }))).id;
    for (const name of ['VIP', 'Refund', 'Spam']) ids.label!.push(await made('/labels', { name }));
    for (const name of ['Sales', 'Support']) ids.team!.push(await made('/teams', { name }));
    ids.user!.push(service.admin.userId, (await service.createUser('operator')).id);
    const channels = [await talk.channel(), await talk.channel({ type: 'chatbot' })];
    ids.channel!.push(...channels.map(({ id }) => id));
    ids.agent!.push(...(await talk.expect(200, call('GET', '/agents'))).items.map(({ id }: Json) => id));
    const people = [
      '5511987650001',
      '5511987650002',
      'ana@example.com',
      'josé@exämple.com',
      'visitor 7',
      null,
    ];
    const said = ['Where is my order?', 'Onde está o meu pedido?', '12345', '¿Dónde está mi pedido?', 'ok'];
    for (let i = 0; i < 24; i++) {
      const sessionId = unique('conditions');
      const channel = pick(channels);
      const externalUserId = people[i % people.length];
      const message = {
        sessionId,
        fromChannelIdentifier: channel.identifier,
        channelType: channel.type,
        ...(externalUserId !== null && { externalUserId }),
        ...(chance(0.7) && { sessionName: pick(names) }),
      };
      for (let n = pick([1, 2, 4]); n > 0; n--) await talk.accepted({ ...message, content: pick(said) });
      const change = {
        ...(chance(0.4) && { assignedUserId: pick(ids.user!) }),
        ...(chance(0.4) && { teamId: pick(ids.team!) }),
        ...(chance(0.6) && {
          addLabelIds: pick([ids.label!.slice(0, 1), ids.label!.slice(0, 2), ids.label!.slice(1)]),
        }),
        ...(chance(0.3) && { status: pick(['resolved', 'snoozed']) }),
        ...(chance(0.3) && { unread: 0 }),
      };
      await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: change }));
      if (chance(0.3)) await talk.pause(sessionId);
      sessionIds.push(sessionId);
    }
    await talk.expect(201, call('POST', '/blocked-contacts/5511987650002', { body: {} }));
    const rated = sessionIds.filter(() => chance(0.5));
    await service.context.db.transaction(async (tx) => {
      await tx.query(sql`
        insert into session_ratings (account_id, session_id, resolved_at, score, created_at, updated_at)
        select ${accountId}::uuid, s, n, n, 0, 0
        from unnest(${rated}::text[]) s, generate_series(1, 1 + length(s) % 5) n`);
      await tx.query(sql`
        update sessions set created_at = created_at - ${dayMs}::bigint * (message_count % 7)
        where account_id = ${accountId}`);
    });
    config = await service.context.accountConfig.fresh(accountId);
  });
  after(() => service.close());

  const fieldOf = (id: string) =>
    [...config.definitions.kanbans.values()].flatMap(({ fields }) => fields.get(id) ?? [])[0];
  const load = (keys: SubjectKey[], conditions: Conditions) =>
    loadSubjects(service.context.db, accountId, config.definitions, keys, [conditions]);
  const met = async (conditions: Conditions, subject: ConditionSubject, at: number) =>
    (await evaluate(conditions, subject, at, { fieldOf, isOpen })).matched;
  const checking = (): CheckContext => ({
    db: service.context.db,
    accountId,
    config,
    fieldOf,
    hasHours: (id) => isOpen(id) !== null,
  });

  const oracleTypes = {
    text: 'text',
    number: 'number',
    boolean: 'boolean',
    option: 'select',
    options: 'multiselect',
    time: 'datetime',
    date: 'date',
  } as const;
  const oracle = (): OracleContext => ({
    fields: Object.fromEntries(
      Object.entries(conditionFields).map(([name, { comparison }]) => [
        name,
        { type: oracleTypes[comparison] },
      ]),
    ),
    statuses: [],
    me: '',
    now,
  });
  /** What the API says about a conversation, by field. */
  async function described(sessionId: string): Promise<Json> {
    const session = await talk.session(sessionId);
    const contact = session.contactId
      ? await talk.expect(200, service.call('GET', `/contacts/${session.contactId}`))
      : null;
    const [rating] = await service.context.db.query<{ score: number }>(sql`
      select max(score) as score from session_ratings where account_id = ${accountId} and session_id = ${sessionId}`);
    const all: Json = {};
    for (const name of Object.keys(conditionFields)) {
      const [kind, field] = name.split('.') as [string, string];
      if (kind === 'session') all[name] = session[field];
      if (kind === 'contact') all[name] = contact?.[field];
    }
    const valuesOf = (kind: string) =>
      contact?.identifiers.filter((one: Json) => one.kind === kind).map((one: Json) => one.value);
    all['contact.email'] = valuesOf('email');
    all['contact.phone'] = valuesOf('phone');
    all['session.rating'] = rating!.score;
    all['session.waitingMinutes'] = session.waitingSince && (now - session.waitingSince) / 60_000;
    const customer = (await talk.messages(sessionId))
      .filter(({ role }) => role === 'user')
      .slice(-3)
      .reverse();
    const languages = customer.map(({ content }) =>
      /order/.test(content) ? 'en' : /Onde/.test(content) ? 'pt' : /mi pedido/.test(content) ? 'es' : null,
    );
    all['session.language'] = languages.find((one) => one !== null);
    for (const [name, value] of Object.entries(all)) if (value === null) delete all[name];
    return { customFields: all };
  }

  function anyValueOf(field: ConditionFieldName, op: string): unknown {
    const { comparison, refersTo, values } = fieldOfCondition(field);
    if (values) return pick(values);
    if (refersTo) return pick(ids[refersTo]!);
    if (comparison === 'number') return pick([0, 1, 2, 3, 4, 2.5]);
    if (comparison === 'boolean') return chance(0.5);
    if (comparison === 'time') {
      return pick([
        now - 2 * dayMs,
        new Date(now - dayMs).toISOString(),
        new Date(now).toISOString().slice(0, 10),
      ]);
    }
    if (field === 'contact.phone')
      return pick(
        op.startsWith('is') || op.endsWith('Of')
          ? ['+55 (11) 98765-0001', '5511987650002']
          : ['55 11', '0001', '9'],
      );
    if (field === 'contact.email')
      return pick(['ana@example.com', 'JOSE@example.com', 'josé@exämple.com', '@ex', 'jo']);
    return op === 'is' || op === 'anyOf' ? pick(names) : pick(textParts);
  }

  const comparable = (Object.keys(conditionFields) as ConditionFieldName[]).filter(
    (name) => !name.startsWith('message.'),
  );
  const anyOfConversation = (): Json => {
    if (chance(0.05)) return { withinHours: pick([openHours, closedHours]), is: chance(0.5) };
    const field = pick(comparable);
    return anyCondition(random, field, conditionFields[field].comparison, (op) => anyValueOf(field, op));
  };

  it('mean the same in memory, as SQL and by the rules, for any filter on conversations', async () => {
    const facts = new Map<string, Json>();
    for (const id of sessionIds) facts.set(id, await described(id));
    let found = 0;
    for (let run = 0; run < runsOf(400); run++) {
      const value = {
        ...anyNode(random, 3, anyOfConversation),
        timeZone: pick(['UTC', 'America/Sao_Paulo', 'Asia/Tokyo']),
      };
      const text = JSON.stringify(value);
      const conditions = new Conditions(value, 'filter', { fieldOf, kinds: ['session', 'contact'] });
      const context = { db: service.context.db, accountId, definitions: config.definitions, visible: null };
      const listed: string[] = [];
      for await (const page of findConversations({ ...context, fieldOf, isOpen }, conditions, now)) {
        listed.push(...page);
      }
      const subjects = await load(
        sessionIds.map((sessionId) => ({ sessionId })),
        conditions,
      );
      const matched: string[] = [];
      for (const [index, id] of sessionIds.entries()) {
        if (await met(conditions, subjects[index]!, now)) matched.push(id);
      }
      const wanted = sessionIds.filter((id) =>
        oracleMatches(withRules(facts.get(id)), inRules(value), oracle()),
      );
      assert.deepEqual(matched.sort(), wanted.sort(), text);
      assert.deepEqual(listed.sort(), wanted.sort(), text);
      found += wanted.length;
    }
    assert.ok(found > (isFull ? 500 : 50), `only ${found} matches: the generator no longer tests anything`);
  });

  /** The oracle knows no hours and no notation of phone numbers: these become what it knows. */
  const withRules = (facts: Json) => ({ customFields: { ...facts.customFields, hours: true } });
  function inRules(node: Json): Json {
    if (node.and) return { ...node, and: node.and.map(inRules) };
    if (node.or) return { ...node, or: node.or.map(inRules) };
    if (node.withinHours) {
      const { withinHours, is, ...rest } = node;
      return {
        ...rest,
        field: 'session.status',
        op: (withinHours === openHours) === is ? 'notEmpty' : 'empty',
      };
    }
    if (node.field !== 'contact.phone' || node.value === undefined) return node;
    const digits = (value: string) => value.replace(/\D/g, '');
    return { ...node, value: Array.isArray(node.value) ? node.value.map(digits) : digits(node.value) };
  }

  it('find the same cards as filters on records', async () => {
    const fields = ['text', 'currency', 'date', 'datetime', 'select', 'multiselect', 'boolean', 'phone'].map(
      (type) => ({
        name: type,
        type,
        ...(type.includes('select') && { options: ['Hot', 'Cold', 'São Paulo'] }),
      }),
    );
    const board = await talk.kanban({ fields });
    const own: Json[] = board.fields.filter(({ isSystem }: Json) => !isSystem);
    config = await service.context.accountConfig.fresh(accountId);
    const day = (offset: number) => new Date(now + offset * dayMs).toISOString().slice(0, 10);
    const anyValue = (type: string): unknown =>
      ({
        text: () => pick([...names, `${'lorem '.repeat(250)}München`]),
        currency: () => pick([-1.5, 0, 2, 1e15]),
        date: () => day(pick([-40, -1, 0, 5])),
        datetime: () => now + pick([-40.5, -1.5, 3.5]) * dayMs,
        select: () => pick(['Hot', 'Cold']),
        multiselect: () => pick([['Hot'], ['Cold', 'São Paulo'], []]),
        boolean: () => chance(0.5),
        phone: () => pick(['+55 11 98765-0001', '+49 30 1234567']),
      })[type]!();
    const recordIds: string[] = [];
    for (let i = 0; i < 15; i++) {
      const body = {
        title: pick(names),
        assignedUserIds: pick([[], ids.user!.slice(1), ids.user!]),
        labelIds: pick([[], ids.label!.slice(0, 1)]),
        customFields: Object.fromEntries(
          own.filter(() => chance(0.6)).map(({ id, type }) => [id, anyValue(type)]),
        ),
      };
      const answer = await talk.expect(
        201,
        service.call('POST', `/crm/records?kanbanId=${board.id}`, { body }),
      );
      recordIds.push(answer.recordId);
    }
    const condition = (): Json => {
      const field = pick([
        ...own.map(({ id }) => id),
        'title',
        'status',
        'assignedUserIds',
        'labelIds',
        'createdAt',
      ]);
      const type = own.find(({ id }) => id === field)?.type;
      return anyCondition(random, field, comparisonOf(field, type)!, (op) => {
        if (field === 'status') return pick([...board.statuses.map(({ value }: Json) => value), 'none']);
        if (field === 'assignedUserIds') return pick(ids.user!);
        if (field === 'labelIds') return pick(ids.label!);
        if (field === 'createdAt') return pick([day(0), now - dayMs]);
        const value = anyValue(type ?? 'text');
        // What a filter compares with has at most 1,000 characters.
        const isShort = String(value).length <= 1_000;
        if (typeof value === 'string' && (type === undefined || type === 'text') && !(op === 'is' && isShort))
          return pick([...textParts, 'munchen']);
        return Array.isArray(value) ? (value[0] ?? 'Hot') : value;
      });
    };
    let found = 0;
    for (let run = 0; run < runsOf(200); run++) {
      const value = { ...anyNode(random, 3, condition), timeZone: pick(['UTC', 'America/Sao_Paulo']) };
      const query = new URLSearchParams({ kanbanId: board.id, filter: JSON.stringify(value), limit: '100' });
      const { items } = await talk.expect(200, service.call('GET', `/crm/records?${query}`));
      const conditions = new Conditions(value, 'filter', { fieldOf });
      const subjects = await load(
        recordIds.map((recordId) => ({ recordId })),
        conditions,
      );
      const at = service.context.clock.now();
      const matched: string[] = [];
      for (const subject of subjects) if (await met(conditions, subject, at)) matched.push(subject.recordId!);
      assert.deepEqual(
        matched.sort(),
        items.map((item: Json) => item.recordId).sort(),
        JSON.stringify(value),
      );
      found += matched.length;
    }
    assert.ok(found > 50, `only ${found} matches: the generator no longer tests anything`);
  });

  it('are about the message: its text, its pattern, its files and whether it is the first', async () => {
    const sessionId = unique('conditions');
    const first = await talk.accepted({ sessionId, content: `Isso é URGENTE ${'.'.repeat(5_000)} late` });
    const second = await talk.accepted({ sessionId, content: 'segundo' });
    const holds = async (messageId: string, value: Json) => {
      const conditions = (await checkConditions(value, checking(), 'conditions'))!;
      const [subject] = await load([{ sessionId, messageId }], conditions);
      return met(conditions, subject!, now);
    };
    const content = 'message.content';
    for (const [messageId, value, wanted] of [
      [first.userMessage.id, { field: content, op: 'matches', value: '(?i)urgente?\\b' }, true],
      [first.userMessage.id, { field: content, op: 'matches', value: 'late' }, false],
      [first.userMessage.id, { field: content, op: 'contains', value: 'LATE' }, true],
      [second.userMessage.id, { field: content, op: 'matches', value: 'urgent' }, false],
      [first.userMessage.id, { field: 'message.isFirst', op: 'is', value: true }, true],
      [second.userMessage.id, { field: 'message.isFirst', op: 'is', value: true }, false],
      [second.userMessage.id, { field: 'message.hasAttachment', op: 'is', value: false }, true],
    ] as const) {
      assert.equal(await holds(messageId, value), wanted, JSON.stringify(value));
    }
  });

  it('say which condition was not met first, with the value', async () => {
    const sessionId = unique('conditions');
    await talk.accepted({
      sessionId,
      sessionName: 'João',
      externalUserId: '5511987659999',
      content: 'Bom dia',
    });
    const body = { assignedUserId: service.admin.userId, addLabelIds: ids.label!.slice(0, 1) };
    await talk.expect(200, service.call('PATCH', `/sessions/${sessionId}`, { body }));
    const judge = async (value: Json) => {
      const conditions = new Conditions(value, 'conditions', { fieldOf });
      const [subject] = await load([{ sessionId }], conditions);
      return evaluate(conditions, subject!, now, { fieldOf, isOpen });
    };
    const reason = async (value: Json) => {
      const result = await judge(value);
      return result.matched ? null : result.reason;
    };
    const { user } = await talk.expect(200, service.call('GET', '/auth/me', { token: service.admin.jwt }));
    const isResolved = { field: 'session.status', op: 'is', value: 'resolved' };
    const isHere = { field: 'contact.name', op: 'contains', value: 'joao' };
    for (const [value, wanted] of [
      [isResolved, 'status was open'],
      [{ and: [isHere, isResolved] }, 'status was open'],
      [{ or: [isResolved, { field: 'session.unread', op: 'gt', value: 5 }] }, 'status was open'],
      [{ or: [isResolved, isHere] }, null],
      [{ field: 'session.assignedUserId', op: 'empty' }, `owner was ${user.name}`],
      [{ field: 'session.teamId', op: 'notEmpty' }, 'team was empty'],
      [{ field: 'session.labelIds', op: 'notContains', value: ids.label![0] }, 'labels were VIP'],
      [{ field: 'session.aiPaused', op: 'is', value: true }, 'AI paused was false'],
      [{ field: 'contact.name', op: 'is', value: 'Ana' }, 'contact name was "João"'],
      [{ withinHours: openHours, is: false }, 'opening hours were open'],
      [{ withinHours: closedHours, is: true }, 'opening hours were closed'],
      [{ field: 'session.language', op: 'is', value: 'en' }, 'language was pt'],
    ] as const) {
      assert.equal(await reason(value), wanted, JSON.stringify(value));
    }
    const created = { field: 'session.createdAt', op: 'before', value: 0 };
    assert.match(
      (await reason({ ...created, timeZone: 'Asia/Tokyo' }))!,
      /^creation time was [\d-]{10} [\d:]{5} \(Asia\/Tokyo\)$/,
    );
    const missed = async (value: Json) => {
      const result = await judge(value);
      return result.matched ? null : result.missed;
    };
    for (const [value, wanted] of [
      [isResolved, { field: 'session.status', value: ['open'] }],
      [
        { field: 'session.teamId', op: 'notEmpty' },
        { field: 'session.teamId', value: null },
      ],
      [
        { field: 'session.aiPaused', op: 'is', value: true },
        { field: 'session.aiPaused', value: false },
      ],
      [
        { field: 'contact.name', op: 'is', value: 'Ana' },
        { field: 'contact.name', value: 'João' },
      ],
      [
        { withinHours: openHours, is: false },
        { field: 'withinHours', value: openHours, isOpen: true },
      ],
    ] as const) {
      assert.deepEqual(await missed(value), wanted, JSON.stringify(value));
    }
    const createdAt = (await missed(created))!;
    assert.ok(Math.abs(Number(createdAt.value) - now) < 60_000, 'times are in milliseconds');
  });

  it('400 that names the place of every mistake', async () => {
    const unknown = 'b0000000-0000-4000-8000-000000000000';
    const status = { field: 'session.status', op: 'is', value: 'open' };
    for (const [value, message, kinds] of [
      [[], /^conditions must be a JSON object/],
      [{ and: [] }, /^conditions\.and must be a list of at least 1/],
      [
        { and: [status, { ...status, op: 'contains' }] },
        /^conditions\.and\[1\]\.op must be one of is, isNot, anyOf/,
      ],
      [{ ...status, value: 'gone' }, /^conditions\.value must be one of open, snoozed, resolved$/],
      [
        { field: 'session.nothing', op: 'is', value: 'x' },
        /^conditions\.field must be one of title, status,/,
      ],
      [{ field: 'title', op: 'empty' }, /^conditions\.field must be one of session\.status/, ['session']],
      [
        { field: 'session.teamId', op: 'anyOf', value: [ids.team![0], unknown] },
        /^conditions\.value\[1\] does not exist$/,
      ],
      [{ field: 'session.channelId', op: 'is', value: 'api' }, /^conditions\.value does not exist$/],
      [{ field: 'session.agentId', op: 'is', value: unknown }, /^conditions\.value does not exist$/],
      [
        { field: 'session.labelIds', op: 'contains', value: ids.team![0] },
        /^conditions\.value does not exist$/,
      ],
      [{ field: 'assignedUserIds', op: 'contains', value: unknown }, /^conditions\.value does not exist$/],
      [
        { field: 'session.assignedUserId', op: 'is', value: 'me' },
        /^conditions\.value must be the id of a user/,
      ],
      [{ or: [{ withinHours: unknown, is: true }] }, /^conditions\.or\[0\]\.withinHours does not exist$/],
      [{ withinHours: openHours }, /^conditions\.is must be true or false$/],
      [{ withinHours: openHours, is: true, field: 'title' }, /^conditions must have either "withinHours"/],
      [
        { field: 'message.content', op: 'matches', value: '(' },
        /^conditions\.value is no regular expression of RE2/,
      ],
      [
        { field: 'message.content', op: 'matches', value: 'a'.repeat(201) },
        /^conditions\.value must have at most 200/,
      ],
      [{ field: 'contact.name', op: 'matches', value: 'a' }, /^conditions\.op must be one of/],
      [{ ...status, timeZone: 'Mars' }, /^conditions\.timeZone/],
    ] as const) {
      await assert.rejects(
        checkConditions(value, checking(), 'conditions', kinds),
        (error: Json) => error.status === 400 && message.test(error.message),
        `${JSON.stringify(value)} ${message}`,
      );
    }
    const used = (await checkConditions(
      {
        and: [
          { field: 'session.teamId', op: 'is', value: ids.team![0] },
          { withinHours: openHours, is: true },
        ],
      },
      checking(),
      'conditions',
    ))!;
    assert.deepEqual(used.uses, [ids.team![0], openHours]);
    assert.equal(await checkConditions(null, checking(), 'conditions'), null);
    assert.ok(isConditionField('session.status'));
  });
});
