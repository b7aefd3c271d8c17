/** Steps as a rule performs them; macros.test.ts has those of people. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RuleStep } from '../../../contract/automation/steps.ts';
import { absentId } from '../../../test/support/api-samples.ts';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor, RuleActor } from '../accounts/accounts.ts';
import { findMessage } from '../messages/messages.ts';
import { toVisitorMessage } from '../widget-api/widget-api.view.ts';
import type { Step } from './steps.fill.ts';
import {
  checkRuleSteps,
  inPreview,
  performStep,
  previewSteps,
  type RuleContext,
  type SceneInput,
  type StepOutcome,
  withScene,
} from './steps.ts';

describe('steps of rules', () => {
  let service: TestService;
  let call: TestService['call'];
  let conversations: ReturnType<typeof conversationsOf>;
  let rule: RuleActor;
  let board: Json;
  let city: string;
  let amount: string;
  let due: string;

  before(async () => {
    service = await joinTestService({ env: loopbackAllowed, worker: true });
    ({ call } = service);
    conversations = conversationsOf(service);
    rule = { kind: 'rule', accountId: service.admin.accountId, id: newId(), name: 'Greet at night' };
    board = await conversations.kanban({
      statuses: [
        { value: 'open', label: 'Open', color: '#112233' },
        { value: 'won', label: 'Won', color: '#223344' },
      ],
      fields: [
        { name: 'City', type: 'text' },
        { name: 'Amount', type: 'number' },
        { name: 'Due', type: 'date' },
      ],
    });
    const idOf = (name: string) => board.fields.find((field: Json) => field.name === name).id;
    [city, amount, due] = [idOf('City'), idOf('Amount'), idOf('Due')];
  });
  after(() => service.close());

  const start = async (body: object = {}): Promise<string> =>
    (await conversations.accepted({ sessionName: 'Ana Silva', kanbanId: board.id, ...body })).sessionId;
  const input = (more: Partial<SceneInput> = {}): SceneInput => {
    const { accountConfig, clock, providers } = service.context;
    return { actor: rule, now: clock.now(), visible: null, accountConfig, providers, ...more };
  };
  const perform = (sessionId: string | null, steps: Step[], more: Partial<SceneInput> = {}) =>
    service.context.db.transaction((tx) =>
      withScene(tx, input(more), { sessionId }, async (scene) => {
        const outcomes: StepOutcome[] = [];
        for (const step of steps) outcomes.push(await performStep(tx, scene, step));
        return outcomes;
      }),
    );
  const statesOf = (outcomes: StepOutcome[]) => outcomes.map(({ state }) => state);

  it('a reply names the rule, and leaves what is unread, who answers and the owner alone', async () => {
    const channel = await conversations.channel({ webhookUrl: 'https://hooks.example.com/in' });
    const sessionId = await start({ fromChannelIdentifier: channel.identifier });
    await conversations.settled(sessionId);
    await service.context.db.query(
      sql`update sessions set needs_attention = true, unread = 3 where session_id = ${sessionId}`,
    );
    const before = await conversations.session(sessionId);
    const steps: Step[] = [
      { type: 'reply', text: 'Hello {{first name}}, we are back at nine.' },
      { type: 'note', text: 'Greeted by a rule' },
    ];
    const [said, noted] = await perform(
      sessionId,
      steps.map((step) => ({ ...step, pauseAi: false })),
    );
    assert.deepEqual([said!.state, noted!.state], ['done', 'done']);
    const [reply, note] = (await conversations.messages(sessionId)).slice(-2);
    const author = { type: 'rule', id: rule.id, name: rule.name };
    assert.deepEqual(said!.effects, [{ kind: 'message', id: reply.id }]);
    assert.deepEqual(
      [reply.role, reply.content, reply.operator, reply.author],
      ['operator', 'Hello Ana, we are back at nine.', null, author],
    );
    assert.deepEqual([note.isNote, note.operator, note.author], [true, null, author]);
    const after = await conversations.session(sessionId);
    for (const name of ['needsAttention', 'unread', 'assignedUserId', 'aiPaused', 'status']) {
      assert.deepEqual(after[name], before[name], name);
    }
    const events = await conversations.events(sessionId);
    const sent = events.filter(({ event }) => event === 'message_created').at(-1)!;
    assert.deepEqual(sent.data.message.author, author);
    const written = events.find(({ event }) => event === 'note_created')!;
    assert.deepEqual(
      [written.data.author, written.data.operator],
      [author, { id: rule.id, name: rule.name }],
    );
    const found = await call('GET', `/messages/search?sessionId=${sessionId}&q=nine&author=${rule.id}`);
    assert.deepEqual(found.body.items[0]?.author, { kind: 'operator', id: rule.id, name: rule.name });
  });

  it('is no answer in reports, and comes from nobody for the customer', async () => {
    const channel = await conversations.channel();
    const sessionId = await start({ fromChannelIdentifier: channel.identifier });
    await conversations.settled(sessionId);
    const hour = 3_600_000;
    const query = `from=${Date.now() - hour}&to=${Date.now() + hour}&channelId=${channel.id}`;
    const figures = (name: string) => conversations.expect(200, call('GET', `/reports/${name}?${query}`));
    const names = ['answers', 'first-response'];
    const before = await Promise.all(names.map(figures));
    await perform(sessionId, [{ type: 'reply', text: 'Automatic', pauseAi: false }]);
    assert.deepEqual(await Promise.all(names.map(figures)), before);
    const [message] = (await service.context.db.query(sql`
      select id from messages where session_id = ${sessionId} order by position desc limit 1`)) as [Json];
    const stored = await findMessage(service.context.db, service.admin.accountId, sessionId, message.id);
    const { from, name } = toVisitorMessage(stored!, new Map());
    assert.deepEqual([from, name], ['assistant', null]);
    await conversations.operatorSays(channel.id, sessionId, { content: 'By a person' });
    assert.notDeepEqual(await figures('answers'), before[0]);
  });

  it('makes records, tasks and comments, transfers and changes, with its own name', async () => {
    const other = await conversations.kanban();
    const vip = await conversations.expect(201, call('POST', '/labels', { body: { name: unique('Label') } }));
    const { id: userId } = await service.createUser('operator');
    const sessionId = await start();
    const { recordId } = await conversations.session(sessionId);
    const payload = { order: { city: 'Oslo', total: 12.5, lines: [{ sku: 'a-1' }] } };
    const outcomes = await perform(
      sessionId,
      [
        {
          type: 'set_fields',
          kanbanId: board.id,
          customFields: { [city]: 'in {{payload.order.city}}', [amount]: '{{payload.order.total}}' },
        },
        { type: 'set_status', kanbanId: board.id, status: 'won' },
        { type: 'label', addLabelIds: [vip.id] },
        { type: 'assign', assignedUserId: userId },
        {
          type: 'create_task',
          title: 'Call {{customer}} in {{city}}',
          dueInMinutes: 60,
          assignedUserId: userId,
        },
        { type: 'comment', text: 'Order {{payload.order.lines.0.sku}}: {{steps.shop.body.state}}' },
        { type: 'create_record', kanbanId: other.id, title: '{{customer}} again' },
        { type: 'snooze', snoozeMinutes: 10 },
        { type: 'transfer', kanbanId: other.id },
        { type: 'set_status', kanbanId: board.id, status: 'open' },
        { type: 'transfer', kanbanId: other.id },
      ],
      { values: { payload, steps: { shop: { status: 200, body: { state: 'paid' } } } } },
    );
    assert.deepEqual(statesOf(outcomes), [
      ...['done', 'done', 'done', 'done', 'done', 'done', 'done', 'done', 'done', 'skipped', 'unchanged'],
    ]);
    assert.equal(outcomes[9]!.reason, 'the card of the conversation is on another board');
    const record = await conversations.expect(200, call('GET', `/crm/records/${recordId}`));
    assert.deepEqual(record.customFields, { [city]: 'in Oslo', [amount]: 12.5 });
    assert.deepEqual([record.status, record.updatedBy], ['won', rule.id]);
    const tasks = await conversations.expect(200, call('GET', `/crm/records/${recordId}/tasks`));
    assert.deepEqual(
      [tasks.items[0].title, tasks.items[0].createdBy, tasks.items[0].assignedUserId],
      ['Call Ana Silva in in Oslo', rule.id, userId],
    );
    const comments = await conversations.expect(200, call('GET', `/crm/records/${recordId}/comments`));
    assert.deepEqual(
      [comments.items[0].content, comments.items[0].author],
      ['Order a-1: paid', { id: rule.id, name: rule.name }],
    );
    const made = await call('GET', `/crm/records/${outcomes[6]!.effects[0]!.id}`);
    assert.deepEqual([made.body.title, made.body.kanbanId], ['Ana Silva again', other.id]);
    const session = await conversations.session(sessionId);
    assert.deepEqual(
      [session.labelIds, session.assignedUserId, session.status, session.kanbanId],
      [[vip.id], userId, 'snoozed', other.id],
    );
    const { body } = await call('GET', `/sessions/${sessionId}/changes`);
    assert.deepEqual(body.items[0].changedBy, { type: 'rule', id: rule.id, name: rule.name });
  });

  it('skips what cannot be, says why something failed, and undoes a failed step alone', async () => {
    const sessionId = await start({ externalUserId: unique('blocked') });
    const { externalUserId } = await conversations.session(sessionId);
    await conversations.expect(201, call('POST', `/blocked-contacts/${externalUserId}`));
    const outcomes = await perform(sessionId, [
      { type: 'note', text: 'Before' },
      { type: 'reply', text: 'Hello', pauseAi: false },
      { type: 'reply', text: 'About {{City}}', pauseAi: false },
      { type: 'assign', assignedUserId: absentId },
      { type: 'send_template', name: 'none', language: 'en' },
      { type: 'resolve' },
    ]);
    assert.deepEqual(statesOf(outcomes), ['done', 'skipped', 'failed', 'failed', 'failed', 'done']);
    assert.deepEqual(
      outcomes.map(({ reason }) => reason),
      [
        null,
        'this contact is blocked and cannot be messaged',
        'text has placeholders without a value: {{City}}',
        `assignedUserId has an unknown user: ${absentId}`,
        'the channel has no connector: templates are sent by its provider',
        null,
      ],
    );
    const without = await perform(null, [
      { type: 'reply', text: 'Hello' },
      { type: 'comment', text: 'Hello' },
      { type: 'notify', text: 'Hello', userIds: [service.admin.userId] },
    ]);
    assert.deepEqual(
      without.map(({ state, reason }) => [state, reason]),
      [
        ['skipped', 'there is no conversation'],
        ['skipped', 'there is no card'],
        ['done', null],
      ],
    );
  });

  it('a preview changes nothing, and says of each step what it would do', async () => {
    const sessionId = await start();
    // The AI may answer meanwhile.
    const messages = async () =>
      (await conversations.messages(sessionId)).filter(({ role }) => role !== 'assistant');
    const before = await messages();
    const steps: Step[] = [
      { type: 'reply', text: 'Hello {{customer}}', pauseAi: true },
      { type: 'take_over' },
      { type: 'reply', text: '{{City}}' },
      { type: 'create_record', kanbanId: board.id, title: 'New' },
    ];
    const outcomes = await inPreview(service.context.db, (tx) =>
      withScene(tx, input(), { sessionId }, (scene) => previewSteps(tx, scene, steps)),
    );
    assert.deepEqual(statesOf(outcomes), ['done', 'done', 'failed', 'done']);
    assert.equal(outcomes[0]!.filled.step.text, 'Hello Ana Silva');
    assert.deepEqual(await messages(), before);
    assert.equal((await conversations.session(sessionId)).aiPaused, false);
  });

  it('notifies users and the members of teams who may see the board, each once', async () => {
    const [member, outsider] = [await service.createUser('operator'), await service.createUser('operator')];
    const closed = await conversations.kanban();
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [member.id] } });
    const team = await conversations.expect(
      201,
      call('POST', '/teams', { body: { name: unique('Team'), userIds: [member.id, outsider.id] } }),
    );
    const sessionId = await start({ kanbanId: closed.id });
    const step: Step = {
      type: 'notify',
      text: 'Look at {{customer}}',
      userIds: [member.id],
      teamIds: [team.id],
    };
    const outcomes = await perform(sessionId, [step, { ...step, userIds: [outsider.id], teamIds: [] }]);
    assert.deepEqual(outcomes[0]!.effects, [{ kind: 'notification', id: member.id }]);
    assert.deepEqual(
      [outcomes[1]!.state, outcomes[1]!.reason],
      ['skipped', 'none of them may see this board'],
    );
    await eventually(async () => {
      const { body } = await call('GET', '/notifications', { token: member.jwt });
      const one = body.items.find(({ kind }: Json) => kind === 'rule');
      if (!one) return false;
      assert.deepEqual(
        [one.title, one.body, one.sessionId, one.recordId],
        ['Greet at night · Ana Silva', 'Look at Ana Silva', sessionId, null],
      );
      return true;
    });
    const others = await call('GET', '/notifications', { token: outsider.jwt });
    assert.deepEqual(others.body.items, []);
  });

  describe('when they are saved', () => {
    let author: Actor;
    const branch = (then: object[], other: object[] = []) => ({
      ...{ type: 'if', condition: {} },
      ...Object.fromEntries([['then', then] as const, ['else', other] as const]),
    });
    const context = async (more: Partial<RuleContext> = {}): Promise<RuleContext> => ({
      actor: author,
      config: await service.context.accountConfig.fresh(service.admin.accountId),
      has: { session: true, record: true, payload: true },
      canMail: false,
      outboundAllow: service.context.config.outboundAllow,
      checkCondition() {},
      checkHours() {},
      ...more,
    });
    const check = async (steps: object[], more: Partial<RuleContext> = {}) =>
      checkRuleSteps(service.context.db, await context(more), steps as RuleStep[]);
    before(() => {
      const { accountId, userId: id } = service.admin;
      author = {
        ...{ kind: 'user', accountId, id, name: 'Admin', email: '', role: 'admin' },
        ...{ isInstanceAdmin: false, sessionId: '' },
      } as Actor;
    });

    it('400s name the place', async () => {
      const gone = await conversations.kanban();
      const reply = { type: 'reply', text: 'x' };
      const wait = { type: 'wait', minutes: 1 };
      const deep = (steps: object[], times: number): object[] =>
        times === 0 ? steps : [branch(deep(steps, times - 1))];
      const cases: [object[], string, Partial<RuleContext>?][] = [
        [
          [wait, branch([reply], [{ type: 'assign', teamId: absentId }])],
          'steps[1].else[0].teamId does not exist',
        ],
        [[{ type: 'assign', assignedUserId: absentId }], 'steps[0].assignedUserId does not exist'],
        [
          [{ type: 'assign', assignedUserId: 'me' }],
          'steps[0].assignedUserId must be a user: a rule is nobody',
        ],
        [[{ type: 'label', addLabelIds: [absentId] }], 'steps[0].addLabelIds[0] does not exist'],
        [[{ type: 'transfer', agentId: absentId }], 'steps[0].agentId does not exist'],
        [[{ type: 'transfer', kanbanId: absentId }], 'steps[0].kanbanId does not exist'],
        [[{ type: 'transfer' }], 'steps[0] needs agentId or kanbanId'],
        [
          [{ type: 'set_fields', kanbanId: board.id, customFields: { nothing: '{{customer}}' } }],
          'steps[0].customFields.nothing does not exist',
        ],
        [
          [{ type: 'create_record', kanbanId: gone.id, title: 'x', status: 'lost' }],
          `steps[0].status must be one of ${gone.statuses.map((one: Json) => one.value).join(', ')}`,
        ],
        [[{ type: 'create_record', title: 'x' }], 'steps[0].kanbanId is required'],
        [[{ type: 'create_task', title: ' ' }], 'steps[0].title must not be empty'],
        [[{ type: 'notify', text: 'x' }], 'steps[0] needs userIds or teamIds'],
        [[{ type: 'notify', text: 'x', teamIds: [absentId] }], 'steps[0].teamIds[0] does not exist'],
        [
          [{ type: 'notify', text: 'x', userIds: [service.admin.userId], email: true }],
          'steps[0].email: this instance cannot send e-mail, set SMTP_URL and MAIL_FROM',
        ],
        [
          [{ type: 'send_template', name: 'none', language: 'en' }],
          'steps[0].name does not exist as an approved template with these parameters',
        ],
        [[{ type: 'call', toolId: absentId }], 'steps[0].toolId does not exist'],
        [[{ type: 'call', url: 'http://example.com/' }], 'steps[0].url must be an https address'],
        [[{ type: 'call' }], 'steps[0] needs toolId or url'],
        [[{ ...reply, text: '{{operator}}' }], 'steps[0].text has {{operator}}: a rule has no operator'],
        [[{ ...reply, text: '{{no such}}' }], 'steps[0].text has an unknown placeholder: {{no such}}'],
        [
          [{ ...reply, text: '{{payload.a}}' }],
          'steps[0].text has {{payload.a}}, and the trigger has no payload',
          { has: { session: true, record: true, payload: false } },
        ],
        [
          [
            { ...reply, text: '{{steps.later.body}}' },
            { id: 'later', type: 'call', url: 'https://8.8.8.8/' },
          ],
          'steps[0].text has {{steps.later.body}}, which is no call before this step',
        ],
        [
          [
            { ...reply, id: 'a' },
            { ...reply, id: 'a' },
          ],
          'steps[1].id is already the id of steps[0]',
        ],
        [[{ type: 'wait' }], 'steps[0] needs minutes or until'],
        [[{ ...wait, until: 'next_opening' }], 'steps[0] must have either minutes or until'],
        [[{ type: 'wait', until: absentId }], 'steps[0].until does not exist'],
        [
          [{ type: 'wait', until: city }],
          'steps[0].until must be next_opening or a field of the type date or datetime',
        ],
        [[{ type: 'wait', until: due }], 'steps[0].at is required for a field of the type date'],
        [
          [{ type: 'wait', until: due, at: '09:00', timeZone: 'Mars' }],
          'steps[0].timeZone must be an IANA name such as America/Sao_Paulo',
        ],
        [[branch([])], 'steps[0] needs steps in then or else'],
        [
          deep([reply], 4),
          'steps[0].then[0].then[0].then[0] is too deep: at most 3 if may be inside of each other',
        ],
        [Array.from({ length: 31 }, () => reply), 'steps must have at most 30 steps, with those of branches'],
        [
          [{ type: 'resolve' }, { type: 'snooze', snoozeMinutes: 1 }],
          'steps[1] contradicts steps[0]: both set the status of the conversation',
        ],
        [
          [branch([{ type: 'take_over' }, { type: 'hand_back' }])],
          'steps[0].then[1] contradicts steps[0].then[0]: both set who answers',
        ],
        [
          [reply],
          'steps[0] needs a conversation, and the trigger has none',
          { has: { session: false, record: true, payload: false } },
        ],
        [
          [{ type: 'comment', text: 'x' }],
          'steps[0] needs a card, and the trigger has none',
          { has: { session: true, record: false, payload: false } },
        ],
        [
          [{ ...wait, cancelOn: ['team_reply'] }],
          'steps[0].cancelOn[0] needs a conversation, and the trigger has none',
          { has: { session: false, record: true, payload: false } },
        ],
      ];
      for (const [steps, message, more] of cases) {
        const error = await check(steps, more).then(
          () => null,
          (thrown) => thrown,
        );
        assert.equal(error?.message, message, JSON.stringify(steps));
        assert.equal(error.status, 400);
      }
    });

    it('steps contradict each other within one branch only, and not across a wait', async () => {
      const resolve = { type: 'resolve' };
      const steps = await check([
        branch([resolve], [{ type: 'snooze', snoozeMinutes: 5 }]),
        { type: 'resolve', id: 'first' },
        { type: 'wait', until: due, at: '09:00', timeZone: 'Europe/Oslo', cancelOn: ['customer_message'] },
        resolve,
        { type: 'reply', text: 'Until {{Due}}, {{payload.name}}' },
        { type: 'call', id: 'shop', url: 'https://8.8.8.8/', body: { of: '{{customer}}' } },
        branch([{ type: 'note', text: '{{steps.shop.body.a.0}}' }]),
        { type: 'stop' },
      ]);
      assert.deepEqual(
        steps.map(({ id }) => id),
        ['if-1', 'first', 'wait-1', 'resolve-2', 'reply-1', 'shop', 'if-2', 'stop-1'],
      );
      assert.equal(steps[4]!.pauseAi, false);
    });

    it('403 for a call without webhooks.manage; 404-like for a hidden board', async () => {
      const operator = {
        ...author,
        role: 'operator',
        permissions: ['automation.manage'],
      } as unknown as Actor;
      const calls = check([{ type: 'call', url: 'https://8.8.8.8/' }], { actor: operator });
      await assert.rejects(calls, /steps\[0\] needs the permission webhooks\.manage as well/);
      const closed = await conversations.kanban();
      await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
      const outsider = { ...operator, id: (await service.createUser('operator')).id } as Actor;
      const hidden = [{ type: 'create_record', kanbanId: closed.id, title: 'x' }];
      await assert.rejects(check(hidden, { actor: outsider }), /steps\[0\]\.kanbanId does not exist$/);
    });
  });
});
