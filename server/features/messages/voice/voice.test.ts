/** Voice messages through the whole service: real files, real conversion, a server that speaks the OpenAI protocol. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { audioTypes, clip } from '../../../../test/support/audio.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { assertEventBody } from '../../../../test/support/event-schema.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { type ModelServer, startOpenAiServer } from '../../../../test/support/model-servers.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import {
  startTranscriptionServer,
  type TranscriptionServer,
} from '../../../../test/support/transcription-server.ts';
import { type Inbox, loopbackAllowed, startInbox } from '../../../../test/support/webhooks.ts';
import { readOggOpus } from '../../../platform/audio/ogg-opus.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('voice messages', () => {
  let service: TestService;
  let talk: Conversations;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let ears: TranscriptionServer;
  let model: ModelServer;
  const inboxes: Inbox[] = [];

  before(async () => {
    ears = await startTranscriptionServer();
    model = await startOpenAiServer();
    service = await startTestService({
      worker: true,
      env: { ...loopbackAllowed, TRANSCRIBE_URL: ears.url, PATH: process.env.PATH ?? '' },
    });
    talk = conversationsOf(service);
    files = await filesOf(service);
  });
  afterEach(() => {
    ears.answer = () => ({});
    ears.requests.length = 0;
  });
  after(async () => {
    await service.close();
    await Promise.all([ears.close(), model.close(), ...inboxes.map((inbox) => inbox.close())]);
  });

  const voice = (format: keyof typeof audioTypes = 'opus') =>
    files.upload(audioTypes[format], clip(`order.${format}`), `voice.${format}`);
  async function connected(settings: object = {}) {
    const inbox = await startInbox();
    inboxes.push(inbox);
    const agent = await talk.agent({ provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl });
    const channel = await talk.channel({
      defaultAgentId: agent.id,
      webhookUrl: inbox.url(),
      forwardIncoming: true,
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
    return { inbox, channel, agent, sessionId, send };
  }
  const attachmentsOf = async (sessionId: string): Promise<Json[]> =>
    (await talk.messages(sessionId)).find(({ role }) => role === 'user').attachments;
  const eventsOf = (inbox: Inbox, event: string) => inbox.received.filter(({ body }) => body.event === event);

  it('on a chat-app channel every format gets a copy in Ogg Opus, and the original stays', async () => {
    const formats = Object.keys(audioTypes) as (keyof typeof audioTypes)[];
    const ofEveryFormat = await Promise.all(formats.map(voice));
    for (const type of ['chatapp', 'chatapp_byot', 'chatapp_no']) {
      const { sessionId, send } = await connected({ type, settings: { transcribe: 'off' } });
      const refs = type === 'chatapp' ? ofEveryFormat : ofEveryFormat.slice(0, 1);
      await send({ attachments: refs });
      await eventually(
        async () => (await attachmentsOf(sessionId)).every(({ converted }) => converted),
        30_000,
      );
      await eventually(async () => (await talk.replies(sessionId)).length === 1);
      for (const [place, attachment] of (await attachmentsOf(sessionId)).entries()) {
        const { converted, ...rest } = attachment;
        assert.deepEqual(rest, refs[place]!);
        assert.equal(converted.contentType, 'audio/ogg; codecs=opus');
        const answer = await talk.expect(200, service.call('GET', `/attachments/${converted.fileKey}`));
        assert.equal(answer.size, converted.size);
        const { bytes } = await files.fetchFile(answer.downloadUrl);
        assert.equal(readOggOpus(bytes)?.channels, 1);
        await talk.expect(200, service.call('GET', `/attachments/${rest.fileKey}`));
      }
    }
  });

  it('an operator’s voice message is converted too; other channels convert nothing', async () => {
    const { channel, sessionId, send } = await connected({
      type: 'chatapp',
      settings: { transcribe: 'off' },
    });
    await send({ content: 'Hello' });
    await eventually(async () => (await talk.replies(sessionId)).length === 1);
    const path = `/channels/${channel.id}/sessions/${sessionId}/agent-messages`;
    await talk.expect(201, service.call('POST', path, { body: { attachments: [await voice('wav')] } }));
    const operators = async () => (await talk.messages(sessionId)).find(({ role }) => role === 'operator');
    await eventually(async () => (await operators()).attachments[0].converted);
    const plain = await connected({ type: 'web' });
    await plain.send({ attachments: [await voice()] });
    await eventually(async () => (await attachmentsOf(plain.sessionId))[0].transcript);
    assert.equal((await attachmentsOf(plain.sessionId))[0].converted, undefined);
    await eventually(async () => (await talk.replies(plain.sessionId)).length === 1);
  });

  it('the reply waits for the transcript, which reaches the AI as the customer’s words', async () => {
    const { promise: listened, resolve: hear } = Promise.withResolvers<void>();
    ears.answer = () => ({ after: listened });
    const { inbox, sessionId, send } = await connected();
    const before = model.requests.length;
    await send({ attachments: [await voice()] });
    await send({ content: 'And a second question' });
    await eventually(() => ears.requests.length === 1);
    await eventually(() => eventsOf(inbox, 'message_created').length === 2);
    assert.equal(model.requests.length, before, 'no reply while it is being listened to');
    hear();
    await eventually(async () => (await talk.replies(sessionId)).length === 2);
    const [first] = model.requests.slice(before);
    assert.deepEqual(first!.body.messages.at(-1), { role: 'user', content: 'Where is my order?' });
    const transcript = { text: 'Where is my order?', language: 'en', engine: 'whisper-1' };
    assert.deepEqual((await attachmentsOf(sessionId))[0].transcript, transcript);
  });

  it('the reply does not wait for ever: after five minutes it is made without the transcript', async () => {
    const { promise: listened, resolve: hear } = Promise.withResolvers<void>();
    ears.answer = () => ({ after: listened });
    const { db } = service.context;
    const before = model.requests.length;
    const { sessionId, send } = await connected();
    await send({ attachments: [await voice()] });
    const [waiting] = await db.query<{ seconds: number }>(sql`
      select extract(epoch from not_before - now())::int as seconds from pending_replies
      where session_id = ${sessionId}`);
    assert.ok(waiting!.seconds > 280 && waiting!.seconds <= 300, `${waiting!.seconds} s`);
    // Five minutes later.
    await db.transaction(async (tx) => {
      await tx.query(sql`update pending_replies set not_before = now() where session_id = ${sessionId}`);
      await tx.query(
        sql`update jobs set run_at = now() where kind = 'ai-reply' and dedupe_key = ${sessionId}`,
      );
    });
    await eventually(async () => (await talk.replies(sessionId)).length === 1);
    const told = model.requests[before]!.body.messages.at(-1);
    assert.deepEqual(told, { role: 'user', content: '[voice message without a transcript]' });
    hear();
    await eventually(async () => (await attachmentsOf(sessionId))[0].transcript);
    assert.equal((await talk.replies(sessionId)).length, 1, 'the transcript asks for no second one');
  });

  it('message_transcribed follows message_created once, with the same top level', async () => {
    const { inbox, sessionId, send } = await connected();
    const { userMessage } = await send({ externalUserId: '+5511977776666', attachments: [await voice()] });
    await eventually(() => eventsOf(inbox, 'message_transcribed').length > 0);
    await eventually(async () => (await talk.replies(sessionId)).length === 1);
    const [created] = eventsOf(inbox, 'message_created');
    const [transcribed, ...more] = eventsOf(inbox, 'message_transcribed');
    assert.deepEqual(more, []);
    assertEventBody(transcribed!.body);
    const { id: _id, event: _event, timestamp: _at, sequence, data, ...top } = transcribed!.body;
    const { id: _i, event: _e, timestamp: _t, sequence: earlier, data: first, ...topBefore } = created!.body;
    assert.deepEqual(top, topBefore);
    assert.deepEqual([earlier, sequence], [1, 2]);
    assert.equal(data.message.id, userMessage.id);
    assert.equal(first.message.attachments[0].transcript, undefined);
    assert.equal(data.message.attachments[0].transcript.text, 'Where is my order?');
    assert.deepEqual({ ...data, message: null }, { ...first, message: null });
  });

  it('the channel’s setting: opus and ogg by default, all, or off', async () => {
    for (const [settings, expected] of [
      [{}, ['opus', 'ogg']],
      [{ transcribe: 'opus' }, ['opus', 'ogg']],
      [{ transcribe: 'all' }, ['opus', 'ogg', 'mp3']],
      [{ transcribe: 'off' }, []],
    ] as const) {
      const { sessionId, send } = await connected({ settings });
      const attachments = await Promise.all((['opus', 'ogg', 'mp3'] as const).map(voice));
      await send({ attachments });
      await eventually(async () => (await talk.replies(sessionId)).length === 1);
      const heard = (await attachmentsOf(sessionId)).filter(({ transcript }) => transcript);
      assert.deepEqual(
        heard.map(({ fileName }) => fileName.split('.')[1]),
        [...expected],
      );
    }
  });

  it('a failure is stored on the message as an error, and the conversation continues', async () => {
    ears.answer = () => ({ status: 400 });
    const before = model.requests.length;
    const { inbox, sessionId, send } = await connected();
    await send({ content: 'Please listen:', attachments: [await voice()] });
    await eventually(async () => (await talk.replies(sessionId)).length === 1);
    const [{ transcript }] = await attachmentsOf(sessionId);
    assert.deepEqual(Object.keys(transcript), ['error']);
    const told = model.requests[before]!.body.messages.at(-1);
    assert.deepEqual(told, { role: 'user', content: 'Please listen:\n[voice message without a transcript]' });
    await eventually(() => eventsOf(inbox, 'message_transcribed').length === 1);
  });

  it('trouble that passes is waited out', async () => {
    let calls = 0;
    ears.answer = () => (++calls < 3 ? { status: 503 } : {});
    const { sessionId, send } = await connected();
    await send({ attachments: [await voice()] });
    await eventually(async () => (await attachmentsOf(sessionId))[0].transcript?.text, 20_000);
    assert.equal(calls, 3);
  });

  it('a file that was worked on before is not worked on again', async () => {
    const { sessionId, send } = await connected({ type: 'chatapp' });
    const ref = await voice('opus');
    await send({ attachments: [ref] });
    const isDone = ({ converted, transcript }: Json) => converted && transcript;
    await eventually(async () => isDone((await attachmentsOf(sessionId))[0]));
    const again = await connected({ type: 'chatapp' });
    await again.send({ attachments: [ref, ref] });
    await eventually(async () => (await attachmentsOf(again.sessionId)).every(isDone));
    const [first, second] = await attachmentsOf(again.sessionId);
    assert.deepEqual(first, second);
    assert.deepEqual(first, (await attachmentsOf(sessionId))[0]);
    assert.equal(ears.requests.length, 1);
  });
});
