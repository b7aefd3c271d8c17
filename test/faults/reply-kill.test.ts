/**
 * kill -9 of the worker while replies are made: every message has exactly one reply in the chat and one in the set of
 * what the receiver got. The offline agent answers; its replies go to a channel's webhook.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Inbox, startInbox } from '../support/webhooks.ts';
import { eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';
import { startWorker, type Worker } from './worker.ts';

const kills = isFull ? 50 : 1;
const messagesPerSecond = isFull ? 40 : 20;
const conversations = 12;
const password = 'correct horse battery';

describe('replies under kills of the worker', () => {
  let workshop: Workshop;
  let api: Program;
  let inbox: Inbox;
  let worker: Worker;
  let auth: { authorization: string };
  let identifier: string;
  const shared = { SECRET_KEY: 'a key for tests that is long enough', OUTBOUND_ALLOW: '127.0.0.0/8' };

  before(async () => {
    workshop = openWorkshop();
    inbox = await startInbox();
    api = await workshop.start({ PROCESS_ROLE: 'api', ...shared });
    const login = await api.call('POST', '/auth/login', { email: 'admin@example.com', password });
    const jwt = { authorization: `Bearer ${login.body.token}` };
    const limits = { messagesPerMinute: 1_000_000_000 };
    await api.call('PATCH', `/admin/accounts/${login.body.account.id}`, { limits }, jwt);
    const scopes = ['messages:read', 'messages:write', 'manage'];
    const made = await api.call('POST', '/api-tokens', { name: 'faults', scopes }, jwt);
    auth = { authorization: `Bearer ${made.body.token}` };
    const agents = await api.call('GET', '/agents', undefined, auth);
    identifier = 'faults';
    const channel = { name: identifier, identifier, type: 'api', defaultAgentId: agents.body.items[0].id };
    const created = await api.call('POST', '/channels', { ...channel, webhookUrl: inbox.url() }, auth);
    assert.equal(created.status, 201, JSON.stringify(created.body));
    worker = await startWorker(workshop, shared);
  });
  after(async () => {
    await worker?.stop();
    await workshop.close();
    await inbox.close();
  });

  /** At a steady rate into a few conversations; the ids of the messages that were accepted. */
  function startSending() {
    const accepted: string[] = [];
    const odd: number[] = [];
    const running = new Set<Promise<void>>();
    let n = 0;
    const send = async () => {
      const body = { content: 'What is Talkboard?', fromChannelIdentifier: identifier };
      const sessionId = `talk-${n++ % conversations}`;
      const answer = await api.call('POST', '/messages', { ...body, sessionId }, auth);
      if (answer.status === 202) accepted.push(answer.body.userMessage.id);
      else odd.push(answer.status);
    };
    const timer = setInterval(() => {
      const one = send().finally(() => running.delete(one));
      running.add(one);
    }, 1000 / messagesPerSecond);
    return {
      accepted,
      odd,
      async stop() {
        clearInterval(timer);
        await Promise.all(running);
      },
    };
  }

  it(`${kills} kills: one reply to each message, in the chat and at the receiver`, async () => {
    const load = startSending();
    try {
      for (let round = 0; round < kills; round++) {
        await sleep(300 + workshop.random() * 1_200);
        await worker.kill();
        worker = await startWorker(workshop, shared);
      }
      await sleep(300);
    } finally {
      await load.stop();
    }
    assert.deepEqual(load.odd, [], 'the API felt the kills');
    assert.ok(load.accepted.length > kills * 10, `only ${load.accepted.length} messages`);
    const open = `select (select count(*) from pending_replies)::int
      + (select count(*) from webhook_deliveries where status <> 'delivered')::int as open`;
    await eventually(
      'every message is answered and every reply delivered',
      async () => (await workshop.query<{ open: number }>(open))[0]!.open === 0,
      90_000,
    );
    const replies = await workshop.query<{ id: string; in_reply_to: string; session_id: string }>(
      `select id, in_reply_to, session_id from messages where role = 'assistant' order by session_id, position`,
    );
    assert.deepEqual(replies.map((one) => one.in_reply_to).sort(), load.accepted.toSorted());
    const asked = await workshop.query<{ id: string }>(
      `select id from messages where role = 'user' order by session_id, position`,
    );
    assert.deepEqual(
      replies.map((one) => one.in_reply_to),
      asked.map((one) => one.id),
      'in the order of each conversation',
    );
    // What was on its way when a worker died may come twice, with the same id.
    const bodies = new Map(inbox.received.map((one) => [String(one.headers['webhook-id']), one.body]));
    const received = [...bodies.values()].map((body) => body.data.message.id as string);
    assert.deepEqual(received.sort(), replies.map((one) => one.id).sort());
    console.log(
      `${kills} kills, ${load.accepted.length} messages, ${replies.length} replies, ` +
        `${inbox.received.length - bodies.size} deliveries came twice`,
    );
  });
});
