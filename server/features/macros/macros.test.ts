import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

type Conversations = ReturnType<typeof conversationsOf>;

describe('macros', () => {
  let service: TestService;
  let call: TestService['call'];
  let conversations: Conversations;
  let board: Json;
  let amount: string;
  let city: string;
  let admin: string;

  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    conversations = conversationsOf(service);
    admin = service.admin.jwt;
    board = await conversations.kanban({
      name: 'Sales',
      statuses: [
        { value: 'open', label: 'Open', color: '#112233' },
        { value: 'won', label: 'Won', color: '#223344' },
      ],
      fields: [
        { name: 'Amount', type: 'currency', currency: 'EUR' },
        { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
      ],
    });
    amount = board.fields.find((field: Json) => field.name === 'Amount').id;
    city = board.fields.find((field: Json) => field.name === 'City').id;
  });
  after(() => service.close());

  const label = (): Promise<Json> =>
    conversations.expect(201, call('POST', '/labels', { body: { name: unique('Label') } }));
  const post = (steps: object[], more: object = {}, token = admin) =>
    call('POST', '/macros', { token, body: { name: unique('Macro'), steps, ...more } });
  const create = async (steps: object[], more: object = {}, token = admin): Promise<Json> =>
    conversations.expect(201, post(steps, more, token));
  const start = async (body: object = {}): Promise<string> =>
    (await conversations.accepted({ sessionName: 'Ana Silva', kanbanId: board.id, ...body })).sessionId;
  const at = (sessionId: string, macro: Json, verb: string) =>
    `/sessions/${sessionId}/macros/${macro.id}/${verb}`;
  const run = (sessionId: string, macro: Json, body: object = {}, headers = {}, token = admin) =>
    call('POST', at(sessionId, macro, 'run'), { token, body, headers });
  const preview = async (sessionId: string, macro: Json, body: object = {}, token = admin): Promise<Json> =>
    conversations.expect(200, call('POST', at(sessionId, macro, 'preview'), { token, body }));
  const states = (answer: Json) => answer.steps.map((step: Json) => step.state);
  /** Everything that a run may change, as the database has it. */
  const traces = async (sessionId: string): Promise<Json> => ({
    session: await conversations.session(sessionId),
    messages: await conversations.messages(sessionId),
    changes: (await call('GET', `/sessions/${sessionId}/changes`)).body.items,
    record: (await call('GET', `/crm/records/${(await conversations.session(sessionId)).recordId}`)).body,
    events: await service.context.db.query(sql`select id from events order by id`),
  });

  it('every step happens through the rules of the single action, in one run', async () => {
    const team = await conversations.expect(
      201,
      call('POST', '/teams', { body: { name: unique('Team'), userIds: [] } }),
    );
    const [vip, old] = [await label(), await label()];
    const macro = await create([
      { type: 'set_fields', kanbanId: board.id, customFields: { [amount]: 1250.5, [city]: 'Oslo' } },
      { type: 'reply', text: 'Hello {{First Name}}, {{amount}} from {{operator}} ({{board}}).', extra: 1 },
      { type: 'note', text: 'Offer sent to {{customer}}' },
      { type: 'set_status', kanbanId: board.id, status: 'won' },
      { type: 'assign', assignedUserId: 'me', teamId: team.id },
      { type: 'label', addLabelIds: [vip.id], removeLabelIds: [old.id] },
      { type: 'snooze', snoozeMinutes: 60 },
    ]);
    assert.deepEqual(macro.steps[1], {
      type: 'reply',
      text: 'Hello {{First Name}}, {{amount}} from {{operator}} ({{board}}).',
      pauseAi: true,
    });
    const sessionId = await start();
    await call('PATCH', `/sessions/${sessionId}`, { body: { labelIds: [old.id] } });
    const seen = await preview(sessionId, macro, { language: 'en' });
    assert.deepEqual(new Set(states(seen)), new Set(['ready']));
    assert.equal(seen.canRun, true);
    assert.equal(seen.steps[1].text, 'Hello Ana, €1,250.50 from Administrator (Sales).');

    const done = await conversations.expect(
      200,
      run(sessionId, macro, { language: 'en', expectedUpdatedAt: seen.macro.updatedAt }),
    );
    assert.deepEqual(new Set(states(done)), new Set(['done']));
    const { session, messages, changes, record } = await traces(sessionId);
    assert.deepEqual(done.session, session);
    assert.equal(session.status, 'snoozed');
    assert.equal(session.assignedUserId, service.admin.userId);
    assert.equal(session.teamId, team.id);
    assert.deepEqual(session.labelIds, [vip.id]);
    assert.equal(session.aiPaused, true, 'a reply takes over, as in the composer');
    assert.equal(session.snoozedUntil, session.statusChangedAt + 3_600_000);
    assert.deepEqual(
      messages.slice(-2).map(({ id, content, isNote }: Json) => ({ id, content, isNote })),
      [
        { id: done.steps[1].messageId, content: seen.steps[1].text, isNote: false },
        { id: done.steps[2].messageId, content: 'Offer sent to Ana Silva', isNote: true },
      ],
    );
    assert.deepEqual(record.customFields, { [amount]: 1250.5, [city]: 'Oslo' });
    assert.equal(record.status, 'won');
    assert.equal(changes[0].changedBy.id, service.admin.userId);
    const events = await service.context.db.query<{ event: string }>(
      sql`select event from events where subject_id in (${sessionId}, ${record.recordId}) order by id`,
    );
    const emitted = new Set(events.map(({ event }) => event));
    for (const event of ['crm_field_update', 'note_created', 'session_updated', 'ai_pause']) {
      assert.ok(emitted.has(event), event);
    }
  });

  it('resolve, hand back and unassign; what is so already is unchanged', async () => {
    const macro = await create([
      { type: 'hand_back' },
      { type: 'assign', assignedUserId: null },
      { type: 'resolve' },
    ]);
    const takeOver = await create([{ type: 'take_over' }]);
    const sessionId = await start();
    await conversations.expect(200, run(sessionId, takeOver));
    const { aiPaused, assignedUserId } = await conversations.session(sessionId);
    assert.deepEqual([aiPaused, assignedUserId], [true, service.admin.userId]);
    assert.deepEqual(states((await run(sessionId, macro)).body), ['done', 'done', 'done']);
    const after = await conversations.session(sessionId);
    assert.deepEqual([after.aiPaused, after.assignedUserId, after.status], [false, null, 'resolved']);
    assert.deepEqual(states(await preview(sessionId, macro)), ['unchanged', 'unchanged', 'unchanged']);
    assert.deepEqual(states((await run(sessionId, macro)).body), ['unchanged', 'unchanged', 'unchanged']);
  });

  it('a step that cannot run is named, and nothing of the run or of a preview remains', async () => {
    const leaver = await service.createUser('operator');
    const macro = await create([
      { type: 'reply', text: 'First' },
      { type: 'set_status', kanbanId: board.id, status: 'won' },
      { type: 'note', text: 'Second' },
      { type: 'assign', assignedUserId: leaver.id },
      { type: 'resolve' },
    ]);
    const sessionId = await start();
    await conversations.expect(200, call('DELETE', `/users/${leaver.id}`, { token: admin }));
    const before = await traces(sessionId);
    const seen = await preview(sessionId, macro);
    assert.equal(seen.canRun, false);
    assert.deepEqual(states(seen), ['ready', 'ready', 'ready', 'problem', 'ready']);
    assert.equal(seen.steps[3].problem.kind, 'unknown_user');
    for (const headers of [{}, { 'idempotency-key': unique('key') }]) {
      const refused = await run(sessionId, macro, {}, headers);
      assert.equal(refused.status, 409);
      assert.match(refused.body.message, /^steps\[3\]\.assignedUserId has an unknown user/);
    }
    assert.deepEqual(await traces(sessionId), before);
  });

  it('a preview says "unchanged" only of what is so before the macro runs', async () => {
    const one = await label();
    const status = board.statuses.at(-1).value;
    const steps = [
      { type: 'label', addLabelIds: [one.id] },
      { type: 'assign', assignedUserId: 'me' },
      { type: 'set_status', kanbanId: board.id, status },
      { type: 'take_over' },
      { type: 'snooze', snoozeMinutes: 60 },
      { type: 'resolve' },
      { type: 'reply', text: 'Hello' },
    ];
    const statesOf = async (list: object[]) =>
      (await preview(await start(), await create(list))).steps.map((step: Json) => step.state);
    for (const step of steps) assert.deepEqual(await statesOf([step]), ['ready'], step.type);
    const hello = { type: 'reply', text: 'Hello' };
    assert.deepEqual(await statesOf([hello, { type: 'take_over' }]), ['ready', 'ready']);
    assert.deepEqual(await statesOf([{ type: 'hand_back' }]), ['unchanged']);
    const taken = await start();
    const pause = { token: admin, body: { aiPaused: true } };
    await conversations.expect(200, call('PATCH', `/sessions/${taken}/ai-paused`, pause));
    const both = await preview(taken, await create([hello, { type: 'take_over' }]));
    assert.deepEqual(states(both), ['ready', 'unchanged']);
  });

  it('deleted fields, hidden boards, empty placeholders and blocked contacts are problems', async () => {
    const field = await conversations.expect(
      201,
      call('POST', `/crm/fields?kanbanId=${board.id}`, { body: { name: unique('Gone'), type: 'text' } }),
    );
    const gone = await label();
    const outsider = await service.createUser('operator');
    const closed = await conversations.kanban();
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const macro = await create(
      [
        { type: 'set_fields', kanbanId: board.id, customFields: { [field.fieldId]: 'x' } },
        { type: 'reply', text: 'About {{City}} and {{telefone}}' },
        { type: 'assign', assignedUserId: outsider.id },
        { type: 'label', removeLabelIds: [gone.id] },
      ],
      { shared: true },
    );
    await conversations.expect(200, call('DELETE', `/crm/fields/${field.fieldId}`));
    await conversations.expect(200, call('DELETE', `/labels/${gone.id}`));
    const sessionId = await start({ externalUserId: 'blocked-by-macro' });
    const kinds = (answer: Json) => answer.steps.map((step: Json) => step.problem?.kind ?? step.state);
    const open = await preview(sessionId, macro);
    assert.deepEqual(kinds(open), ['unknown_field', 'unfilled', 'ready', 'unknown_label']);
    assert.deepEqual(open.steps[1].unfilled, ['{{City}}', '{{telefone}}']);
    const hidden = await start({ kanbanId: closed.id });
    const elsewhere = await preview(hidden, macro);
    assert.deepEqual(kinds(elsewhere), ['other_board', 'unfilled', 'hidden_board', 'unknown_label']);
    assert.equal(elsewhere.steps[0].state, 'not_applicable');
    assert.equal(
      (await call('POST', at(hidden, macro, 'preview'), { token: outsider.jwt, body: {} })).status,
      404,
    );

    const replying = await create([
      { type: 'note', text: 'Note' },
      { type: 'reply', text: '{{City}}' },
    ]);
    const texts = [{ step: 1, text: 'Edited {{by hand}}' }];
    assert.match((await run(sessionId, replying)).body.message, /^steps\[1\]\.text has placeholders without/);
    assert.equal((await run(sessionId, replying, { texts })).status, 200, 'an edited text is sent as it is');
    assert.equal((await conversations.messages(sessionId)).at(-1)!.content, 'Edited {{by hand}}');
    await conversations.expect(201, call('POST', '/blocked-contacts/blocked-by-macro'));
    const blocked = await preview(sessionId, replying);
    assert.equal(blocked.steps[1].problem.kind, 'unfilled');
    const plain = await preview(sessionId, await create([{ type: 'reply', text: 'Hello' }]));
    assert.deepEqual([plain.canRun, ...kinds(plain)], [false, 'blocked']);
    const count = (await conversations.messages(sessionId)).length;
    assert.equal((await run(sessionId, replying, { texts })).body.error.code, 'CONTACT_BLOCKED');
    assert.equal((await conversations.messages(sessionId)).length, count);
  });

  it('a step needs the permission of the single action', async () => {
    const macro = await create(
      [
        { type: 'note', text: 'For us' },
        { type: 'set_status', kanbanId: board.id, status: 'won' },
      ],
      { shared: true },
    );
    const permissions = ['conversations.view', 'conversations.reply', 'records.view'];
    const role = await conversations.expect(
      201,
      call('POST', '/roles', { token: admin, body: { name: unique('Role'), permissions } }),
    );
    const { id, jwt } = await service.createUser('operator');
    await conversations.expect(
      200,
      call('PATCH', `/users/${id}`, { token: admin, body: { roleId: role.id } }),
    );
    const sessionId = await start();
    const before = await traces(sessionId);
    const shown = await preview(sessionId, macro, {}, jwt);
    assert.deepEqual(
      shown.steps.map(({ problem }: Json) => problem.message),
      ['notes.write', 'records.edit'].map((one) => `your role lacks the permission ${one}`),
    );
    const refused = await run(sessionId, macro, {}, {}, jwt);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.message, 'steps[0]: your role lacks the permission notes.write');
    assert.deepEqual(await traces(sessionId), before);
  });

  it('the same Idempotency-Key runs once, also at the same moment', async () => {
    const macro = await create([{ type: 'reply', text: 'Once' }, { type: 'resolve' }]);
    const sessionId = await start();
    const headers = { 'idempotency-key': unique('key') };
    const answers = await Promise.all([1, 2, 3].map(() => run(sessionId, macro, {}, headers)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const written = (await conversations.messages(sessionId)).filter(({ content }) => content === 'Once');
    assert.equal(written.length, 1);
  });

  it('a macro that was changed after its preview is a 409', async () => {
    const macro = await create([{ type: 'resolve' }]);
    const sessionId = await start();
    const { macro: shown } = await preview(sessionId, macro);
    await call('PATCH', `/macros/${macro.id}`, { token: admin, body: { steps: [{ type: 'take_over' }] } });
    const refused = await run(sessionId, macro, { expectedUpdatedAt: shown.updatedAt });
    assert.deepEqual([refused.status, refused.body.message], [409, 'the macro has changed meanwhile']);
  });

  it('400s name the step and the property', async () => {
    const other = await conversations.kanban();
    const cases: [object[], RegExp][] = [
      [[], /^steps must have at least 1 item$/],
      [Array.from({ length: 21 }, () => ({ type: 'note', text: 'x' })), /^steps must have at most 20 items$/],
      [[{ type: 'fly' }], /^steps\[0\]\.type must be one of/],
      [[{ type: 'resolve' }, { type: 'reply' }], /^steps\[1\]\.text is required$/],
      [[{ type: 'reply', text: '  ' }], /^steps\[0\]\.text must not be empty$/],
      [
        [{ type: 'reply', text: '{{no such}}' }],
        /^steps\[0\]\.text has an unknown placeholder: \{\{no such\}\}$/,
      ],
      [[{ type: 'assign' }], /^steps\[0\] needs assignedUserId or teamId$/],
      [[{ type: 'assign', assignedUserId: absentId }], /^steps\[0\]\.assignedUserId has an unknown user/],
      [[{ type: 'assign', teamId: absentId }], /^steps\[0\]\.teamId has an unknown team/],
      [[{ type: 'label', addLabelIds: [absentId] }], /^steps\[0\]\.addLabelIds has an unknown label/],
      [[{ type: 'label' }], /^steps\[0\] needs addLabelIds or removeLabelIds$/],
      [
        [{ type: 'label', addLabelIds: ['x'], removeLabelIds: ['x'] }],
        /^steps\[0\] contradicts itself: .*label x/,
      ],
      [
        [{ type: 'set_status', kanbanId: absentId, status: 'x' }],
        /^steps\[0\]\.kanbanId has an unknown board/,
      ],
      [
        [{ type: 'set_status', kanbanId: board.id, status: 'x' }],
        /^steps\[0\]\.status must be one of open, won$/,
      ],
      [[{ type: 'set_fields', kanbanId: board.id, customFields: {} }], /^steps\[0\]\.customFields must have/],
      [
        [{ type: 'set_fields', kanbanId: board.id, customFields: { [amount]: 'much' } }],
        /^steps\[0\]\.customFields\.\S+ \(Amount\) must be a finite number$/,
      ],
      [
        [{ type: 'set_fields', kanbanId: other.id, customFields: { [amount]: 1 } }],
        /^steps\[0\]\.customFields\.\S+ is not a field of this kanban$/,
      ],
      [[{ type: 'snooze' }], /^steps\[0\]\.snoozeMinutes is required$/],
      [[{ type: 'resolve' }, { type: 'resolve' }], /^steps\[1\] contradicts steps\[0\]: both set the status/],
      [[{ type: 'snooze', snoozeMinutes: null }, { type: 'resolve' }], /^steps\[1\] contradicts steps\[0\]/],
      [
        [{ type: 'take_over' }, { type: 'hand_back' }],
        /^steps\[1\] contradicts steps\[0\]: both set who answers/,
      ],
      [
        [{ type: 'hand_back' }, { type: 'reply', text: 'x' }],
        /^steps\[1\] contradicts steps\[0\]: the reply pauses the AI again$/,
      ],
      [
        ['a', 'b'].map((one) => ({ type: 'note', text: one.repeat(32_769) })),
        /^steps must have at most 65536 characters of texts and field values together$/,
      ],
    ];
    for (const [steps, message] of cases) {
      const { status, body } = await post(steps);
      assert.equal(status, 400, JSON.stringify(steps));
      assert.match(body.message, message);
    }
    const macro = await create([{ type: 'resolve' }, { type: 'note', text: 'x' }]);
    const sessionId = await start();
    for (const [body, message] of [
      [{ texts: [{ step: 0, text: 'x' }] }, /^texts\[0\]\.step must be the index of a reply or a note$/],
      [{ texts: [{ step: 1, text: ' ' }] }, /^texts\[0\]\.text must not be empty$/],
      [{ timeZone: 'Mars' }, /^timeZone must be an IANA name/],
    ] as const) {
      const refused = await run(sessionId, macro, body);
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, message);
    }
  });

  it('a hand-back may follow a reply, or precede one that does not pause', async () => {
    await create([{ type: 'reply', text: 'x' }, { type: 'hand_back' }]);
    await create([{ type: 'hand_back' }, { type: 'reply', text: 'x', pauseAi: false }]);
  });

  it('a long text of spaces after two braces is saved like any other', async () => {
    const text = `{{${' '.repeat(65_533)}x`;
    const macro = await create([{ type: 'note', text }]);
    assert.equal((await preview(await start(), macro)).steps[0].text, text);
  });

  it('an account has at most 500 macros, also with creates at the same moment', async () => {
    const { accountId, jwt } = await service.createAccount();
    await service.context.db.query(sql`
      insert into macros (account_id, id, owner_id, name, shared, steps, created_at, updated_at)
      select ${accountId}::uuid, gen_random_uuid(), u.id, 'Macro ' || n, false, '[]', 0, 0
      from generate_series(1, 499) n, users u where u.account_id = ${accountId}`);
    const answers = await Promise.all([1, 2, 3].map(() => post([{ type: 'resolve' }], {}, jwt)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    assert.equal(refused.body.message, 'an account can have at most 500 macros');
  });

  it('private macros are their owner’s; shared ones are run by all and changed by owner and administrators', async () => {
    const [owner, colleague] = [await service.createUser('operator'), await service.createUser('operator')];
    const stranger = await service.createAccount();
    const steps = [{ type: 'resolve' }];
    const own = await create(steps, { name: 'Close' }, owner.jwt);
    const shared = await create(steps, { name: 'close', shared: true }, owner.jwt);
    const taken = await post(steps, { name: 'CLOSE', shared: true }, colleague.jwt);
    assert.deepEqual([taken.status, taken.body.message], [409, 'name is already in use']);
    await create(steps, { name: 'Close' }, colleague.jwt);
    const idsFor = async (token: string) =>
      (await call('GET', '/macros', { token })).body.items.map(({ id }: Json) => id);
    assert.ok((await idsFor(owner.jwt)).includes(own.id));
    for (const token of [colleague.jwt, admin]) {
      const ids = await idsFor(token);
      assert.ok(ids.includes(shared.id) && !ids.includes(own.id));
    }
    assert.deepEqual(await idsFor(stranger.jwt), []);

    const sessionId = await start();
    const change = (macro: Json, token: string) =>
      call('PATCH', `/macros/${macro.id}`, { token, body: { name: unique('Renamed') } });
    for (const token of [colleague.jwt, admin, stranger.jwt]) {
      assert.equal((await change(own, token)).status, 404);
      assert.equal((await call('DELETE', `/macros/${own.id}`, { token })).status, 404);
      assert.equal((await run(sessionId, own, {}, {}, token)).status, 404);
    }
    assert.equal((await run(sessionId, shared, {}, {}, stranger.jwt)).status, 404);
    assert.equal((await change(shared, stranger.jwt)).status, 404);
    assert.equal((await change(shared, colleague.jwt)).status, 403);
    assert.equal((await change(shared, admin)).status, 200);
    assert.equal((await run(sessionId, shared, {}, {}, colleague.jwt)).status, 200);
    assert.equal((await call('DELETE', `/macros/${shared.id}`, { token: owner.jwt })).status, 200);
    assert.equal((await call('GET', '/macros')).status, 403, 'tokens are not people');
  });
});
