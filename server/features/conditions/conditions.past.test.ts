import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { conditionFields } from '../../../contract/conditions.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { generator } from '../../../test/support/random-filters.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { approximateFields, Conditions, loadPastSubjects, loadSubjects } from './conditions.ts';

const { pick, chance } = generator(seed);
let service: TestService;
let talk: Conversations;
before(async () => {
  service = await joinTestService();
  talk = conversationsOf(service);
});
after(() => service.close());

it('what conditions compare at any moment of the past is what they compared then', async () => {
  const { call, context, admin } = service;
  const { db, clock } = context;
  const { accountId } = admin;
  const made = async (path: string, body: object) =>
    (await talk.expect(201, call('POST', path, { body }))).id;
  const labelIds = [await made('/labels', { name: 'A' }), await made('/labels', { name: 'B' })];
  const teamId = await made('/teams', { name: 'Team' });
  const board = await talk.kanban({
    fields: [
      { name: 'Note', type: 'text' },
      { name: 'Size', type: 'number' },
    ],
  });
  const own: Json[] = board.fields.filter(({ isSystem }: Json) => !isSystem);
  const sessionId = unique('past');
  const said = {
    sessionId,
    kanbanId: board.id,
    externalUserId: '5511976540001',
    content: 'Where is my order?',
  };
  await talk.accepted(said);
  const { recordId, contactId, channelId } = await talk.session(sessionId);
  const fields = [
    ...Object.keys(conditionFields).filter((name) => !name.startsWith('message.')),
    ...own.map(({ id }) => id),
    ...['title', 'status', 'assignedUserIds', 'labelIds', 'createdAt'],
  ];
  const { definitions } = await context.accountConfig.fresh(accountId);
  const fieldOf = (id: string) => definitions.kanbans.get(board.id)?.fields.get(id);
  const parts = fields.map((field) => ({ field, op: 'empty' }));
  const groups = Array.from({ length: Math.ceil(parts.length / 15) }, (_, i) =>
    parts.slice(i * 15, i * 15 + 15),
  );
  const conditions = groups.map((and) => new Conditions({ and }, 'conditions', { fieldOf }));
  const approximate = conditions.flatMap(approximateFields);
  assert.deepEqual(approximate.sort(), [
    'contact.blocked',
    'contact.labelIds',
    'contact.name',
    'session.agentId',
    'session.unread',
    'session.waitingMinutes',
  ]);
  const exact = fields.filter((field) => !approximate.includes(field));
  const only = (values: Json) => Object.fromEntries(exact.map((field) => [field, values[field]]));

  let phone = 5_511_976_540_001;
  const changes: (() => Promise<unknown>)[] = [
    () =>
      talk.accepted({ ...said, content: pick(['Onde está o meu pedido?', 'ok', '¿Dónde está mi pedido?']) }),
    () => talk.operatorSays(channelId, sessionId, { content: 'Hello' }),
    () =>
      call('PATCH', `/sessions/${sessionId}`, { body: { status: pick(['open', 'resolved', 'snoozed']) } }),
    () =>
      call('PATCH', `/sessions/${sessionId}`, {
        body: { assignedUserId: pick([admin.userId, null]), teamId: pick([teamId, null]) },
      }),
    () =>
      call('PATCH', `/sessions/${sessionId}`, {
        body: chance(0.5) ? { addLabelIds: [pick(labelIds)] } : { removeLabelIds: [pick(labelIds)] },
      }),
    () => call('PATCH', `/sessions/${sessionId}/ai-paused`, { body: { aiPaused: chance(0.5) } }),
    () =>
      call('PUT', `/crm/records/${recordId}`, {
        body: { title: pick(['One', 'Two']), status: pick(board.statuses as Json[]).value },
      }),
    () =>
      call('PUT', `/crm/records/${recordId}`, {
        body: { assignedUserIds: pick([[], [admin.userId]]), addLabelIds: [labelIds[0]] },
      }),
    () =>
      call('PUT', `/crm/records/${recordId}`, {
        body: { customFields: { [own[0]!.id]: pick(['a', 'b', null]), [own[1]!.id]: pick([1, 2, null]) } },
      }),
    () =>
      call('PATCH', `/contacts/${contactId}`, {
        body: { addIdentifiers: [{ kind: 'phone', value: String(++phone) }] },
      }),
    () => talk.accepted({ ...said, sessionId: unique('past') }),
    () =>
      db.transaction((tx) => {
        const now = clock.now();
        return tx.query(sql`
          insert into session_ratings (account_id, session_id, resolved_at, score, created_at, updated_at)
          values (${accountId}, ${sessionId}, ${now}, ${pick([1, 3, 5])}, ${now}, ${now})`);
      }),
  ];
  const keys = [{ sessionId }];
  const snapshots: { at: number; values: Json }[] = [];
  const since = clock.now() - 1;
  for (let run = 0; run < runsOf(160); run++) {
    await pick(changes)();
    const [subject] = await loadSubjects(db, accountId, definitions, keys, conditions);
    snapshots.push({ at: clock.now(), values: only(subject!.values) });
    // The next change is of a later moment.
    for (const at = clock.now(); clock.now() === at; );
  }
  const [past] = await loadPastSubjects(db, accountId, definitions, keys, conditions, since);
  for (const [index, { at, values }] of snapshots.entries()) {
    assert.deepEqual(only(past!.at(at).values), values, `after change ${index}`);
  }
  assert.ok(
    new Set(snapshots.map(({ values }) => JSON.stringify(values))).size > 10,
    'the changes change little',
  );
});
