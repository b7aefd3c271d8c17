import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { audioTypes, clip } from '../../../../test/support/audio.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { assertEventBody } from '../../../../test/support/event-schema.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('files of notes', () => {
  let service: TestService;
  let talk: Conversations;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let channel: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    files = await filesOf(service);
    channel = await talk.channel({ type: 'chatapp', webhookUrl: 'https://example.com/hook' });
  });
  after(() => service.close());

  const begin = async () => {
    const sessionId = unique('files');
    const way = { fromChannelIdentifier: channel.identifier, channelType: channel.type };
    await talk.accepted({ sessionId, ...way });
    return sessionId;
  };
  const file = (text: string) => files.upload('text/plain', Buffer.from(text), 'contract.txt');
  const note = (sessionId: string, body: object) =>
    talk.operatorSays(channel.id, sessionId, { isNote: true, ...body });

  it('are kept, answered and shown, and never sent outside', async () => {
    const sessionId = await begin();
    const attachments = [await file('The contract'), await file('The appendix')];
    const made = await talk.expect(201, note(sessionId, { content: 'See the contract', attachments }));
    assert.deepEqual(made.attachments, attachments);
    const shown = (await talk.messages(sessionId)).at(-1);
    assert.deepEqual([shown.isNote, shown.attachments], [true, attachments]);
    const path = `/channels/${channel.id}/sessions/${sessionId}/notes/${made.messageId}`;
    const changed = await talk.expect(200, service.call('PATCH', path, { body: { content: '' } }));
    assert.deepEqual(
      [changed.content, changed.attachments],
      ['', attachments],
      'the files are content enough',
    );
    await talk.expect(200, service.call('DELETE', path));
    const events = await talk.events(sessionId);
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.attachments]),
      ['note_created', 'note_updated', 'note_deleted'].map((event) => [event, attachments]),
    );
    for (const event of events) assertEventBody(event);
  });

  it('alone make a note; a note without any answers none', async () => {
    const sessionId = await begin();
    const attachments = [await file('On its own')];
    const made = await talk.expect(201, note(sessionId, { attachments }));
    assert.deepEqual([made.content, made.attachments], ['', attachments]);
    assert.equal('attachments' in (await talk.expect(201, note(sessionId, { content: 'x' }))), false);
    for (const body of [{}, { content: ' ' }, { content: '', attachments: [] }]) {
      const { status, body: answer } = await note(sessionId, body);
      assert.deepEqual([status, answer.message], [400, 'content or attachments required']);
    }
  });

  it('are checked as those of replies are, and nothing is stored when they are refused', async () => {
    const sessionId = await begin();
    const real = await file('Real');
    for (const wrong of [{ size: 3 }, { contentType: 'application/pdf' }, { fileKey: 'nothing' }]) {
      const { status, body } = await note(sessionId, { content: 'x', attachments: [{ ...real, ...wrong }] });
      assert.equal(status, 400);
      assert.match(body.message, /^attachments\[0\]/);
    }
    const other = await service.createAccount();
    const theirs = await files.upload('text/plain', Buffer.from('x'), 'x.txt', { token: other.token });
    assert.equal((await note(sessionId, { content: 'x', attachments: [theirs] })).status, 400);
    assert.equal((await talk.messages(sessionId)).length, 1);
  });

  it('of sound are neither converted nor transcribed', async () => {
    const sessionId = await begin();
    const attachments = [await files.upload(audioTypes.mp3, clip('order.mp3'), 'memo.mp3')];
    await talk.expect(201, note(sessionId, { attachments }));
    assert.equal(
      await talk.count(sql`jobs where kind like 'voice-%' and payload->>'sessionId' = ${sessionId}`),
      0,
    );
  });
});
