import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { connectLive, type LiveClient, listen } from '../../../test/support/live.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('live events', () => {
  let service: TestService;
  let talk: Conversations;
  let url: string;
  let client: LiveClient;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    url = await listen(service.app);
    client = await connectLive(url, service.call, service.admin.jwt);
  });
  after(async () => {
    await client?.end();
    await service?.close();
  });

  const started = async (body: object = {}) => {
    const sessionId = unique('session');
    await talk.accepted({ sessionId, ...body });
    return sessionId;
  };

  it('a new conversation: session, record and message, as the API shows them', async () => {
    const sessionId = await started();
    const { session } = await client.next('session.created', (data) => data.session.sessionId === sessionId);
    assert.deepEqual(session, await talk.session(sessionId));
    const created = await client.next('message.created', (data) => data.sessionId === sessionId);
    assert.deepEqual([created.message], await talk.messages(sessionId));
    assert.equal(created.session.unread, 1);
    assert.equal(created.position, 1);
    const { record } = await client.next(
      'record.created',
      (data) => data.record.recordId === session.recordId,
    );
    const answer = await service.call('GET', `/crm/records/${session.recordId}`);
    assert.deepEqual(record, answer.body);
  });

  it('a pause, a name and reading, each as session.updated', async () => {
    const sessionId = await started();
    await talk.pause(sessionId);
    const is = (check: (session: Json) => boolean) => (data: Json) =>
      data.session.sessionId === sessionId && check(data.session);
    await client.next(
      'session.updated',
      is((session) => session.aiPaused),
    );
    const path = `/sessions/${sessionId}`;
    await service.call('PATCH', path, { body: { sessionName: 'Ada', unread: 0, needsAttention: true } });
    const { session } = await client.next(
      'session.updated',
      is((one) => one.sessionName === 'Ada'),
    );
    assert.equal(session.unread, 0);
    assert.equal(session.needsAttention, true);
  });

  it('status and reactions of a message, each as message.updated', async () => {
    const sessionId = await started();
    const { id } = (await talk.messages(sessionId))[0];
    const path = `/sessions/${sessionId}/messages`;
    const providerMsgId = unique('provider');
    const put = async (method: string, end: string, body: object) => {
      const answer = await service.call(method, `${path}/${end}`, { body });
      assert.equal(answer.status, 200, answer.text);
    };
    const mine = (check: (message: Json) => boolean) => (data: Json) =>
      data.message.id === id && check(data.message);
    await put('POST', `${id}/link`, { providerMsgId, setStatusToSent: true });
    await client.next(
      'message.updated',
      mine((message) => message.status === 'sent'),
    );
    await put('POST', 'status', { providerMsgId, status: 'read' });
    await client.next(
      'message.updated',
      mine((message) => message.status === 'read'),
    );
    await put('POST', 'reactions', { providerMsgId, action: 'add', emoji: '👍' });
    await client.next(
      'message.updated',
      mine((message) => message.reactions[0] === '👍'),
    );
  });

  it('notes: created, updated, deleted', async () => {
    const sessionId = await started();
    const { channelId } = await talk.session(sessionId);
    const clientId = randomUUID();
    const note = await talk.operatorSays(channelId, sessionId, { content: 'a note', isNote: true, clientId });
    assert.equal(note.status, 201, note.text);
    const { messageId } = note.body;
    const mine = (data: Json) => data.message?.id === messageId || data.messageId === messageId;
    const created = await client.next('message.created', mine);
    assert.deepEqual([created.message.isNote, created.message.clientId], [true, clientId]);
    const path = `/channels/${channelId}/sessions/${sessionId}/notes/${messageId}`;
    const edited = await service.call('PATCH', path, { body: { content: 'edited' } });
    assert.equal(edited.status, 200, edited.text);
    const updated = await client.next('message.updated', mine);
    assert.equal(updated.message.content, 'edited');
    await service.call('DELETE', path);
    const deleted = await client.next('message.deleted', mine);
    assert.deepEqual(deleted, { sessionId, messageId });
  });

  it('records, tasks and comments: with the id that the client gave them', async () => {
    const create = async (path: string, body: object) => (await service.call('POST', path, { body })).body;
    const [ofRecord, ofTask, ofComment] = [randomUUID(), randomUUID(), randomUUID()];
    const record = await create('/crm/records', { title: 'Card', clientId: ofRecord });
    const path = `/crm/records/${record.recordId}`;
    const task = await create(`${path}/tasks`, { title: 'Call', clientId: ofTask });
    const comment = await create(`${path}/comments`, { content: 'Hi', clientId: ofComment });
    assert.deepEqual([record.clientId, task.clientId, comment.clientId], [ofRecord, ofTask, ofComment]);
    const heardRecord = await client.next('record.created', (data) => data.record.clientId === ofRecord);
    assert.deepEqual(heardRecord.record, record);
    const heardTask = await client.next('task.created', (data) => data.task.clientId === ofTask);
    assert.deepEqual(heardTask.task, task);
    const heardComment = await client.next('comment.created', (data) => data.comment.clientId === ofComment);
    assert.deepEqual(heardComment.comment, comment);
  });

  it('records: updated and deleted', async () => {
    const { body: record } = await service.call('POST', '/crm/records', { body: { title: 'Card' } });
    await service.call('PUT', `/crm/records/${record.recordId}`, { body: { title: 'Moved' } });
    const mine = (data: Json) => (data.record ?? data).recordId === record.recordId;
    const updated = await client.next('record.updated', mine);
    assert.equal(updated.record.title, 'Moved');
    await service.call('DELETE', `/crm/records/${record.recordId}`);
    const deleted = await client.next('record.deleted', mine);
    assert.deepEqual(deleted, { recordId: record.recordId, kanbanId: record.kanbanId });
  });

  it('a new board as definitions.updated', async () => {
    const before = client.of('definitions.updated').length;
    await talk.kanban();
    await client.next('definitions.updated', ({ version }) => version > before);
    assert.ok(client.of('definitions.updated').length > before);
  });

  it('what a dry run rolls back is not sent', async () => {
    const body = { title: unique('Never') };
    const answer = await service.call('POST', '/crm/records', { body, headers: { 'x-dry-run': 'events' } });
    assert.equal(answer.status, 200);
    const { body: real } = await service.call('POST', '/crm/records', { body: { title: unique('Real') } });
    await client.next('record.created', ({ record }) => record.recordId === real.recordId);
    assert.ok(!client.of('record.created').some(({ data }) => data.record.title === body.title));
  });

  it('an administrator is told every number, each after the one before', () => {
    assert.equal(client.gaps, 0);
    const numbers = client.frames.filter((frame) => 'prev' in frame).map((frame) => frame.seq);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => numbers[0] + index),
    );
    assert.ok(numbers.length > 15);
  });

  it('another account receives nothing of it', async () => {
    const other = await service.createAccount();
    const stranger = await connectLive(url, service.call, other.jwt);
    try {
      const sessionId = await started();
      await client.next('message.created', ({ session }) => session.sessionId === sessionId);
      const own = await service.call('POST', '/crm/records', {
        token: other.token,
        body: { title: 'Theirs' },
      });
      await stranger.next('record.created', ({ record }) => record.recordId === own.body.recordId);
      assert.deepEqual(
        stranger.frames.filter((frame) => 'prev' in frame).map((frame) => frame.type),
        ['record.created'],
      );
    } finally {
      await stranger.end();
    }
  });
});
