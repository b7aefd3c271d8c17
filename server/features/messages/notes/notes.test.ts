import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('operators in a conversation', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channel: Json;
  let tokenId: string;
  let token: string;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    channel = await talk.channel();
    const made = await service.createToken(service.admin.jwt, { name: 'Desk' });
    ({ id: tokenId, token } = made);
  });
  after(() => service.close());

  const begin = async (body: object = {}) => {
    const sessionId = unique('desk');
    await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier, ...body });
    return sessionId;
  };
  const say = (sessionId: string, body: object, as = token) =>
    call('POST', `/channels/${channel.id}/sessions/${sessionId}/agent-messages`, { body, token: as });
  const notePath = (sessionId: string, id: string, channelId = channel.id) =>
    `/channels/${channelId}/sessions/${sessionId}/notes/${id}`;
  const noteEvents = async (sessionId: string) =>
    (await talk.events(sessionId)).filter((one) => one.event.startsWith('note_'));

  describe('notes', () => {
    it('names colleagues who may see the board; a list of others replaces them', async () => {
      const sessionId = await begin();
      const ana = await service.createUser('operator');
      const body = { content: 'Look, please', isNote: true, mentionedUserIds: [ana.id, ana.id] };
      const { status, body: note } = await say(sessionId, body);
      assert.equal(status, 201);
      assert.deepEqual(
        note.mentions.map((one: Json) => one.id),
        [ana.id],
      );
      const shown = (await talk.messages(sessionId)).find((one) => one.isNote)!;
      assert.deepEqual(shown.mentions, note.mentions);
      const change = (given: object) =>
        call('PATCH', notePath(sessionId, note.messageId), { token, body: given });
      assert.deepEqual((await change({ content: 'Look again' })).body.mentions, note.mentions);
      assert.equal('mentions' in (await change({ mentionedUserIds: [] })).body, false);
    });

    it('400 for a mention of nobody, or of someone who may not see the board', async () => {
      const closed = await talk.kanban();
      const userIds = [service.admin.userId];
      await talk.expect(200, call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds } }));
      const sessionId = await begin({ kanbanId: closed.id });
      const outsider = await service.createUser('operator');
      for (const id of [outsider.id, tokenId, 'nobody']) {
        const answer = await say(sessionId, { content: 'x', isNote: true, mentionedUserIds: [id] });
        assert.equal(answer.status, 400, id);
        assert.match(answer.body.message ?? answer.body.error.message, /^mentionedUserIds /);
      }
      const fine = { content: 'x', isNote: true, mentionedUserIds: [service.admin.userId] };
      assert.equal((await say(sessionId, fine)).status, 201);
    });

    it('returns the id that the client gave it, as it was sent, also after a change', async () => {
      const sessionId = await begin();
      const clientId = randomUUID().toUpperCase();
      const { body: note } = await say(sessionId, { content: 'Mine', isNote: true, clientId });
      assert.equal(note.clientId, clientId);
      const changed = await call('PATCH', notePath(sessionId, note.messageId), {
        token,
        body: { content: 'Still mine' },
      });
      assert.equal(changed.body.clientId, clientId);
      assert.equal((await talk.messages(sessionId)).at(-1)!.clientId, clientId);
    });

    it('201 with exactly the note, and note_created with its operator', async () => {
      const sessionId = await begin();
      const { status, body } = await say(sessionId, { content: 'VIP', isNote: true });
      assert.equal(status, 201);
      const { messageId, createdAt, updatedAt, ...rest } = body;
      assert.deepEqual(rest, {
        sessionId,
        channelId: channel.id,
        content: 'VIP',
        isNote: true,
        isNoteVisibleToAi: false,
        operator: { id: tokenId, name: 'Desk' },
        clientId: null,
      });
      assert.ok(createdAt > 0 && updatedAt === createdAt);
      const [event] = await noteEvents(sessionId);
      assert.equal(event.event, 'note_created');
      assert.deepEqual(event.data, {
        messageId,
        sessionId,
        channelId: channel.id,
        content: 'VIP',
        isNoteVisibleToAi: false,
        operator: { id: tokenId, name: 'Desk' },
      });
      const stored = (await talk.messages(sessionId)).find((one) => one.id === messageId);
      assert.deepEqual([stored.role, stored.isNote], ['operator', true]);
    });

    it('note_updated only when the content changed', async () => {
      const sessionId = await begin();
      const { messageId } = (await say(sessionId, { content: 'one', isNote: true })).body;
      const change = (body: object) => call('PATCH', notePath(sessionId, messageId), { body });
      const shown = await talk.expect(200, change({ isNoteVisibleToAi: true }));
      assert.deepEqual([shown.content, shown.isNoteVisibleToAi], ['one', true]);
      await talk.expect(200, change({ content: 'one' }));
      const changed = await talk.expect(200, change({ content: 'two' }));
      assert.deepEqual(Object.keys(changed).sort(), Object.keys(shown).sort());
      const events = await noteEvents(sessionId);
      assert.deepEqual(
        events.map((one) => [one.event, one.sequence, one.data.content]),
        [
          ['note_created', 1, 'one'],
          ['note_updated', 2, 'two'],
        ],
      );
    });

    it('a deleted note is gone, and note_deleted says what it was', async () => {
      const sessionId = await begin();
      const { messageId } = (await say(sessionId, { content: 'gone', isNote: true })).body;
      const { messageId: deleted, message } = await talk.expect(
        200,
        call('DELETE', notePath(sessionId, messageId)),
      );
      assert.equal(deleted, messageId);
      assert.equal(typeof message, 'string');
      assert.equal((await call('DELETE', notePath(sessionId, messageId))).status, 404);
      assert.equal((await talk.messages(sessionId)).length, 1);
      assert.equal((await noteEvents(sessionId)).at(-1).data.content, 'gone');
    });

    it('400 without content or without a change; 404 for what is no note, no session, or another channel’s', async () => {
      const sessionId = await begin();
      const other = await talk.channel();
      for (const content of [undefined, '', '  ']) {
        assert.equal((await say(sessionId, { content, isNote: true })).status, 400);
      }
      const { messageId } = (await say(sessionId, { content: 'note', isNote: true })).body;
      assert.equal((await call('PATCH', notePath(sessionId, messageId), { body: {} })).status, 400);
      assert.equal(
        (await call('PATCH', notePath(sessionId, messageId), { body: { content: ' ' } })).status,
        400,
      );
      const [first] = await talk.messages(sessionId);
      const body = { content: 'x' };
      assert.equal((await call('PATCH', notePath(sessionId, first.id), { body })).status, 404, 'no note');
      assert.equal((await call('PATCH', notePath('nothing', messageId), { body })).status, 404);
      assert.equal((await call('PATCH', notePath(sessionId, messageId, other.id), { body })).status, 404);
      assert.equal((await call('DELETE', notePath(sessionId, messageId, other.id))).status, 404);
      assert.equal(
        (await talk.operatorSays(other.id, sessionId, { content: 'x', isNote: true })).status,
        404,
      );
      assert.equal((await talk.operatorSays(other.id, sessionId, { content: 'x' })).status, 404);
    });

    it('notes need notes:write, replies messages:write', async () => {
      const sessionId = await begin();
      const only = async (scope: string) =>
        (await service.createToken(service.admin.jwt, { scopes: [scope] })).token;
      const notes = await only('notes:write');
      const messages = await only('messages:write');
      assert.equal((await say(sessionId, { content: 'x', isNote: true }, notes)).status, 201);
      assert.equal((await say(sessionId, { content: 'x' }, notes)).status, 403);
      assert.equal((await say(sessionId, { content: 'x', isNote: true }, messages)).status, 403);
      assert.equal((await say(sessionId, { content: 'x' }, messages)).status, 201);
    });
  });

  describe('replies', () => {
    it('returns the id that the client gave it; 400 for what is not visible ASCII', async () => {
      const sessionId = await begin();
      const clientId = randomUUID();
      const { body } = await say(sessionId, { content: 'Mine', clientId });
      assert.equal(body.message.clientId, clientId);
      assert.equal((await talk.messages(sessionId)).at(-1)!.clientId, clientId);
      for (const wrong of ['', 'a b', 'ä', 7, {}, [clientId], null, 'x'.repeat(65)]) {
        const answer = await say(sessionId, { content: 'Mine', clientId: wrong });
        assert.equal(answer.status, 400, JSON.stringify(wrong));
        assert.match(answer.body.message, /^clientId /);
      }
    });

    it('201 with the message; it stands in the chat with its operator, and clears unread and needsAttention', async () => {
      const sessionId = await begin();
      await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: { needsAttention: true } }));
      const { status, body } = await say(sessionId, { content: 'Hello from us' });
      assert.equal(status, 201);
      assert.equal(body.sessionId, sessionId);
      assert.deepEqual(Object.keys(body.message).sort(), [
        'attachments',
        'clientId',
        'content',
        'id',
        'role',
        'timestamp',
      ]);
      assert.deepEqual([body.message.role, body.message.attachments], ['operator', []]);
      const stored = (await talk.messages(sessionId)).at(-1);
      assert.deepEqual([stored.id, stored.operator], [body.message.id, { id: tokenId, name: 'Desk' }]);
      const session = await talk.session(sessionId);
      assert.deepEqual([session.unread, session.needsAttention], [0, false]);
      const empty = await say(sessionId, { content: ' ' });
      assert.deepEqual([empty.status, empty.body.message], [400, 'content or attachments required']);
    });
  });

  describe('held replies', () => {
    /** Only a model makes one; here a message is turned into one. */
    const hold = async (sessionId: string, place = 0) => {
      const message = (await talk.messages(sessionId))[place];
      await service.context.db.transaction((tx) =>
        tx.query(sql`update messages set held = true, role = 'assistant' where id = ${message.id}::uuid`),
      );
      await call('PATCH', `/sessions/${sessionId}`, { body: { needsAttention: true } });
      return `/sessions/${sessionId}/messages/${message.id}`;
    };

    it('release sends it once: no longer held, the session no longer marked', async () => {
      const sessionId = await begin();
      const path = await hold(sessionId);
      const released = await talk.expect(200, call('POST', `${path}/release`));
      assert.equal(released.held, false);
      assert.equal((await talk.session(sessionId)).needsAttention, false);
      assert.equal((await call('POST', `${path}/release`)).status, 409);
    });

    it('DELETE drops it; what is not held cannot be dropped', async () => {
      const sessionId = await begin();
      const path = await hold(sessionId);
      await talk.expect(200, call('DELETE', path));
      assert.deepEqual(await talk.messages(sessionId), []);
      assert.equal((await call('DELETE', path)).status, 404);
      await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
      const [message] = await talk.messages(sessionId);
      assert.equal((await call('DELETE', `/sessions/${sessionId}/messages/${message.id}`)).status, 409);
    });

    it('the session needs attention until the last held reply is released or dropped', async () => {
      const sessionId = await begin();
      await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
      await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
      const paths = [await hold(sessionId, 0), await hold(sessionId, 1)];
      const needs = async () => (await talk.session(sessionId)).needsAttention;
      const listed = async () => {
        const query = `/sessions?channelId=${channel.id}&needsAttention=true&limit=100`;
        const { items } = await talk.expect(200, call('GET', query));
        return items.some((one: Json) => one.sessionId === sessionId);
      };
      await talk.expect(201, say(sessionId, { content: 'I look into it' }));
      assert.equal(await needs(), true, 'after a reply');
      await talk.pause(sessionId);
      await talk.pause(sessionId, false);
      assert.equal(await needs(), true, 'after a resume');
      await talk.pause(sessionId, false);
      assert.equal(await needs(), true, 'after a second resume');
      const body = { needsAttention: false, sessionName: 'Ada' };
      const patched = await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body }));
      assert.deepEqual([patched.needsAttention, patched.sessionName], [true, 'Ada'], 'after PATCH');
      await talk.expect(201, say(sessionId, { content: 'I take over', pauseAi: true }));
      assert.deepEqual([await needs(), await listed()], [true, true]);
      await talk.expect(200, call('POST', `${paths[0]}/release`));
      assert.equal(await needs(), true, 'the second one waits');
      await talk.expect(200, call('DELETE', paths[1]!));
      assert.deepEqual([await needs(), await listed()], [false, false]);
    });
  });
});
