import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('a reply that takes over', () => {
  let service: TestService;
  let talk: Conversations;
  let channel: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    channel = await talk.channel({ webhookUrl: 'https://example.com/hook' });
  });
  after(() => service.close());

  const begin = async () => {
    const sessionId = unique('taken');
    const externalUserId = unique('+4420794611');
    await talk.accepted({ sessionId, externalUserId, fromChannelIdentifier: channel.identifier });
    return { sessionId, externalUserId };
  };
  const say = (sessionId: string, body: object) => talk.operatorSays(channel.id, sessionId, body);

  it('pauseAi pauses with the reply: one ai_pause, no pending reply left, the report knows', async () => {
    const { sessionId } = await begin();
    const answer = await talk.expect(201, say(sessionId, { content: 'I take over', pauseAi: true }));
    assert.deepEqual(Object.keys(answer).sort(), ['message', 'sessionId']);
    assert.equal((await talk.session(sessionId)).aiPaused, true);
    assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 0);
    const [log] = await talk.replyLog(sessionId);
    assert.deepEqual([log.outcome, log.reason], ['suppressed', 'AI paused']);
    const events = await talk.events(sessionId);
    const [pause, sent] = events;
    assert.deepEqual(
      events.map(({ event, sequence }) => [event, sequence]),
      [
        ['ai_pause', 1],
        ['message_created', 2],
      ],
    );
    const { changedBy } = pause.data;
    assert.deepEqual(pause.data, { sessionId, channelId: channel.id, aiPaused: true, changedBy });
    assert.equal(sent.data.message.content, 'I take over');
    assert.equal(
      await talk.count(sql`ai_pauses where session_id = ${sessionId} and paused and not by_agent`),
      1,
    );
    await talk.accepted({ sessionId, fromChannelIdentifier: channel.identifier });
    assert.equal(
      await talk.count(sql`pending_replies where session_id = ${sessionId}`),
      0,
      'the AI is silent',
    );
  });

  it('without pauseAi, or with false, the AI stays on', async () => {
    for (const pauseAi of [undefined, false]) {
      const { sessionId } = await begin();
      await talk.expect(201, say(sessionId, { content: 'Just a word', pauseAi }));
      assert.equal((await talk.session(sessionId)).aiPaused, false);
      assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 1);
    }
  });

  it('where the AI is paused already nothing is emitted for it', async () => {
    const { sessionId } = await begin();
    await talk.pause(sessionId);
    await talk.expect(201, say(sessionId, { content: 'one', pauseAi: true }));
    await talk.expect(201, say(sessionId, { content: 'two', pauseAi: true }));
    const names = (await talk.events(sessionId)).map(({ event }) => event);
    assert.deepEqual(names, ['ai_pause', 'message_created', 'message_created']);
  });

  it('a reply that is refused pauses nothing; a note with pauseAi is a 400 that names it', async () => {
    const { sessionId, externalUserId } = await begin();
    const note = await say(sessionId, { content: 'x', isNote: true, pauseAi: true });
    assert.equal(note.status, 400);
    assert.match(note.body.message, /^pauseAi /);
    await talk.expect(201, say(sessionId, { content: 'x', isNote: true, pauseAi: false }));
    assert.equal((await say(sessionId, { content: ' ', pauseAi: true })).status, 400);
    const wrong = await say(sessionId, { content: 'x', pauseAi: 'yes' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.message, /^pauseAi /);
    const path = `/blocked-contacts/${encodeURIComponent(externalUserId)}`;
    await talk.expect(201, service.call('POST', path));
    assert.equal((await say(sessionId, { content: 'x', pauseAi: true })).status, 403);
    assert.equal((await talk.session(sessionId)).aiPaused, false);
    assert.ok(!(await talk.events(sessionId)).some(({ event }) => event === 'ai_pause'));
  });
});
