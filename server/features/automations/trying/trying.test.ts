import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

const dayMs = 86_400_000;

describe('trying a rule', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let labelIds: string[];
  let teamId: string;
  let channel: string;
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    ({ call } = service);
    const made = async (path: string, body: object) =>
      (await talk.expect(201, call('POST', path, { body }))).id;
    labelIds = [await made('/labels', { name: 'VIP' }), await made('/labels', { name: 'Refund' })];
    // Its agent waits for more messages, so nothing but the test answers.
    const agent = await talk.agent({ batchWindowMs: 60_000 });
    channel = (await talk.channel({ defaultAgentId: agent.id })).identifier;
    teamId = await made('/teams', { name: 'Team', userIds: [service.admin.userId] });
  });
  after(() => service.close());

  const rule = (body: object) => ({
    name: unique('Rule'),
    steps: [{ id: 'done', type: 'resolve' }],
    ...body,
  });
  const dryRun = (tried: object, place: object, options = {}) =>
    call('POST', '/automations/dry-run', { body: { rule: rule(tried), ...place }, ...options });
  const shown = (answer: Json) =>
    answer.steps.map(({ path, state, ...rest }: Json) => [
      path,
      state,
      rest.branch ?? rest.reason ?? rest.text,
    ]);
  const say = async (body: object = {}) =>
    (
      await talk.accepted({
        sessionId: unique('trying'),
        fromChannelIdentifier: channel,
        content: 'Is this urgent?',
        ...body,
      })
    ).sessionId;
  const begin = async (tried: object, days = 30) =>
    (await talk.expect(202, call('POST', '/automations/backtest', { body: { rule: rule(tried), days } }))).id;
  const result = async (id: string): Promise<Json> => {
    let found: Json;
    await eventually(async () => {
      found = await talk.expect(200, call('GET', `/automation-backtests/${id}?limit=100`));
      return found.state !== 'running';
    }, 30_000);
    assert.equal(found.state, 'done');
    return found;
  };

  it('shows the verdict and what each step would do, and changes nothing', async () => {
    const sessionId = await say({ sessionName: 'Ana Silva' });
    const before = [
      await talk.session(sessionId),
      await talk.messages(sessionId),
      await talk.events(sessionId),
    ];
    const notified = sql`notifications where account_id = ${service.admin.accountId}`;
    const notifications = await talk.count(notified);
    const answer = await talk.expect(
      200,
      dryRun(
        {
          trigger: { on: 'customer_message' },
          conditions: { field: 'message.content', op: 'matches', value: '(?i)urgent' },
          steps: [
            { id: 'a', type: 'label', addLabelIds: [labelIds[0]] },
            {
              id: 'b',
              type: 'if',
              condition: { field: 'session.labelIds', op: 'contains', value: labelIds[0] },
              // biome-ignore lint/suspicious/noThenProperty: the name in the contract
              then: [{ id: 'c', type: 'reply', text: 'Hello {{first name}}' }],
              else: [{ id: 'd', type: 'resolve' }],
            },
            { id: 'e', type: 'wait', minutes: 60 },
            { id: 'f', type: 'notify', teamIds: [teamId], text: 'Look at this' },
            { id: 'g', type: 'stop' },
            { id: 'h', type: 'resolve' },
          ],
        },
        { sessionId },
      ),
    );
    assert.deepEqual([answer.matched, answer.reason, answer.sessionId], [true, null, sessionId]);
    assert.deepEqual(shown(answer), [
      ['steps[0]', 'ready', null],
      ['steps[1]', 'ready', 'then'],
      ['steps[1].then[0]', 'ready', 'Hello Ana'],
      ['steps[1].else[0]', 'not_reached', null],
      ['steps[2]', 'ready', null],
      ['steps[3]', 'ready', 'Look at this'],
      ['steps[4]', 'ready', null],
      ['steps[5]', 'not_reached', null],
    ]);
    assert.ok(Math.abs(answer.steps[4].waitsUntil - Date.now() - 3_600_000) < 60_000);
    assert.deepEqual(
      [await talk.session(sessionId), await talk.messages(sessionId), await talk.events(sessionId)],
      before,
    );
    assert.equal(await talk.count(notified), notifications);
    const missed = await talk.expect(
      200,
      dryRun(
        {
          trigger: { on: 'customer_message' },
          conditions: { field: 'session.status', op: 'is', value: 'resolved' },
        },
        { sessionId },
      ),
    );
    assert.deepEqual(
      [missed.matched, missed.reason, missed.missed, shown(missed)],
      [false, 'status was open', { field: 'session.status', value: ['open'] }, [['steps[0]', 'ready', null]]],
    );
  });

  it('takes an event as if it had just happened, and says when the rule waits for another', async () => {
    const sessionId = await say();
    const patch = { addLabelIds: [labelIds[1]] };
    await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: patch }));
    const event = (await talk.events(sessionId)).findLast((one) => one.event === 'session_updated');
    const tried = async (trigger: object) =>
      talk
        .expect(200, dryRun({ trigger }, { eventId: event.id }))
        .then(({ matched, reason }) => [matched, reason]);
    assert.deepEqual(await tried({ on: 'label_added', labelIds: [labelIds[1]] }), [true, null]);
    const refused = 'the event is not what the rule waits for: label added';
    assert.deepEqual(await tried({ on: 'label_added', labelIds: [labelIds[0]] }), [false, refused]);
    const { recordId } = await talk.session(sessionId);
    const steps = [{ id: 'a', type: 'comment', text: 'Seen' }];
    const ofCard = await talk.expect(200, dryRun({ trigger: { on: 'record_created' }, steps }, { recordId }));
    assert.deepEqual(
      [ofCard.recordId, ofCard.sessionId, shown(ofCard)],
      [recordId, sessionId, [['steps[0]', 'ready', 'Seen']]],
    );
  });

  it('400 for a rule with a mistake or without one place; 404 for what the caller may not see', async () => {
    const sessionId = await say();
    const trigger = { on: 'customer_message' };
    for (const [tried, place, status, message] of [
      [{ trigger }, {}, 400, /^exactly one of/],
      [{ trigger }, { sessionId, recordId: sessionId }, 400, /^exactly one of/],
      [
        { trigger, conditions: { field: 'session.teamId', op: 'is', value: 'x' } },
        { sessionId },
        400,
        /^conditions\.value does not exist/,
      ],
      [{ trigger, steps: [{ id: 'a', type: 'reply' }] }, { sessionId }, 400, /^steps\[0\]\.text/],
      [{ trigger }, { sessionId: 'nothing' }, 404, /session not found/],
      [{ trigger }, { recordId: 'nothing' }, 404, /record not found/],
      [{ trigger }, { eventId: 'nothing' }, 404, /event not found/],
    ] as const) {
      const { status: got, body } = await dryRun(tried, place);
      assert.deepEqual([got, message.test(body.message)], [status, true], JSON.stringify(body));
    }
    const stranger = await service.createAccount();
    assert.equal((await dryRun({ trigger }, { sessionId }, { token: stranger.token })).status, 404);
    const backtest = await begin({ trigger });
    const seen = (token: string) => call('GET', `/automation-backtests/${backtest}`, { token });
    assert.equal((await seen(stranger.token)).status, 404);
    assert.equal((await seen(service.admin.jwt)).status, 404, 'it counts what its caller might see');
    await result(backtest);
    for (const body of [
      { rule: rule({ trigger }), days: 91 },
      { rule: rule({ trigger }), days: 30, timeZone: 'Mars' },
    ]) {
      assert.equal((await call('POST', '/automations/backtest', { body })).status, 400);
    }
  });

  it('400 for conditions on a board that is hidden from the author, as for an unknown field', async () => {
    const board = await talk.kanban({ fields: [{ name: 'Secret', type: 'number' }] });
    const { id: fieldId } = board.fields.find(({ name }: Json) => name === 'Secret');
    const members = { userIds: [service.admin.userId] };
    await talk.expect(200, call('PUT', `/kanbans/${board.id}/members`, { body: members }));
    const permissions = ['automation.manage', 'conversations.view', 'records.view'];
    const role = await talk.expect(
      201,
      call('POST', '/roles', { token: service.admin.jwt, body: { name: unique('Role'), permissions } }),
    );
    const author = await service.createUser('operator');
    const body = { roleId: role.id };
    await talk.expect(200, call('PATCH', `/users/${author.id}`, { token: service.admin.jwt, body }));
    const sessionId = await say();
    const conditions = { field: fieldId, op: 'gt', value: 0 };
    const tried = (token: string) =>
      dryRun({ trigger: { on: 'customer_message' }, conditions }, { sessionId }, { token });
    const refused = await tried(author.jwt);
    assert.deepEqual(
      [refused.status, refused.body.message.slice(0, 27)],
      [400, 'conditions.field must be on'],
    );
    assert.equal((await tried(service.admin.jwt)).body.reason, 'Secret was empty');
  });

  it('a backtest finds when the rule has run, had it been enabled', async () => {
    const rules = [
      {
        trigger: { on: 'customer_message' },
        conditions: { field: 'message.content', op: 'contains', value: 'urgent' },
      },
      { trigger: { on: 'customer_message' }, cooldownMinutes: 60 },
      { trigger: { on: 'session_created' }, conditions: { field: 'message.isFirst', op: 'is', value: true } },
      { trigger: { on: 'reply_sent', by: 'person' } },
      {
        trigger: { on: 'session_status_changed', to: 'resolved' },
        conditions: { field: 'session.labelIds', op: 'contains', value: labelIds[0] },
      },
      {
        trigger: { on: 'label_added', labelIds: [labelIds[0]] },
        conditions: { field: 'session.assignedUserId', op: 'empty' },
      },
      { trigger: { on: 'session_assigned' } },
      { trigger: { on: 'record_moved' }, conditions: { field: 'status', op: 'notEmpty' } },
      { trigger: { on: 'comment_added' } },
    ].map((one) => ({ ...one, steps: [{ id: 'stop', type: 'stop' }] }));
    const ids: string[] = [];
    for (const one of rules) {
      const body = { ...rule(one), enabled: true };
      ids.push((await talk.expect(201, call('POST', '/automations', { body }))).id);
    }
    for (let n = 0; n < 4; n++) {
      const sessionId = await say({ content: n % 2 ? 'urgent' : 'hello' });
      const { recordId, channelId, kanbanId } = await talk.session(sessionId);
      const patch = (body: object) => talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body }));
      await talk.operatorSays(channelId, sessionId, { content: 'Hi' });
      if (n > 1) await patch({ assignedUserId: service.admin.userId });
      await patch({ addLabelIds: labelIds.slice(0, 1 + (n % 2)) });
      await patch({ status: 'resolved' });
      await say({ sessionId, content: 'urgent again' });
      const { statuses } = await talk.expect(200, call('GET', `/kanbans/${kanbanId}`));
      await talk.expect(
        200,
        call('PUT', `/crm/records/${recordId}`, { body: { status: statuses[1].value } }),
      );
      await talk.expect(201, call('POST', `/crm/records/${recordId}/comments`, { body: { content: 'Hm' } }));
    }
    await eventually(async () => {
      const open = await talk.count(
        sql`automation_causes where account_id = ${service.admin.accountId} and is_open`,
      );
      return open === 0;
    }, 30_000);
    for (const [index, id] of ids.entries()) {
      const { items } = await talk.expect(
        200,
        call('GET', `/automations/${id}/verdicts?matched=true&limit=100`),
      );
      await talk.expect(200, call('PATCH', `/automations/${id}`, { body: { enabled: false } }));
      const done = items.map((one: Json) => one.sessionId ?? one.recordId).sort();
      assert.ok(done.length > 0, JSON.stringify(rules[index]));
      const found = await result(await begin(rules[index]!));
      const since = found.items.filter((one: Json) => one.at >= items.at(-1).at - 60_000);
      const ofRules = new Set(done);
      const would = since
        .map((one: Json) => one.sessionId ?? one.recordId)
        .filter((one: string) => ofRules.has(one));
      assert.deepEqual(would.sort(), done, JSON.stringify(rules[index]));
      const { perDay } = found;
      assert.equal(
        perDay.reduce((sum: number, day: Json) => sum + day.matched, 0),
        found.items.length,
      );
      assert.ok(perDay.length >= 30 && perDay.every((day: Json) => day.matched <= day.checked));
      assert.equal(found.approximate, false);
    }
  });

  it('follows dates and tasks of cards, hand-overs and service levels', async () => {
    const board = await talk.kanban({ fields: [{ name: 'Renewal', type: 'date' }] });
    const fieldId = board.fields.find(({ name }: Json) => name === 'Renewal').id;
    const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
    const record = await talk.expect(
      201,
      call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: { title: 'Card', customFields: { [fieldId]: yesterday } },
      }),
    );
    const { recordId } = record;
    const task = { title: 'Call', dueAt: Date.now() - dayMs };
    await talk.expect(201, call('POST', `/crm/records/${recordId}/tasks`, { body: task }));
    const sessionId = await say();
    const { db } = service.context;
    const { accountId } = service.admin;
    await db.query(sql`
      insert into ai_pauses (account_id, session_id, sequence, at, paused, by_agent)
      values (${accountId}, ${sessionId}, 900, ${Date.now()}, true, true)`);
    await db.query(sql`
      update sessions set created_at = created_at - ${dayMs}::bigint where session_id = ${sessionId}`);
    const policy = await talk.expect(
      201,
      call('POST', '/sla-policies', {
        body: { name: 'An hour', resolutionMinutes: 60, warnBeforeMinutes: 5 },
      }),
    );
    await eventually(
      async () => (await talk.events(sessionId)).filter(({ event }) => event.startsWith('sla_')).length === 2,
    );
    await talk.expect(200, call('DELETE', `/sla-policies/${policy.id}`));
    const date = { on: 'date_field', fieldId, offsetMinutes: 30, at: '00:00', timeZone: 'UTC' };
    const at = Date.parse(`${yesterday}T00:30Z`);
    const found: Json[] = [];
    for (const trigger of [
      date,
      { on: 'task_due', kanbanId: board.id },
      { on: 'ai_handed_over' },
      { on: 'sla_warning' },
      { on: 'sla_breached' },
    ]) {
      const { items } = await result(await begin({ trigger, steps: [{ type: 'stop' }] }));
      found.push(items.find((one: Json) => one.recordId === recordId || one.sessionId === sessionId));
    }
    assert.deepEqual(
      found.slice(0, 2).map((one) => [one?.recordId, one?.at]),
      [
        [recordId, at],
        [recordId, task.dueAt],
      ],
    );
    assert.ok(found.slice(2).every((one) => one?.sessionId === sessionId));
  });

  it('follows silences, dates and schedules, names what is approximate, and how far back it knows', async () => {
    const { db } = service.context;
    const { accountId } = service.admin;
    const sessionId = await say();
    const { channelId } = await talk.session(sessionId);
    await talk.operatorSays(channelId, sessionId, { content: 'Answer' });
    await say({ sessionId });
    // Asked 5 days ago, answered 3 days ago, asked again 2 days ago.
    await db.transaction((tx) =>
      tx.query(sql`
        update messages m set created_at = created_at - ${dayMs}::bigint * (array[5, 3, 2])[m.position]
        where account_id = ${accountId} and session_id = ${sessionId}`),
    );
    const of = (found: Json) => found.items.filter((one: Json) => one.sessionId === sessionId);
    const silence = async (on: string, minutes: number) =>
      of(await result(await begin({ trigger: { on, minutes } }))).map(({ at }: Json) =>
        Math.round((Date.now() - at) / (dayMs / 24)),
      );
    assert.deepEqual(await silence('no_team_reply', 1_440), [24, 4 * 24]);
    assert.deepEqual(await silence('no_team_reply', 3 * 1_440), []);
    assert.deepEqual(await silence('no_customer_reply', 720), [60]);
    const conditions = {
      and: [
        { field: 'session.unread', op: 'gte', value: 0 },
        { field: 'title', op: 'notEmpty' },
      ],
    };
    const schedule = {
      on: 'schedule',
      cron: '0 12 * * *',
      timeZone: 'UTC',
      over: 'sessions',
      filter: { field: 'session.status', op: 'is', value: 'open' },
    };
    await db.transaction((tx) =>
      tx.query(sql`update sessions set created_at = created_at - ${4 * dayMs}::bigint
        where account_id = ${accountId} and session_id = ${sessionId}`),
    );
    const scheduled = await result(await begin({ trigger: schedule, conditions }, 90));
    assert.ok([3, 4, 5].includes(of(scheduled).length), 'once a day since it began');
    assert.deepEqual([scheduled.approximate, scheduled.approximateFields], [true, ['session.unread']]);
    assert.ok(scheduled.coveredFrom >= Date.now() - 31 * dayMs, 'events are kept for 30 days');
    const hook = await result(await begin({ trigger: { on: 'hook', subject: { sessionId: '/id' } } }));
    assert.deepEqual([hook.coveredFrom, hook.perDay, hook.items], [null, [], []]);
  });
});
