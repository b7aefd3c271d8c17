/** kill -9 while scheduled messages are sent: each is sent once, not before its time. How late: `npm run bench -- scheduled-late`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 10 : 1;
const conversations = isFull ? 1_000 : 30;
const perConversation = isFull ? 3 : 2;

describe('kill -9 while scheduled messages are sent', () => {
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  const waiting = async () => {
    const [row] = await workshop.query<{ count: number }>(
      'select count(*)::int as count from scheduled_messages',
    );
    return row!.count;
  };

  /** All due within a second, `inMs` from the moment when all are scheduled; returns when the first is. */
  async function schedule(program: Program, authorization: string, prefix: string, inMs: number) {
    const tomorrow = Date.now() + 24 * 3_600_000;
    const call = async (method: string, path: string, body?: object) => {
      const reply = await program.call(method, path, body, { authorization });
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
      return reply.body;
    };
    const channel = (await call('GET', '/channels')).items.find(
      (one: { type: string }) => one.type === 'api',
    );
    const sessions = Array.from({ length: conversations }, (_, n) => `${prefix}-${n}`);
    const begin = async (sessionId: string, place: number) => {
      await call('POST', '/messages', { fromChannelIdentifier: 'api', sessionId, content: 'Hello' });
      for (let number = 0; number < perConversation; number++) {
        const body = { content: `${sessionId}/${number}`, sendAt: tomorrow + number * 300 + (place % 100) };
        await call('POST', `/channels/${channel.id}/sessions/${sessionId}/agent-messages`, body);
      }
    };
    for (let at = 0; at < sessions.length; at += 30) {
      await Promise.all(sessions.slice(at, at + 30).map((sessionId, place) => begin(sessionId, at + place)));
    }
    const first = Date.now() + inMs;
    await workshop.query('update scheduled_messages set send_at = send_at - $1::bigint', [tomorrow - first]);
    return first;
  }

  const sent = (prefix: string) =>
    workshop.query<{ content: string; at: string }>(
      `select content, created_at as at from messages where role = 'operator' and session_id like '${prefix}-%'
       order by session_id, position`,
    );

  it('sends each exactly once, in the order of its conversation', async () => {
    let program = await workshop.start();
    const authorization = `Bearer ${await createToken(program)}`;
    const first = await schedule(program, authorization, 'kill', 1_000);
    for (let kill = 0; kill < kills; kill++) {
      const left = await waiting();
      await eventually('some were sent', async () => (await waiting()) < left || left === 0, 90_000);
      await program.kill();
      program = await workshop.start();
    }
    await eventually('all were sent', async () => (await waiting()) === 0, 90_000);
    const messages = await sent('kill');
    assert.equal(messages.length, conversations * perConversation);
    assert.equal(new Set(messages.map(({ content }) => content)).size, messages.length);
    const numbers = messages.map(({ content }) => Number(content.split('/')[1]));
    assert.ok(numbers.every((number, place) => number === place % perConversation));
    assert.ok(messages.every(({ at }) => Number(at) >= first));
  });
});
