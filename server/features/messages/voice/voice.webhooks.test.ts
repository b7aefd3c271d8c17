/** What a channel's webhook receives about audio on a chat-app channel: message_created waits for the conversion. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { audioTypes, clip } from '../../../../test/support/audio.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { assertEventBody } from '../../../../test/support/event-schema.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { createFfmpegGate } from '../../../../test/support/ffmpeg-gate.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { type Inbox, loopbackAllowed, startInbox } from '../../../../test/support/webhooks.ts';
import { readOggOpus } from '../../../platform/audio/ogg-opus.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';

const gate = createFfmpegGate();

describe('message webhooks of voice messages', { skip: gate ? false : 'needs ffmpeg' }, () => {
  let service: TestService;
  let talk: Conversations;
  let files: Awaited<ReturnType<typeof filesOf>>;
  const inboxes: Inbox[] = [];

  before(async () => {
    service = await startTestService({ worker: true, env: { ...loopbackAllowed, PATH: gate!.folder } });
    talk = conversationsOf(service);
    files = await filesOf(service);
  });
  afterEach(() => {
    gate!.open();
    gate!.breakDown(false);
  });
  after(async () => {
    await service.close();
    await Promise.all(inboxes.map((inbox) => inbox.close()));
    gate!.remove();
  });

  const voice = () => files.upload(audioTypes.mp3, clip('order.mp3'), 'voice.mp3');
  async function connected(settings: object = {}) {
    const inbox = await startInbox();
    inboxes.push(inbox);
    const channel = await talk.channel({
      type: 'chatapp',
      webhookUrl: inbox.url(),
      forwardIncoming: true,
      settings: { transcribe: 'off' },
      ...settings,
    });
    const sessionId = unique('voice');
    const send = (body: object) =>
      talk.accepted({
        fromChannelIdentifier: channel.identifier,
        channelType: channel.type,
        sessionId,
        content: '',
        ...body,
      });
    return { inbox, channel, sessionId, send };
  }
  /** Of this message: the newest one may already be that of the reply to it. */
  const delivery = async (channelId: string, messageId: string): Promise<Json> => {
    const { items } = await talk.expect(200, service.call('GET', `/webhooks/${channelId}/deliveries`));
    for (const one of items) {
      const { body } = await talk.expect(200, service.call('GET', `/events/${one.eventId}`));
      if (body.data.message.id === messageId) return one;
    }
    throw new Error(`no delivery of the message ${messageId}`);
  };
  const secondsUntilSent = async (sessionId: string) => {
    const [row] = await service.context.db.query<{ seconds: number }>(sql`
      select extract(epoch from next_attempt_at - now())::int as seconds from webhook_deliveries
      where order_key = ${sessionId} and status = 'pending' order by sequence limit 1`);
    return row!.seconds;
  };
  /** Simulates that the 30 seconds are over. */
  const waitIsOver = (sessionId: string) =>
    service.context.db.transaction((tx) =>
      tx.query(sql`update webhook_deliveries set next_attempt_at = now() where order_key = ${sessionId}`),
    );
  const assertConverted = async (attachment: Json) => {
    const { fileKey, contentType, size, downloadUrl, ...rest } = attachment.converted;
    assert.deepEqual(rest, {});
    assert.equal(contentType, 'audio/ogg; codecs=opus');
    const { status, bytes, headers } = await files.fetchFile(downloadUrl);
    assert.deepEqual([status, bytes.length, headers['content-type']], [200, size, contentType]);
    assert.ok(readOggOpus(bytes));
    await talk.expect(200, service.call('GET', `/attachments/${fileKey}`));
  };

  it('message_created waits for the conversion, and later messages keep their order behind it', async () => {
    const { inbox, channel, sessionId, send } = await connected();
    gate!.close();
    await send({ attachments: [await voice()] });
    await talk.replied(sessionId, 1);
    await send({ content: 'A second message' });
    await talk.replied(sessionId, 2);
    const answered = await talk.operatorSays(channel.id, sessionId, { content: 'A colleague here' });
    assert.equal(answered.status, 201);
    const shown = await talk.messages(sessionId);
    assert.equal(shown.length, 5, 'the chat shows them at once');
    assert.equal(shown[0].attachments[0].converted, undefined);
    const seconds = await secondsUntilSent(sessionId);
    assert.ok(seconds > 20 && seconds <= 30, `${seconds} s`);
    assert.deepEqual(inbox.received, []);
    gate!.open();
    const received = await inbox.first(5);
    assert.deepEqual(
      received.map(({ body }) => [body.event, body.direction, body.sequence, body.data.message.id]),
      ['incoming', 'outgoing', 'incoming', 'outgoing', 'outgoing'].map((direction, n) => [
        'message_created',
        direction,
        n + 1,
        shown[n].id,
      ]),
    );
    const [first] = received;
    assertEventBody(first!.body);
    await assertConverted(first!.body.data.message.attachments[0]);
    assert.deepEqual(
      (await talk.expect(200, service.call('GET', `/events/${first!.body.id}`))).body,
      first!.body,
    );
    assert.equal(inbox.received.length, 5, 'nothing else is sent');
  });

  it('an operator’s voice message is sent with its conversion too', async () => {
    const { inbox, channel, sessionId, send } = await connected({ forwardIncoming: false });
    await send({ content: 'Hello' });
    await inbox.first(1);
    const body = { attachments: [await voice()] };
    assert.equal((await talk.operatorSays(channel.id, sessionId, body)).status, 201);
    const [, sent] = await inbox.first(2);
    assert.deepEqual([sent!.body.event, sent!.body.direction], ['message_created', 'outgoing']);
    await assertConverted(sent!.body.data.message.attachments[0]);
  });

  it('after 30 seconds it goes out without; the conversion follows as message_converted, once', async () => {
    const { inbox, sessionId, send } = await connected();
    gate!.close();
    const { userMessage } = await send({ externalUserId: '+5511966665555', attachments: [await voice()] });
    await waitIsOver(sessionId);
    const [created] = await inbox.first(1);
    assert.equal(created!.body.event, 'message_created');
    assert.equal(created!.body.data.message.attachments[0].converted, undefined);
    await talk.replied(sessionId);
    gate!.open();
    await eventually(() => inbox.received.some(({ body }) => body.event === 'message_converted'));
    const [converted, ...more] = inbox.received.filter(({ body }) => body.event === 'message_converted');
    assert.deepEqual(more, []);
    assertEventBody(converted!.body);
    const { id: _id, event: _event, timestamp: _at, sequence, data, ...top } = converted!.body;
    const { id: _i, event: _e, timestamp: _t, sequence: earlier, data: first, ...topBefore } = created!.body;
    assert.deepEqual(top, topBefore);
    assert.deepEqual([earlier, sequence], [1, 3]);
    assert.equal(data.message.id, userMessage.id);
    assert.deepEqual({ ...data, message: null }, { ...first, message: null });
    await assertConverted(data.message.attachments[0]);
  });

  it('audio that cannot be converted is sent as it is, without waiting for the 30 seconds', async () => {
    const { inbox, send } = await connected();
    gate!.breakDown(true);
    await send({ attachments: [await voice()] });
    const [created] = await inbox.first(1, 15_000);
    assertEventBody(created!.body);
    assert.equal(created!.body.data.message.attachments[0].converted, undefined);
  });

  it('while the webhook is disabled the conversion still reaches the event that is held', async () => {
    const { inbox, channel, sessionId, send } = await connected();
    inbox.answer = (_received, response) => response.writeHead(410).end();
    const { userMessage: greeting } = await send({ content: 'Hello' });
    await eventually(async () => (await delivery(channel.id, greeting.id)).status === 'held');
    inbox.answer = (_received, response) => response.end();
    gate!.close();
    const { userMessage } = await send({ attachments: [await voice()] });
    assert.equal((await delivery(channel.id, userMessage.id)).status, 'held');
    gate!.open();
    const stored = async () => (await talk.messages(sessionId)).find(({ id }) => id === userMessage.id);
    await eventually(async () => (await stored()).attachments[0].converted);
    const path = `/channels/${channel.id}`;
    await talk.expect(200, service.call('PATCH', path, { body: { webhookUrl: inbox.url('/again') } }));
    const range = { from: userMessage.timestamp - 1, to: userMessage.timestamp + 1 };
    await talk.expect(202, service.call('POST', `/webhooks/${channel.id}/replay`, { body: range }));
    const again = () => inbox.received.find(({ body }) => body.data.message.id === userMessage.id);
    await eventually(() => again() !== undefined);
    await assertConverted(again()!.body.data.message.attachments[0]);
  });

  it('a redelivery that is asked for earlier sends it as it is, and message_converted follows', async () => {
    const { inbox, channel, sessionId, send } = await connected();
    gate!.close();
    const { userMessage } = await send({ attachments: [await voice()] });
    await talk.replied(sessionId);
    const { id } = await delivery(channel.id, userMessage.id);
    await talk.expect(202, service.call('POST', `/webhook-deliveries/${id}/redeliver`));
    const [created] = await inbox.first(1);
    assert.equal(created!.body.data.message.attachments[0].converted, undefined);
    gate!.open();
    await eventually(() => inbox.received.some(({ body }) => body.event === 'message_converted'));
  });

  it('without a webhook the audio is converted and nothing is emitted', async () => {
    const { sessionId, send } = await connected({ webhookUrl: null });
    await send({ attachments: [await voice()] });
    await eventually(async () => (await talk.messages(sessionId))[0].attachments[0].converted);
    assert.deepEqual(await talk.events(sessionId), []);
  });

  it('a held reply with audio is sent with the conversion when it is released', async () => {
    const { inbox, sessionId, send } = await connected({ forwardIncoming: false });
    await send({ content: 'Hello' });
    await inbox.first(1);
    const [id, file] = [newId(), await voice()];
    const { accountId } = service.admin;
    await service.context.db.transaction((tx) =>
      tx.query(sql`
        with place as (
          update sessions set message_count = message_count + 1 where account_id = ${accountId}
            and session_id = ${sessionId} returning message_count)
        insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at, held,
          attachments)
        select ${accountId}, ${sessionId}, message_count, ${id}, 'assistant', 'Listen', 1, 1, true,
          ${JSON.stringify([file])}::jsonb from place`),
    );
    await talk.expect(200, service.call('POST', `/sessions/${sessionId}/messages/${id}/release`));
    const [, released] = await inbox.first(2);
    assert.equal(released!.body.data.message.id, id);
    await assertConverted(released!.body.data.message.attachments[0]);
  });
});
