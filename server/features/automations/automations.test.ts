import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('rules', () => {
  let service: TestService;
  let call: TestService['call'];
  let conversations: ReturnType<typeof conversationsOf>;
  let board: Json;
  let accountId: string;

  before(async () => {
    service = await joinTestService({ worker: true });
    ({ call } = service);
    ({ accountId } = service.admin);
    conversations = conversationsOf(service);
    board = await conversations.kanban({
      statuses: [
        { value: 'open', label: 'Open', color: '#112233' },
        { value: 'won', label: 'Won', color: '#223344' },
      ],
      fields: [{ name: 'Due', type: 'date' }],
    });
  });
  after(() => service.close());

  const expect = (status: number, answer: ReturnType<TestService['call']>) =>
    conversations.expect(status, answer);
  const label = (): Promise<Json> =>
    expect(201, call('POST', '/labels', { body: { name: unique('Label') } }));
  const post = (body: object) =>
    call('POST', '/automations', { body: { name: unique('Rule'), enabled: true, ...body } });
  const create = (body: object): Promise<Json> => expect(201, post(body));
  const remove = (...rules: Json[]) =>
    Promise.all(rules.map(({ id }) => expect(200, call('DELETE', `/automations/${id}`))));
  const runsOf = async (rule: Json): Promise<Json[]> =>
    (await expect(200, call('GET', `/automations/${rule.id}/runs?limit=100`))).items;
  const run = (id: string): Promise<Json> => expect(200, call('GET', `/automation-runs/${id}`));
  const verdicts = async (sessionId: string): Promise<Json[]> =>
    (await expect(200, call('GET', `/sessions/${sessionId}/automation-verdicts?limit=100`))).items;
  /** All causes of the account have been worked on. */
  const settled = () =>
    eventually(async () => {
      const open = await service.context.db.query(sql`
        select from automation_causes where account_id = ${accountId} and is_open limit 1`);
      return open.length === 0;
    });
  const start = async (body: object = {}): Promise<string> =>
    (await conversations.accepted({ kanbanId: board.id, externalUserId: unique('+55119'), ...body }))
      .sessionId;
  const patch = (sessionId: string, body: object) =>
    expect(200, call('PATCH', `/sessions/${sessionId}`, { body }));
  /** The wait is over now. */
  const makeDue = () =>
    service.context.db.query(
      sql`update automation_runs set due_at = 1 where account_id = ${accountId} and state = 'waiting'`,
    );

  it('a message of a customer runs the rules in their order, each sees what the ones before changed', async () => {
    const [urgent, done] = [await label(), await label()];
    const first = await create({
      trigger: { on: 'customer_message' },
      conditions: { field: 'message.content', op: 'contains', value: 'urgent' },
      steps: [
        { id: 'mark', type: 'label', addLabelIds: [urgent.id] },
        { type: 'reply', text: 'We are on it.' },
      ],
    });
    const second = await create({
      trigger: { on: 'customer_message' },
      conditions: { field: 'session.labelIds', op: 'contains', value: urgent.id },
      steps: [{ type: 'label', addLabelIds: [done.id] }],
    });
    assert.deepEqual([first.version, first.order < second.order, first.steps[1].id], [1, true, 'reply-1']);
    const sessionId = await start({ content: 'This is urgent' });
    await settled();
    const session = await conversations.session(sessionId);
    assert.deepEqual(session.labelIds, [urgent.id, done.id].sort());
    const reply = (await conversations.messages(sessionId)).find(
      ({ content }) => content === 'We are on it.',
    );
    assert.deepEqual(
      [reply.role, reply.author],
      ['operator', { type: 'rule', id: first.id, name: first.name }],
    );
    const [one] = await runsOf(first);
    const shown = await run(one.id);
    assert.equal(shown.state, 'done');
    assert.deepEqual(
      shown.steps.map(({ id, path, state, effects }: Json) => [id, path, state, effects[0].kind]),
      [
        ['mark', 'steps[0]', 'done', 'session'],
        ['reply-1', 'steps[1]', 'done', 'message'],
      ],
    );
    assert.equal(shown.steps[1].effects[0].id, reply.id);
    const other = await start({ content: 'Hello' });
    await settled();
    const missed = await verdicts(other);
    assert.deepEqual(
      missed.map(({ ruleId, matched, runId }) => [ruleId, matched, runId]),
      [
        [first.id, false, null],
        [second.id, false, null],
      ],
    );
    for (const { reason, missed: why, ruleName } of missed) {
      assert.match(reason, / (was|were) /);
      assert.equal(typeof why.field, 'string');
      assert.ok([first.name, second.name].includes(ruleName));
    }
    const matched = (await verdicts(sessionId)).filter(({ matched: one }) => one);
    assert.deepEqual(
      matched.map(({ ruleId, reason, cause }) => [ruleId, reason, cause.type]),
      [
        [first.id, null, 'message'],
        [second.id, null, 'message'],
      ],
    );
    await remove(first, second);
  });

  it('a wait ends at its time or is cancelled; the conditions are checked again after it', async () => {
    const mark = await label();
    const rule = await create({
      trigger: { on: 'label_added', labelIds: [mark.id] },
      conditions: { field: 'session.status', op: 'is', value: 'open' },
      steps: [
        { id: 'later', type: 'wait', minutes: 60, cancelOn: ['customer_message'] },
        { type: 'note', text: 'An hour later' },
      ],
    });
    const [ends, cancelled, missed] = [await start(), await start(), await start()];
    for (const sessionId of [ends, cancelled, missed]) await patch(sessionId, { addLabelIds: [mark.id] });
    await settled();
    assert.deepEqual(
      (await runsOf(rule)).map(({ state }) => state),
      ['waiting', 'waiting', 'waiting'],
    );
    await conversations.accepted({ sessionId: cancelled, content: 'I am back' });
    await patch(missed, { status: 'resolved' });
    await makeDue();
    const stateOf = async (sessionId: string) => {
      const found = (await runsOf(rule)).find((one) => one.sessionId === sessionId);
      return run(found.id);
    };
    await eventually(async () => (await stateOf(ends)).state === 'done');
    await eventually(async () => (await stateOf(missed)).state === 'cancelled');
    const off = await stateOf(cancelled);
    assert.deepEqual(
      [off.state, off.reason, off.steps[0].state],
      ['cancelled', 'The customer wrote.', 'cancelled'],
    );
    assert.match((await stateOf(missed)).reason, /session\.status|status was/);
    assert.deepEqual(
      (await stateOf(ends)).steps.map(({ state }: Json) => state),
      ['done', 'done'],
    );
    assert.equal((await call('POST', `/automation-runs/${off.id}/cancel`)).status, 409);
    assert.equal((await call('POST', `/automation-runs/${off.id}/retry`)).status, 409);
    await remove(rule);
  });

  it('rules that cause each other are refused with the path', async () => {
    const [one, two] = [await label(), await label()];
    const rule = (on: Json, adds: Json) =>
      create({
        trigger: { on: 'label_added', labelIds: [on.id] },
        steps: [
          { type: 'label', addLabelIds: [adds.id] },
          { type: 'label', removeLabelIds: [on.id] },
        ],
      });
    const [a, b] = [await rule(one, two), await rule(two, one)];
    const sessionId = await start();
    await patch(sessionId, { addLabelIds: [one.id] });
    await settled();
    const refused = (await verdicts(sessionId)).filter(({ matched }) => !matched);
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      [`would repeat itself: ${a.name} -> label added -> ${b.name} -> label added -> ${a.name}`],
    );
    assert.deepEqual([(await runsOf(a)).length, (await runsOf(b)).length], [1, 1]);
    await remove(a, b);
  });

  it('a cycle of up to four rules ends, with its path', async () => {
    for (const length of [1, 3, 4]) {
      const labels = await Promise.all(Array.from({ length }, label));
      const rules: Json[] = [];
      for (const [index, { id }] of labels.entries()) {
        const next = labels[(index + 1) % length].id;
        const steps =
          length === 1
            ? [{ type: 'label', addLabelIds: [(await label()).id] }]
            : [{ type: 'label', addLabelIds: [next], removeLabelIds: [id] }];
        rules.push(
          await create({ trigger: { on: 'label_added', ...(length > 1 && { labelIds: [id] }) }, steps }),
        );
      }
      const sessionId = await start();
      await patch(sessionId, { addLabelIds: [labels[0].id] });
      await settled();
      const refused = (await verdicts(sessionId)).filter(({ matched }) => !matched);
      const path = [...rules.map(({ name }) => name), rules[0].name].join(' -> label added -> ');
      assert.deepEqual(
        refused.map(({ ruleId, reason }) => [ruleId, reason]),
        [[rules[0].id, `would repeat itself: ${path}`]],
      );
      await remove(...rules);
    }
  });

  it('30 runs an hour of one rule for the same conversation, however many events there are', async () => {
    const flag = await label();
    const rule = await create({
      trigger: { on: 'label_added', labelIds: [flag.id] },
      steps: [{ type: 'label', removeLabelIds: [flag.id] }],
    });
    const sessionId = await start();
    for (let event = 0; event < 33; event++) {
      await patch(sessionId, { addLabelIds: [flag.id] });
      await settled();
      await patch(sessionId, { removeLabelIds: [flag.id] });
    }
    const found = await verdicts(sessionId);
    assert.deepEqual(
      [
        found.filter(({ matched }) => matched).length,
        found.filter(({ reason }) => reason === 'too_often').length,
      ],
      [30, 3],
    );
    await remove(rule);
  });

  it('20 failures in a row switch a rule off, and a failed step can be tried again', async () => {
    const gone = await label();
    const rule = await create({
      trigger: { on: 'customer_message' },
      steps: [
        { type: 'note', text: 'Before' },
        { id: 'bad', type: 'label', addLabelIds: [gone.id] },
      ],
    });
    const { db } = service.context;
    // As if the label had gone in the same moment as the rule was saved.
    const missing = sql`replace(steps::text, ${gone.id}, ${absentId})::jsonb`;
    await db.query(sql`update automation_versions set rule = jsonb_set(rule, '{steps}',
      replace((rule -> 'steps')::text, ${gone.id}, ${absentId})::jsonb) where rule_id = ${rule.id}`);
    await db.query(sql`update automations set steps = ${missing} where id = ${rule.id}`);
    const sessionId = await start();
    await settled();
    for (let message = 1; message < 20; message++)
      await conversations.accepted({ sessionId, content: `${message}` });
    await settled();
    const off = await expect(200, call('GET', `/automations/${rule.id}`));
    assert.equal(off.enabled, false);
    assert.match(off.disabledReason, /^it failed 20 times in a row: /);
    assert.equal(off.stats.failed30d, 20);
    const [failed] = await runsOf(rule);
    const before = await run(failed.id);
    assert.deepEqual(
      before.steps.map(({ state }: Json) => state),
      ['done', 'failed'],
    );
    await expect(200, call('POST', `/automation-runs/${failed.id}/retry`));
    await settled();
    const again = await run(failed.id);
    assert.deepEqual([again.state, again.steps.length], ['failed', 2]);
    const notes = (await conversations.messages(sessionId)).filter(({ content }) => content === 'Before');
    assert.equal(notes.length, 20, 'a step that was taken is not taken again');
    await eventually(async () => {
      const { items } = (await call('GET', '/notifications', { token: service.admin.jwt })).body;
      return items.some(({ kind, body }: Json) => kind === 'rule_disabled' && body.startsWith(rule.name));
    });
    await remove(rule);
  });

  it('waits of conversations, dates and schedules', async () => {
    const { db } = service.context;
    const due = board.fields.find(({ name }: Json) => name === 'Due').id;
    const silent = await create({
      trigger: { on: 'no_team_reply', minutes: 30 },
      steps: [{ type: 'note', text: 'Nobody answered' }],
    });
    const dated = await create({
      trigger: { on: 'date_field', fieldId: due, offsetMinutes: -60, at: '09:00', timeZone: 'UTC' },
      steps: [{ type: 'comment', text: 'Due soon' }],
    });
    const marked = await label();
    const scheduled = await create({
      trigger: {
        on: 'schedule',
        cron: '0 9 * * 1',
        timeZone: 'America/Sao_Paulo',
        over: 'sessions',
        filter: { field: 'session.labelIds', op: 'contains', value: marked.id },
      },
      steps: [{ type: 'note', text: 'Monday' }],
    });
    const channel = await conversations.channel();
    const startOn = async () =>
      (await conversations.accepted({ fromChannelIdentifier: channel.identifier })).sessionId;
    const [waits, answered, monday] = [await startOn(), await startOn(), await startOn()];
    await Promise.all([waits, answered, monday].map((id) => conversations.pause(id)));
    await patch(monday, { addLabelIds: [marked.id] });
    await conversations.settled(answered);
    await settled();
    await db.query(
      sql`delete from automation_timers where account_id = ${accountId} and session_id = ${monday}`,
    );
    for (const sessionId of [waits, answered]) {
      await conversations.accepted({
        fromChannelIdentifier: channel.identifier,
        sessionId,
        content: 'Hello?',
      });
    }
    assert.equal((await conversations.operatorSays(channel.id, answered, { content: 'Hi' })).status, 201);
    const record = await expect(
      201,
      call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: { title: 'Dated', customFields: { [due]: '2090-05-01' } },
      }),
    );
    await settled();
    const timers = await db.query<{ rule_id: string; subject: string; due_at: number }>(sql`
      select rule_id, subject, due_at from automation_timers where account_id = ${accountId} and due_at is not null`);
    const timerOf = ({ id }: Json) => timers.filter(({ rule_id }) => rule_id === id);
    assert.deepEqual(
      [timerOf(silent).map(({ subject }) => subject), timerOf(dated).map(({ due_at }) => due_at)],
      [[`s:${waits}`], [Date.parse('2090-05-01T08:00Z')]],
    );
    assert.equal(new Date(timerOf(scheduled)[0]!.due_at).getUTCHours(), 12);
    await db.query(sql`update automation_timers set period = '1' where rule_id = ${scheduled.id}`);
    await db.query(
      sql`update automation_timers set due_at = 1 where account_id = ${accountId} and due_at is not null`,
    );
    await eventually(
      async () => (await Promise.all([silent, dated, scheduled].map(runsOf))).flat().length === 3,
    );
    await settled();
    const texts = async (id: string) => (await conversations.messages(id)).map(({ content }) => content);
    assert.ok((await texts(waits)).includes('Nobody answered'));
    assert.ok((await texts(monday)).includes('Monday'));
    const { items } = await expect(200, call('GET', `/crm/records/${record.recordId}/comments`));
    assert.deepEqual(
      items.map(({ content }: Json) => content),
      ['Due soon'],
    );
    assert.equal((await runsOf(scheduled))[0].cause.type, 'timer');
    const [next] = await db.query<{ due_at: number }>(sql`
      select due_at from automation_timers where rule_id = ${scheduled.id} and due_at is not null`);
    assert.ok(next!.due_at > Date.now());
    await remove(silent, dated, scheduled);
  });

  it('what a rule leads to later carries its chain: the end of a snooze, and a task that is due', async () => {
    const { db } = service.context;
    const snoozing = await create({
      trigger: { on: 'session_status_changed', to: 'open' },
      steps: [{ type: 'snooze', snoozeMinutes: 60 }],
    });
    const sessionId = await start();
    await patch(sessionId, { status: 'resolved' });
    await patch(sessionId, { status: 'open' });
    await settled();
    assert.equal((await conversations.session(sessionId)).status, 'snoozed');
    // An hour later. The chain is that of the snooze.
    await db.transaction(async (tx) => {
      await tx.query(sql`select set_config('talkboard.chain', snooze_chain::text, true)
        from sessions where session_id = ${sessionId}`);
      await tx.query(sql`update sessions set snoozed_until = 1 where session_id = ${sessionId}`);
    });
    await eventually(async () => (await conversations.session(sessionId)).status === 'open');
    const repeats = ({ name }: Json, event: string) => `would repeat itself: ${name} -> ${event} -> ${name}`;
    const reasonsOf = async ({ id }: Json): Promise<string[]> => {
      const { items } = await expect(200, call('GET', `/automations/${id}/verdicts?matched=false`));
      return items.map(({ reason }: Json) => reason);
    };
    await eventually(async () => (await reasonsOf(snoozing)).length === 1);
    assert.deepEqual(await reasonsOf(snoozing), [repeats(snoozing, 'session status changed')]);

    const again = await create({
      trigger: { on: 'task_due', kanbanId: board.id },
      steps: [{ type: 'create_task', title: 'And again', dueInMinutes: 60 }],
    });
    const { recordId } = await conversations.session(sessionId);
    const body = { title: 'Call', dueAt: Date.now() + 3_600_000 };
    await expect(201, call('POST', `/crm/records/${recordId}/tasks`, { body }));
    for (const count of [1, 2]) {
      await settled();
      await db.query(
        sql`update automation_timers set due_at = 1 where rule_id = ${again.id} and due_at is not null`,
      );
      await eventually(async () => (await runsOf(again)).length + (await reasonsOf(again)).length === count);
    }
    assert.deepEqual(await reasonsOf(again), [repeats(again, 'task due')]);
    await remove(snoozing, again);
  });

  it('deleting what a rule uses switches it off with the reason', async () => {
    const used = await label();
    const rule = await create({
      trigger: { on: 'session_created' },
      steps: [{ type: 'label', addLabelIds: [used.id] }],
    });
    const using = await expect(200, call('GET', `/automations?uses=${used.id}`));
    assert.deepEqual(
      using.items.map(({ id }: Json) => id),
      [rule.id],
    );
    await expect(200, call('DELETE', `/labels/${used.id}`));
    const after = await expect(200, call('GET', `/automations/${rule.id}`));
    assert.deepEqual([after.enabled, after.disabledReason], [false, `the label “${used.name}” was deleted`]);
    await remove(rule);
  });

  it('a reply of the AI waits for the rules of its message, which may pause it', async () => {
    const rule = await create({
      trigger: { on: 'customer_message' },
      conditions: { field: 'message.content', op: 'contains', value: 'a person' },
      steps: [{ type: 'take_over' }],
    });
    const [paused, answered] = [
      await start({ content: 'I want a person' }),
      await start({ content: 'Hello' }),
    ];
    await conversations.replied(answered);
    await conversations.settled(paused);
    assert.deepEqual(await conversations.replies(paused), []);
    assert.equal((await conversations.session(paused)).aiPaused, true);
    await remove(rule);
  });

  it('changes of records run rules, and one that is imported does not', async () => {
    const due = board.fields.find(({ name }: Json) => name === 'Due').id;
    const moved = await create({
      trigger: { on: 'record_moved', kanbanId: board.id, from: 'open', to: 'won' },
      steps: [{ type: 'comment', text: 'Won!' }],
    });
    const dated = await create({
      trigger: { on: 'field_changed', fieldId: due },
      conditions: { field: 'status', op: 'is', value: 'open' },
      steps: [{ type: 'create_task', title: 'Check the date' }],
    });
    const commented = await create({
      trigger: { on: 'comment_added' },
      steps: [{ type: 'set_fields', kanbanId: board.id, customFields: { [due]: '2030-01-01' } }],
    });
    const created = await create({
      trigger: { on: 'record_created' },
      steps: [{ type: 'comment', text: 'New' }],
      enabled: false,
    });
    const path = `/crm/records?kanbanId=${board.id}`;
    const { recordId } = await expect(201, call('POST', path, { body: { title: 'Card' } }));
    await expect(200, call('PUT', `/crm/records/${recordId}`, { body: { status: 'won' } }));
    await settled();
    const { items } = await expect(200, call('GET', `/crm/records/${recordId}/automation-verdicts`));
    assert.deepEqual(
      items.map(({ ruleId, matched, reason }: Json) => [ruleId, matched, reason]),
      [
        [dated.id, false, 'card status was won'],
        [commented.id, true, null],
        [moved.id, true, null],
      ],
    );
    await expect(200, call('PATCH', `/automations/${created.id}`, { body: { enabled: true } }));
    const later = await create({
      trigger: { on: 'date_field', fieldId: due, offsetMinutes: 0, at: '09:00', timeZone: 'UTC' },
      steps: [{ type: 'comment', text: 'Today' }],
    });
    const csv = 'title,Due\nImported,2090-05-01\n';
    const imported = await call('POST', `/crm/import?kanbanId=${board.id}`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    });
    assert.equal(imported.status, 200, imported.text);
    assert.match(imported.text, /"created"|"recordId"/);
    await settled();
    assert.deepEqual(await runsOf(created), []);
    const timers = await service.context.db.query<{ due_at: number }>(
      sql`select t.due_at from automation_timers t join records r on r.account_id = t.account_id and r.id = t.record_id
        where t.rule_id = ${later.id} and r.title = 'Imported'`,
    );
    assert.deepEqual(timers, [{ due_at: Date.parse('2090-05-01T09:00Z') }]);
    await expect(201, call('POST', path, { body: { title: 'By hand' } }));
    await settled();
    assert.equal((await runsOf(created)).length, 1);
    const reopened = await create({
      trigger: { on: 'record_moved', kanbanId: board.id, to: 'open' },
      conditions: { field: 'title', op: 'is', value: 'Other' },
      steps: [{ type: 'comment', text: 'Open again' }],
    });
    const both = { status: 'open', customFields: { [due]: '2031-01-01' } };
    await expect(200, call('PUT', `/crm/records/${recordId}`, { body: both }));
    await settled();
    const [one, other] = (await expect(200, call('GET', `/crm/records/${recordId}/automation-verdicts`)))
      .items;
    assert.deepEqual(
      [one.ruleId, one.matched, other.ruleId, other.matched],
      [dated.id, true, reopened.id, false],
    );
    assert.deepEqual(one.cause, other.cause, 'fields that change together are one cause');
    const ofRule = `/automations/${dated.id}/verdicts?matched=`;
    for (const matched of [true, false]) {
      const { items: some } = await expect(200, call('GET', `${ofRule}${matched}`));
      assert.ok(some.length > 0);
      assert.ok(some.every((found: Json) => found.ruleId === dated.id && found.matched === matched));
    }
    await remove(moved, dated, commented, created, later, reopened);
  });

  it('versions, order and bad input', async () => {
    const steps = [{ type: 'resolve' }];
    const [one, two] = [
      await create({ trigger: { on: 'session_created' }, steps }),
      await create({ trigger: { on: 'session_created' }, steps, enabled: false }),
    ];
    const put = (body: object) => call('PUT', `/automations/${one.id}`, { body });
    const content = { name: 'Changed', trigger: { on: 'session_created' }, steps };
    assert.equal((await put({ ...content, expectedVersion: 1 })).body.version, 2);
    assert.equal((await put({ ...content, expectedVersion: 1 })).status, 409);
    const all = (await call('GET', '/automations')).body.items.map(({ id }: Json) => id);
    const reordered = await expect(
      200,
      call('POST', '/automations/reorder', { body: { ids: [...all].reverse() } }),
    );
    assert.deepEqual(
      reordered.items.map(({ id }: Json) => id),
      [...all].reverse(),
    );
    assert.equal((await call('POST', '/automations/reorder', { body: { ids: [one.id] } })).status, 400);
    const trigger = { on: 'session_created' };
    for (const [body, message] of [
      [{ trigger: { on: 'field_changed' }, steps }, /^trigger\.fieldId is required$/],
      [{ trigger: { on: 'field_changed', fieldId: absentId }, steps }, /^trigger\.fieldId does not exist$/],
      [
        { trigger: { on: 'label_added', labelIds: [absentId] }, steps },
        /^trigger\.labelIds\[0\] does not exist$/,
      ],
      [
        { trigger: { on: 'schedule', cron: '* * * * *', timeZone: 'UTC', over: 'sessions' }, steps },
        /^trigger\.cron must be at least 15/,
      ],
      [
        { trigger: { on: 'schedule', cron: '0 0 9 * * *', timeZone: 'UTC', over: 'sessions' }, steps },
        /^trigger\.cron must have five fields.*: it has 6$/,
      ],
      [
        { trigger, steps: [{ type: 'notify', text: 'x', userIds: [], teamIds: [] }] },
        /^steps\[0\] needs userIds/,
      ],
      [
        { trigger, steps: [{ type: 'notify', text: 'x', userIds: [service.admin.userId, absentId] }] },
        /^steps\[0\]\.userIds\[1\] does not exist$/,
      ],
      [{ trigger: { on: 'hook', subject: null }, steps }, /^steps\[0\] needs a conversation/],
      [{ trigger, steps: [{ type: 'assign', teamId: absentId }] }, /^steps\[0\]\.teamId/],
      [{ trigger, steps, conditions: { field: 'session.status', op: 'gt', value: 1 } }, /^conditions\.op/],
    ] as const) {
      const refused = await post(body);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.body.message, message);
    }
    await remove(one, two);
  });

  it('a hook starts its rule with its payload', async () => {
    const rule = await create({
      trigger: { on: 'hook', subject: { sessionId: '/order/session' } },
      steps: [{ type: 'note', text: 'Paid: {{payload.order.total}}' }],
    });
    const sessionId = await start();
    const hook = (body: object, token = rule.hookToken) =>
      call('POST', `/automations/hooks/${token}`, { token: null, body });
    for (const body of ['{}', '[1]', '"text"', '5', 'null']) {
      const answer = await call('POST', `/automations/hooks/${rule.hookToken}`, { token: null, body });
      assert.equal(answer.status, 202, `${body}: ${answer.text}`);
    }
    const { causeId } = await expect(202, hook({ order: { session: sessionId, total: 12 } }));
    const keyed = { token: null, body: {}, headers: { 'idempotency-key': unique('hook') } };
    const twice = [1, 2].map(() => call('POST', `/automations/hooks/${rule.hookToken}`, keyed));
    const [once, again] = (await Promise.all(twice)).map(({ body }) => body.causeId);
    assert.equal(once, again);
    await settled();
    const [found] = await runsOf(rule);
    assert.deepEqual([found.cause, found.state], [{ type: 'hook', id: causeId }, 'done']);
    assert.ok((await conversations.messages(sessionId)).some(({ content }) => content === 'Paid: 12'));
    const missed = await expect(200, call('GET', `/automations/${rule.id}/verdicts?matched=false`));
    assert.deepEqual(
      missed.items.map(({ reason }: Json) => reason),
      Array.from({ length: 6 }, () => 'no_subject'),
    );
    const { hookToken } = await expect(200, call('POST', `/automations/${rule.id}/rotate-hook`));
    assert.equal((await hook({})).status, 404);
    assert.equal((await hook({}, hookToken)).status, 202);
    await expect(200, call('PATCH', `/automations/${rule.id}`, { body: { enabled: false } }));
    assert.equal((await hook({}, hookToken)).status, 404);
    await remove(rule);
  });
});
