import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { limits } from '../../../contract/limits.ts';
import {
  absentId,
  assertBadRequest,
  assertNotFound,
  assertRefused,
  changeRecord,
  createKanban,
  createRecord,
  eventsOf,
} from '../../../test/support/crm.ts';
import { assertEventBody } from '../../../test/support/event-schema.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('comments', () => {
  let service: TestService;
  let call: TestService['call'];
  let board: Kanban;
  let ana: { id: string; jwt: string };
  let bo: { id: string; jwt: string };
  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    board = await createKanban(service);
    ana = await service.createUser('operator');
    bo = await service.createUser('operator');
  });
  after(() => service.close());

  const say = (recordId: string, body: object, token = ana.jwt) =>
    call('POST', `/crm/records/${recordId}/comments`, { token, body });
  const edit = (id: string, body: object, token = ana.jwt) =>
    call('PATCH', `/comments/${id}`, { token, body });
  const remove = (id: string, token: string) => call('DELETE', `/comments/${id}`, { token });

  it('201 the comment with its author and mentions; events count on the record', async () => {
    const { recordId } = await createRecord(service, board.id);
    const created = await say(recordId, { content: 'Look @bo', mentionedUserIds: [bo.id, bo.id] });
    assert.equal(created.status, 201, created.text);
    const { commentId, createdAt, author, ...rest } = created.body;
    assert.equal(author.id, ana.id);
    assert.deepEqual(rest, {
      recordId,
      kanbanId: board.id,
      content: 'Look @bo',
      mentions: [{ id: bo.id, name: rest.mentions[0].name }],
      updatedAt: createdAt,
      clientId: null,
    });
    const same = await edit(commentId, { content: 'Look @bo' });
    assert.equal(same.body.updatedAt, createdAt);
    const edited = (await edit(commentId, { content: 'Done', mentionedUserIds: [] })).body;
    assert.ok(edited.updatedAt > createdAt);
    assert.deepEqual([edited.content, edited.mentions], ['Done', []]);
    assert.equal((await remove(commentId, ana.jwt)).status, 200);
    const events = (await eventsOf(service, recordId)).slice(1);
    for (const { body } of events) assertEventBody(body);
    assert.deepEqual(
      events.map(({ event, sequence, body }) => [event, sequence, body.data.changedBy]),
      [
        ['comment_created', 2, ana.id],
        ['comment_updated', 3, ana.id],
        ['comment_deleted', 4, ana.id],
      ],
    );
  });

  it('only the author edits; the author and administrators delete', async () => {
    const { recordId } = await createRecord(service, board.id);
    const { commentId } = (await say(recordId, { content: 'Mine' })).body;
    assertRefused(await edit(commentId, { content: 'x' }, bo.jwt), 403, 'FORBIDDEN');
    assertRefused(await edit(commentId, { content: 'x' }, service.admin.jwt), 403, 'FORBIDDEN');
    assertRefused(await remove(commentId, bo.jwt), 403, 'FORBIDDEN');
    assert.equal((await remove(commentId, service.admin.jwt)).status, 200);
    assertNotFound(await remove(commentId, ana.jwt), 'comment not found');
  });

  it('400 names the field; mentioned users must see the board', async () => {
    const closed = await createKanban(service);
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [ana.id] } });
    const { recordId } = await createRecord(service, closed.id);
    assertBadRequest(await say(recordId, { content: ' ' }), 'content is required');
    assertBadRequest(await say(recordId, { content: 'x'.repeat(limits.commentLength + 1) }), /^content /);
    for (const id of [bo.id, absentId, 'nobody']) {
      assertBadRequest(await say(recordId, { content: 'x', mentionedUserIds: [id] }), /^mentionedUserIds /);
    }
    const { commentId } = (await say(recordId, { content: 'x' })).body;
    assertBadRequest(await edit(commentId, {}), /^content or mentionedUserIds/);
    assertNotFound(await say(recordId, { content: 'x' }, bo.jwt), 'record not found');
    assertNotFound(await remove(commentId, bo.jwt), 'comment not found');
    assertNotFound(await call('GET', `/crm/records/${recordId}/comments`, { token: bo.jwt }));
  });

  it('lists newest first in pages, and goes with its record', async () => {
    const { recordId } = await createRecord(service, board.id);
    for (const content of ['one', 'two', 'three']) await say(recordId, { content });
    const read = async (query: string) =>
      (await call('GET', `/crm/records/${recordId}/comments?limit=2${query}`)).body;
    const first = await read('');
    const second = await read(`&nextToken=${first.nextToken}`);
    assert.deepEqual(
      [...first.items, ...second.items].map((one: Json) => one.content),
      ['three', 'two', 'one'],
    );
    assert.equal(second.nextToken, null);
    await call('DELETE', `/crm/records/${recordId}`);
    assertNotFound(await edit(first.items[0].commentId, { content: 'x' }), 'comment not found');
  });

  it('the history of the record has changes, tasks and comments in order, over pages', async () => {
    const { recordId } = await createRecord(service, board.id);
    await say(recordId, { content: 'first' });
    await changeRecord(service, recordId, { title: 'Grace' });
    const task = (await call('POST', `/crm/records/${recordId}/tasks`, { body: { title: 'Call' } })).body;
    await changeRecord(service, recordId, { title: 'Ada' });
    await call('PATCH', `/tasks/${task.taskId}`, { body: { done: true } });
    await say(recordId, { content: 'last' });
    const seen: Json[] = [];
    for (let token = ''; ; ) {
      const { body } = await call('GET', `/crm/records/${recordId}/activity?limit=2${token}`);
      seen.push(...body.items);
      if (body.nextToken === null) break;
      token = `&nextToken=${body.nextToken}`;
    }
    const at = seen.map((one) => one.at);
    assert.deepEqual(
      at,
      [...at].sort((a, b) => b - a),
    );
    assert.equal(new Set(seen.map((one) => one.id)).size, 7);
    assert.deepEqual(seen.map(({ kind, text, newValue }) => `${kind} ${text ?? newValue ?? ''}`).sort(), [
      'changed Ada',
      'changed Grace',
      'comment first',
      'comment last',
      'created ',
      'task_created Call',
      'task_done Call',
    ]);
    assert.equal(seen.find((one) => one.text === 'last').by.id, ana.id);
  });
});
