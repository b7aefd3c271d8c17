/**
 * kill -9 of the worker while a provider delivers: every message is stored once, in the provider's order, although a part
 * of them is delivered again and none in order. The worker polls the fake Bot API.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTelegramServer, type TelegramServer } from '../support/providers/telegram-server.ts';
import { eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';
import { startWorker, type Worker } from './worker.ts';

const kills = isFull ? 20 : 1;
const perCustomer = isFull ? 200 : 10;
const customers = isFull ? 50 : 6;
/** For a slow machine that does other work too. */
const storedWithinMs = isFull ? 900_000 : 90_000;
const password = 'correct horse battery';

describe('inbound messages under kills of the worker', () => {
  let workshop: Workshop;
  let api: Program;
  let telegram: TelegramServer;
  let worker: Worker;
  let channelId: string;
  let auth: { authorization: string };
  const shared = { SECRET_KEY: 'a key for tests that is long enough', OUTBOUND_ALLOW: '127.0.0.0/8' };

  before(async () => {
    workshop = openWorkshop();
    telegram = await startTelegramServer();
    api = await workshop.start({ PROCESS_ROLE: 'api', ...shared });
    const login = await api.call('POST', '/auth/login', { email: 'admin@example.com', password });
    auth = { authorization: `Bearer ${login.body.token}` };
    const agents = await api.call('GET', '/agents', undefined, auth);
    const created = await api.call(
      'POST',
      '/channels',
      {
        name: 'Bot',
        identifier: 'bot',
        type: 'chatbot',
        defaultAgentId: agents.body.items[0].id,
        connector: { kind: 'telegram', apiBase: telegram.url, credentials: { botToken: telegram.token } },
      },
      auth,
    );
    assert.equal(created.status, 201, JSON.stringify(created.body));
    channelId = created.body.id;
    worker = await startWorker(workshop, shared);
  });
  after(async () => {
    await worker?.stop();
    await workshop.close();
    await telegram.close();
  });

  /** In blocks of one poll, each backwards: the Bot API forgets what is below the number that was confirmed. */
  async function deliverAll(): Promise<void> {
    const perBlock = Math.floor(100 / customers);
    for (let first = 1; first <= perCustomer; first += perBlock) {
      telegram.hold();
      for (let number = first; number < Math.min(first + perBlock, perCustomer + 1); number++) {
        for (let chatId = 1; chatId <= customers; chatId++) {
          telegram.customerWrites(`message ${number}`, { chatId });
        }
      }
      telegram.release('reversed');
      await telegram.settled();
    }
  }

  it(`${kills} kills: each message once, in order`, async () => {
    const total = perCustomer * customers;
    const sending = deliverAll();
    for (let round = 0; round < kills; round++) {
      await sleep(300 + workshop.random() * 1_000);
      await worker.kill();
      telegram.redeliver();
      worker = await startWorker(workshop, shared);
    }
    await sending;
    const open = `select (select count(*) from connector_inbound)::int
      + (select count(*) from connector_items where state = 'waiting')::int as open,
      (select count(*) from messages where role = 'user')::int as stored`;
    await eventually(
      'everything is stored',
      async () => {
        const [row] = await workshop.query<{ open: number; stored: number }>(open);
        return row!.open === 0 && row!.stored >= total;
      },
      storedWithinMs,
    );
    const stored = await workshop.query<{ session_id: string; content: string }>(
      `select session_id, content from messages where role = 'user' order by session_id, position`,
    );
    const bySession = Map.groupBy(stored, (one) => one.session_id);
    assert.equal(bySession.size, customers);
    const expected = Array.from({ length: perCustomer }, (_, index) => `message ${index + 1}`);
    for (const messages of bySession.values()) {
      assert.deepEqual(
        messages.map((one) => one.content),
        expected,
      );
    }
    const channel = await api.call('GET', `/channels/${channelId}`, undefined, auth);
    assert.equal(channel.body.connector.state, 'connected');
  });
});
