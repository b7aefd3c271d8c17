/**
 * kill -9 of the service while voice messages are converted: after the restart every message has its converted file and
 * its transcript once, nothing half-made can be fetched, and the webhook hears of each message, conversion and transcript
 * once.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOggOpus } from '../../server/platform/audio/ogg-opus.ts';
import { clip } from '../support/audio.ts';
import { send } from '../support/files.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../support/transcription-server.ts';
import { type Inbox, startInbox } from '../support/webhooks.ts';
import { eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 20 : 1;
const messages = kills * 4;
const password = 'correct horse battery';

describe('voice messages under kills', () => {
  let workshop: Workshop;
  let program: Program;
  let ears: TranscriptionServer;
  let inbox: Inbox;
  let auth: { authorization: string };
  const start = () =>
    workshop.start({
      SECRET_KEY: 'a key for tests that is long enough',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      TRANSCRIBE_URL: ears.url,
    });

  before(async () => {
    workshop = openWorkshop();
    ears = await startTranscriptionServer();
    inbox = await startInbox();
    program = await start();
    const login = await program.call('POST', '/auth/login', { email: 'admin@example.com', password });
    const jwt = { authorization: `Bearer ${login.body.token}` };
    const scopes = ['messages:read', 'messages:write', 'manage'];
    const made = await program.call('POST', '/api-tokens', { name: 'faults', scopes }, jwt);
    auth = { authorization: `Bearer ${made.body.token}` };
    const agents = await program.call('GET', '/agents', undefined, auth);
    const channel = {
      name: 'voice',
      identifier: 'voice',
      type: 'chatapp',
      defaultAgentId: agents.body.items[0].id,
      webhookUrl: inbox.url(),
      forwardIncoming: true,
      settings: { transcribe: 'all' },
    };
    const created = await program.call('POST', '/channels', channel, auth);
    assert.equal(created.status, 201, JSON.stringify(created.body));
  });
  after(async () => {
    await program?.stop();
    await workshop.close();
    await inbox.close();
    await ears.close();
  });

  /** The program's port changes with every start; the address's path and signature do not. */
  const here = (url: string) => program.baseUrl + url.slice(new URL(url).origin.length);

  async function sendVoice(sessionId: string): Promise<void> {
    const bytes = clip('order.mp3');
    const file = { fileName: 'voice.mp3', contentType: 'audio/mpeg', size: bytes.length };
    const { body } = await program.call('POST', '/messages/upload', file, auth);
    const stored = await send(here(body.uploadUrl), {
      method: 'PUT',
      headers: { 'content-type': file.contentType },
      body: bytes,
    });
    assert.equal(stored.status, 200, stored.bytes.toString());
    const attachments = [{ ...file, fileKey: body.fileKey }];
    const message = {
      content: '',
      fromChannelIdentifier: 'voice',
      channelType: 'chatapp',
      sessionId,
      attachments,
    };
    const accepted = await program.call('POST', '/messages', message, auth);
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
  }

  /** One message_created, the same bytes each time, with the conversion; or without it and message_converted after it. */
  function assertConversionReached(id: string): void {
    const about = (event: string) =>
      inbox.received.filter(({ body }) => body.event === event && body.data.message.id === id);
    const created = about('message_created');
    assert.equal(new Set(created.map(({ text }) => text)).size, 1, 'one message_created, never changed');
    const later = about('message_converted');
    assert.ok(new Set(later.map(({ text }) => text)).size <= 1);
    const [carrier] = created[0]!.body.data.message.attachments[0].converted ? created : later;
    assert.ok(carrier, 'the receiver got the converted file');
    assert.ok(carrier.body.data.message.attachments[0].converted.downloadUrl);
    const first = inbox.received.find(({ body }) => body.sessionId === created[0]!.body.sessionId);
    assert.equal(first, created[0], 'nothing of the conversation came before it');
  }

  it(`${kills} kills: each message is converted, transcribed and told of once`, async () => {
    const sessions = Array.from({ length: messages }, (_, n) => `voice-${n}`);
    const perKill = messages / kills;
    for (let round = 0; round < kills; round++) {
      await Promise.all(sessions.slice(round * perKill, (round + 1) * perKill).map(sendVoice));
      await sleep(workshop.random() * 600);
      await program.kill();
      program = await start();
    }
    const open = `select (select count(*) from jobs where kind like 'voice-%')::int
      + (select count(*) from webhook_deliveries where status <> 'delivered')::int
      + (select count(*) from pending_replies)::int as open`;
    await eventually(
      'everything is worked off',
      async () => (await workshop.query<{ open: number }>(open))[0]!.open === 0,
      120_000,
    );
    for (const sessionId of sessions) {
      const { body } = await program.call(
        'GET',
        `/sessions/${sessionId}/messages?order=asc`,
        undefined,
        auth,
      );
      const [{ id, attachments }, ...replies] = body.items;
      const [{ converted, transcript }] = attachments;
      assert.equal(transcript.text, 'Where is my order?');
      const { body: place } = await program.call('GET', `/attachments/${converted.fileKey}`, undefined, auth);
      const { bytes } = await send(here(place.downloadUrl), { method: 'GET' });
      assert.equal(bytes.length, converted.size);
      assert.ok(readOggOpus(bytes), 'whole');
      assert.equal(replies.length, 1);
      const told = inbox.received.filter(
        (one) => one.body.event === 'message_transcribed' && one.body.data.message.id === id,
      );
      assert.equal(
        new Set(told.map((one) => one.body.id)).size,
        1,
        'one event, though it may be delivered twice',
      );
      assertConversionReached(id);
    }
    const derived = await workshop.query<{ count: number }>(
      `select count(*)::int from attachments where derived_from is not null and used_at is not null`,
    );
    assert.equal(derived[0]!.count, messages);
  });
});
