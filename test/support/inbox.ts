/** The content of an inbox: files, voice, held replies, receipts, created as customers and channels would. */
import assert from 'node:assert/strict';
import sharp from 'sharp';
import { sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import { wav } from './sample-files.ts';
import type { Json, TestService } from './service.ts';

/** Two hills and a sun: something to recognise in a thumbnail. Drawn by hand: the service blocks the reading of drawings. */
export function picture(): Promise<Buffer> {
  const [width, height] = [800, 600];
  const colorAt = (x: number, y: number) => {
    if (y > 490 - 60 * Math.sin(x / 130)) return 0x3f6b50;
    if (y > 400 - 90 * Math.sin(x / 170)) return 0x5b8c6b;
    return Math.hypot(x - 600, y - 150) < 70 ? 0xf5c451 : 0xcfe3f5;
  };
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    pixels.writeUIntBE(colorAt(at % width, Math.floor(at / width)), at * 3, 3);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** Syllables of a hum: a wave form that is not flat. */
export function voice(seconds = 4): Buffer {
  const rate = 8_000;
  const bytes = wav(seconds * rate);
  for (let at = 0; at < seconds * rate; at++) {
    const time = at / rate;
    const loudness = Math.abs(Math.sin(time * 5)) * (0.35 + 0.65 * Math.abs(Math.sin(time * 1.3)));
    bytes.writeInt16LE(Math.round(20_000 * loudness * Math.sin(time * 2 * Math.PI * 180)), 44 + at * 2);
  }
  return bytes;
}

export function inboxOf(service: TestService) {
  const { call, context, admin } = service;
  const { db } = context;

  const upload = async (fileName: string, contentType: string, bytes: Buffer): Promise<Json> => {
    const facts = { fileName, contentType, size: bytes.length };
    const announced = await call('POST', '/messages/upload', { body: facts });
    assert.equal(announced.status, 200, announced.text);
    const { pathname, search } = new URL(announced.body.uploadUrl);
    const stored = await call('PUT', pathname + search, {
      token: null,
      headers: { 'content-type': contentType },
      body: bytes,
    });
    assert.equal(stored.status, 200, stored.text);
    return { ...facts, fileKey: announced.body.fileKey };
  };

  return {
    upload,

    customerSays: async (sessionId: string, body: object = {}): Promise<Json> => {
      const answer = await call('POST', '/messages', {
        body: { content: 'Hello', fromChannelIdentifier: 'api', sessionId, ...body },
      });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    },

    /** A held reply of the agent; the way there is tested with the agents. */
    async hold(sessionId: string, content: string): Promise<string> {
      const { body: session } = await call('GET', `/sessions/${sessionId}`);
      const now = Math.max(Date.now(), session.lastMessageAt);
      const id = newId(now);
      await db.transaction(async (tx) => {
        const [row] = await tx.query<{ count: number }>(sql`
          update sessions set message_count = message_count + 1, last_message_at = ${now}, needs_attention = true
          where account_id = ${admin.accountId} and session_id = ${sessionId} returning message_count as count`);
        await tx.query(sql`
          insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at, held,
            agent_id)
          values (${admin.accountId}, ${sessionId}, ${row!.count}, ${id}, 'assistant', ${content}, ${now}, ${now},
            true, ${session.agentId})`);
      });
      return id;
    },

    /** As the recogniser writes it. */
    async transcribe(messageId: string, transcript: object): Promise<void> {
      await db.transaction((tx) =>
        tx.query(sql`
          update messages set attachments = jsonb_set(attachments, '{0,transcript}', ${JSON.stringify(transcript)}::jsonb)
          where account_id = ${admin.accountId} and id = ${messageId}`),
      );
    },

    async receipt(sessionId: string, messageId: string, status: string, emoji?: string): Promise<void> {
      const path = `/sessions/${sessionId}/messages`;
      const providerMsgId = `provider-${messageId}`;
      await call('POST', `${path}/${messageId}/link`, { body: { providerMsgId } });
      await call('POST', `${path}/status`, { body: { providerMsgId, status } });
      if (emoji) {
        await call('POST', `${path}/reactions`, { body: { providerMsgId, action: 'add', emoji } });
      }
    },

    operatorSays: async (sessionId: string, body: object, token?: string): Promise<Json> => {
      const { body: session } = await call('GET', `/sessions/${sessionId}`);
      const path = `/channels/${session.channelId}/sessions/${sessionId}/agent-messages`;
      const answer = await call('POST', path, { body, token: token ?? admin.jwt });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
  };
}
