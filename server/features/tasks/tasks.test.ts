import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { limits } from '../../../contract/limits.ts';
import {
  absentId,
  assertBadRequest,
  assertNotFound,
  createKanban,
  createRecord,
  eventsOf,
} from '../../../test/support/crm.ts';
import { assertEventBody } from '../../../test/support/event-schema.ts';
import { connectLive, listen } from '../../../test/support/live.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const hour = 3_600_000;

describe('tasks', () => {
  let service: TestService;
  let call: TestService['call'];
  let board: Kanban;
  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    board = await createKanban(service);
  });
  after(() => service.close());

  const add = async (recordId: string, body: object = {}, token = service.admin.jwt): Promise<Json> => {
    const answer = await call('POST', `/crm/records/${recordId}/tasks`, {
      token,
      body: { title: 'Call back', ...body },
    });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const change = (taskId: string, body: object, token = service.admin.jwt) =>
    call('PATCH', `/tasks/${taskId}`, { token, body });
  const list = async (query: string, token = service.admin.jwt): Promise<Json[]> => {
    const answer = await call('GET', `/tasks?${query}`, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.items;
  };
  const jobs = async (taskId: string) =>
    (
      await service.context.db.query<{ at: number }>(sql`
        select (payload ->> 'remindAt')::bigint as at from jobs
        where kind = 'task-reminder' and payload ->> 'taskId' = ${taskId}`)
    ).map((row) => row.at);

  it('201 the created task, and task_created on the record’s own sequence', async () => {
    const record = await createRecord(service, board.id, { title: 'Ada' });
    const dueAt = Date.now() - hour;
    const task = await add(record.recordId, { title: '  Send offer ', dueAt, assignedUserId: null });
    const { taskId, createdAt, updatedAt, ...rest } = task;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      recordId: record.recordId,
      kanbanId: board.id,
      recordTitle: 'Ada',
      title: 'Send offer',
      dueAt,
      assignedUserId: null,
      remindAt: null,
      doneAt: null,
      doneBy: null,
      createdBy: service.admin.userId,
      updatedBy: service.admin.userId,
      clientId: null,
    });
    assert.deepEqual((await call('GET', `/tasks/${taskId}`)).body, task);
    assert.equal((await change(taskId, {})).body.updatedAt, updatedAt);
    const done = (await change(taskId, { done: true })).body;
    assert.equal(done.doneBy, service.admin.userId);
    // Completed again by somebody else: it stays the first person's.
    const operator = await service.createUser('operator');
    assert.deepEqual((await change(taskId, { done: true }, operator.jwt)).body, done);
    assert.equal((await change(taskId, { done: false })).body.doneAt, null);
    assert.equal((await call('DELETE', `/tasks/${taskId}`)).status, 200);
    assertNotFound(await call('GET', `/tasks/${taskId}`), 'task not found');
    const events = await eventsOf(service, record.recordId);
    assert.deepEqual(
      events.map(({ event, sequence, kanbanId }) => [event, sequence, kanbanId]),
      [
        ['crm_record_created', 1, board.id],
        ['task_created', 2, board.id],
        ['task_updated', 3, board.id],
        ['task_updated', 4, board.id],
        ['task_deleted', 5, board.id],
      ],
    );
    for (const { body } of events) assertEventBody(body);
    assert.deepEqual(events[1]!.body.data, { task, changedBy: service.admin.userId });
  });

  it('400 names the field: title, assignedUserId, remindAt, dueAt', async () => {
    const { recordId } = await createRecord(service, board.id);
    const { taskId } = await add(recordId);
    const wrong: [object, RegExp][] = [
      [{ title: ' ' }, /^title is required/],
      [{ title: 'x'.repeat(limits.taskTitleLength + 1) }, /^title /],
      [{ assignedUserId: absentId }, /^assignedUserId /],
      [{ assignedUserId: 'me' }, /^assignedUserId /],
      [{ remindAt: Date.now() - 1 }, /^remindAt must be in the future/],
      [{ remindAt: limits.latestTime + 1 }, /remindAt/],
      [{ dueAt: -1 }, /dueAt/],
      [{ dueAt: 1.5 }, /dueAt/],
    ];
    for (const [body, message] of wrong) {
      const create = await call('POST', `/crm/records/${recordId}/tasks`, { body: { title: 'x', ...body } });
      assertBadRequest(create, message);
      assertBadRequest(await change(taskId, body), message);
    }
    assertNotFound(await call('POST', `/crm/records/${absentId}/tasks`, { body: { title: 'x' } }));
    assertNotFound(await change(absentId, { done: true }), 'task not found');
  });

  it('lists by due date, then creation, in pages; completed ones newest first', async () => {
    const { recordId } = await createRecord(service, board.id);
    const operator = await service.createUser('operator');
    const now = Date.now();
    const assignedUserId = operator.id;
    const ids: string[] = [];
    for (const [title, dueAt] of [
      ['none', null],
      ['late', now + 2 * hour],
      ['soon', now + hour],
      ['none too', null],
    ] as const) {
      ids.push((await add(recordId, { title, dueAt, assignedUserId })).taskId);
    }
    await add(recordId, { title: 'of nobody' });
    const titles = async (query: string) => (await list(query, operator.jwt)).map((one) => one.title);
    assert.deepEqual(await titles('assignedUserId=me'), ['soon', 'late', 'none', 'none too']);
    assert.deepEqual(await titles(`assignedUserId=${operator.id}&dueBefore=${now + 2 * hour}`), ['soon']);
    assert.deepEqual(await titles(`recordId=${recordId}&dueAfter=${now + 2 * hour}`), ['late']);
    assert.deepEqual(await titles('assignedUserId=nobody'), []);
    const inPages = async (query: string) => {
      const pages: string[][] = [];
      for (let token = ''; pages.length < 5; ) {
        const { body } = await call('GET', `/crm/records/${recordId}/tasks?${query}${token}`);
        pages.push(body.items.map((one: Json) => one.title));
        if (body.nextToken === null) break;
        token = `&nextToken=${body.nextToken}`;
      }
      return pages;
    };
    assert.deepEqual(await inPages('limit=2'), [['soon', 'late'], ['none', 'none too'], ['of nobody']]);
    await change(ids[2]!, { done: true });
    await change(ids[0]!, { done: true });
    assert.deepEqual(await inPages('done=true&limit=1'), [['none'], ['soon']]);
    assert.deepEqual(await titles('assignedUserId=me&done=false'), ['late', 'none too']);
  });

  it('belongs to the record’s board: 404 for others, who cannot be assigned either', async () => {
    const closed = await createKanban(service);
    const member = await service.createUser('operator');
    const outsider = await service.createUser('operator');
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [member.id] } });
    const { recordId } = await createRecord(service, closed.id);
    const { taskId } = await add(recordId, { assignedUserId: member.id }, member.jwt);
    const token = outsider.jwt;
    for (const answer of [
      await call('GET', `/crm/records/${recordId}/tasks`, { token }),
      await call('GET', `/tasks/${taskId}`, { token }),
      await change(taskId, { done: true }, token),
      await call('DELETE', `/tasks/${taskId}`, { token }),
    ]) {
      assertNotFound(answer);
    }
    assert.deepEqual(await list(`recordId=${recordId}`, token), []);
    assertBadRequest(await change(taskId, { assignedUserId: outsider.id }), /^assignedUserId /);
  });

  it('one reminder waits per open task: moved, removed and restored with it', async () => {
    const { recordId } = await createRecord(service, board.id);
    const [first, second] = [Date.now() + hour, Date.now() + 2 * hour];
    const { taskId } = await add(recordId, { remindAt: first });
    assert.deepEqual(await jobs(taskId), [first]);
    await change(taskId, { remindAt: second, title: 'Later' });
    assert.deepEqual(await jobs(taskId), [second]);
    await change(taskId, { done: true });
    assert.deepEqual(await jobs(taskId), []);
    await change(taskId, { done: false });
    assert.deepEqual(await jobs(taskId), [second]);
    await change(taskId, { remindAt: null });
    assert.deepEqual(await jobs(taskId), []);
  });

  it('goes with its record; a deleted user leaves it unassigned', async () => {
    const { recordId } = await createRecord(service, board.id);
    const leaver = await service.createUser('operator');
    const { taskId } = await add(recordId, { assignedUserId: leaver.id });
    await call('DELETE', `/users/${leaver.id}`);
    assert.equal((await call('GET', `/tasks/${taskId}`)).body.assignedUserId, null);
    assert.equal((await call('DELETE', `/crm/records/${recordId}`)).status, 200);
    assertNotFound(await call('GET', `/tasks/${taskId}`));
  });

  it('an Idempotency-Key adds one task; a dry run adds none', async () => {
    const { recordId } = await createRecord(service, board.id);
    const headers = { 'idempotency-key': 'one-task' };
    const send = (more: object) =>
      call('POST', `/crm/records/${recordId}/tasks`, { body: { title: 'Once' }, headers: { ...more } });
    const [one, two] = await Promise.all([send(headers), send(headers)]);
    assert.equal(one.body.taskId, two.body.taskId);
    const dry = await send({ 'x-dry-run': 'events' });
    assert.equal(dry.body.events[0].event, 'task_created');
    assert.equal((await list(`recordId=${recordId}`)).length, 1);
  });

  it('cards and live frames have the open tasks of the record; others’ boards stay hidden', async () => {
    const { recordId } = await createRecord(service, board.id);
    const closed = await createKanban(service);
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const hidden = await createRecord(service, closed.id);
    const url = await listen(service.app);
    const live = await connectLive(url, call, service.admin.jwt);
    const outsider = await connectLive(url, call, (await service.createUser('operator')).jwt);
    try {
      const secret = await add(hidden.recordId, { title: 'Secret' });
      await call('POST', `/crm/records/${hidden.recordId}/comments`, { body: { content: 'Secret' } });
      await call('DELETE', `/tasks/${secret.taskId}`);
      await call('DELETE', `/crm/records/${hidden.recordId}`);
      const dueAt = Date.now() + hour;
      const { taskId } = await add(recordId, { dueAt });
      await add(recordId);
      const created = await live.next('task.created', ({ task }) => task.taskId === taskId);
      assert.equal(created.task.recordTitle, 'Ada');
      await change(taskId, { done: true });
      await live.next('task.updated', ({ task }) => task.doneAt !== null);
      const { body } = await call('GET', `/kanbans/${board.id}/cards`);
      const card = body.items.find((one: Json) => one.recordId === recordId);
      assert.deepEqual(card.tasks, { open: 1, nextDueAt: null });
      await call('DELETE', `/tasks/${taskId}`);
      const gone = await live.next('task.deleted', (data) => data.taskId === taskId);
      assert.deepEqual(gone.tasks, { open: 1, nextDueAt: null });
      await call('POST', `/crm/records/${recordId}/comments`, { body: { content: 'For all' } });
      await outsider.next('comment.created', ({ comment }) => comment.content === 'For all');
      const seen = outsider.frames.filter((frame) => /^(task|comment)\./.test(frame.type));
      assert.doesNotMatch(JSON.stringify(seen), new RegExp(`Secret|${hidden.recordId}`));
      // The record itself has not changed.
      assert.deepEqual(live.of('record.updated'), []);
    } finally {
      await live.end();
      await outsider.end();
    }
  });
});
