/**
 * kill -9 of the worker while a provider delivers messages, a fifth of them twice and all of them shuffled: each is
 * stored once, each gets one reply, no reply is sent twice, and every conversation keeps its order.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { upsert } from '../support/providers/evolution-messages.ts';
import { type EvolutionServer, startEvolutionServer } from '../support/providers/evolution-server.ts';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';
import { startWorker, type Worker } from './worker.ts';

const kills = isFull ? 20 : 1;
/** A phone sends 10 messages a second and one to each customer: many of both keep the test short. */
const channels = isFull ? 50 : 2;
const customersEach = isFull ? 20 : 5;
const messagesEach = isFull ? 10 : 4;
const total = channels * customersEach * messagesEach;
const deliverers = 8;
const firstAt = 1_773_000_000;

interface Delivery {
  channel: string;
  customer: string;
  id: string;
  /** The order that the provider tells. */
  at: number;
}

describe('replies of a connector under kills of the worker', () => {
  let workshop: Workshop;
  let api: Program;
  let worker: Worker;
  let gateway: EvolutionServer;
  const names = Array.from({ length: channels }, (_, index) => `phone-${index}`);
  const env = {
    SECRET_KEY: 'a key for tests that is long enough',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  };

  before(async () => {
    workshop = openWorkshop();
    gateway = await startEvolutionServer();
    gateway.copies = 'after the answer';
    api = await workshop.start({ PROCESS_ROLE: 'api', ...env });
    gateway.serviceUrl = api.baseUrl;
    worker = await startWorker(workshop, env);
    const auth = { authorization: `Bearer ${await createToken(api)}` };
    const agents = await api.call('GET', '/agents', undefined, auth);
    for (const name of names) {
      gateway.addInstance(name, 'open');
      const { status, body } = await api.call(
        'POST',
        '/channels',
        {
          name,
          identifier: name,
          type: 'chatapp_no',
          defaultAgentId: agents.body.items[0].id,
          connector: {
            kind: 'evolution',
            apiBase: gateway.url,
            instanceName: name,
            credentials: { apiKey: gateway.apiKey },
          },
        },
        auth,
      );
      assert.equal(status, 201, JSON.stringify(body));
      // Not through the API, whose limit many channels on a slow machine would reach.
      const isConnected = async () => {
        const state = `select 1 from connectors where channel_id = $1 and state = 'connected'`;
        return (await workshop.query(state, [body.id])).length > 0;
      };
      await eventually('the channel is connected', isConnected, 60_000);
    }
  });
  after(async () => {
    await worker?.stop();
    await workshop.close();
    await gateway.close();
  });

  function shuffledDeliveries(): Delivery[] {
    const all: Delivery[] = [];
    names.forEach((channel, c) => {
      for (let n = 0; n < customersEach; n++) {
        for (let m = 0; m < messagesEach; m++) {
          const customer = `5511${900_000_000 + c * customersEach + n}`;
          all.push({ channel, customer, id: `${customer}-${m}`, at: firstAt + m });
        }
      }
    });
    all.push(...all.filter(() => workshop.random() < 0.2));
    for (let last = all.length - 1; last > 0; last--) {
      const other = Math.floor(workshop.random() * (last + 1));
      [all[last], all[other]] = [all[other]!, all[last]!];
    }
    return all;
  }

  async function deliverAll(): Promise<void> {
    const waiting = shuffledDeliveries();
    const deliver = async () => {
      for (let one = waiting.pop(); one; one = waiting.pop()) {
        const { channel, customer, id, at } = one;
        const from = `${customer}@s.whatsapp.net`;
        const data = upsert({ conversation: 'What is Talkboard?' }, { id, from, at });
        assert.equal(await gateway.deliver(channel, 'messages.upsert', data), 200);
      }
    };
    await Promise.all(Array.from({ length: deliverers }, deliver));
  }

  /** As slow as the machine is, unless nothing happens for four minutes. */
  async function progresses(count: () => Promise<number>): Promise<void> {
    for (let reached = await count(); reached < total; reached = await count()) {
      if (isFull) console.log(`${reached} of ${total} are answered`);
      const before = reached;
      const goesOn = async () => (await count()) > before;
      await eventually(`more than ${before} of ${total} are answered`, goesOn, 240_000);
      if (isFull) await sleep(10_000);
    }
  }

  it(`${kills} kills, ${total} messages: stored once, answered once, in order`, async (context) => {
    const delivered = deliverAll();
    for (let round = 0; round < kills; round++) {
      await sleep(200 + workshop.random() * 1_500);
      await worker.kill();
      worker = await startWorker(workshop, env);
    }
    await delivered;
    const count = async (where: string) => {
      const [row] = await workshop.query<{ count: number }>(
        `select count(*)::int as count from messages where ${where}`,
      );
      return row!.count;
    };
    // A send that a kill interrupted is given up after two minutes if the gateway has no copy of it.
    const settled = `role = 'assistant' and (provider_msg_id is not null or status = 'failed')`;
    await progresses(() => count(settled));
    await gateway.settled();

    assert.equal(await count(`role = 'user'`), total);
    assert.equal(await count(`role = 'assistant'`), total);
    assert.equal(await count(`role = 'operator'`), 0, 'a copy was taken for an echo');
    const asked = await workshop.query<{ session_id: string; ids: string[] }>(
      `select session_id, array_agg(provider_msg_id order by position) as ids
       from messages where role = 'user' group by session_id`,
    );
    for (const { ids } of asked) assert.deepEqual(ids, ids.toSorted(), 'in the order of the provider');

    const replies = await workshop.query<{ ids: string[]; asked: string[]; failed: number }>(
      `select array_agg(provider_msg_id order by position) filter (where status is distinct from 'failed') as ids,
         array_agg(distinct in_reply_to) as asked, count(*) filter (where status = 'failed')::int as failed
       from messages where role = 'assistant' group by session_id`,
    );
    assert.equal(new Set(replies.flatMap((one) => one.asked)).size, total, 'one reply to each message');
    const failed = replies.reduce((sum, one) => sum + one.failed, 0);
    assert.ok(failed <= kills * channels, `${failed} were given up`);
    assert.equal(gateway.sent.length + failed, total, 'a reply was sent twice');
    const places = new Map(gateway.sent.map(({ id }, place) => [id, place]));
    for (const { ids } of replies) {
      const sentAt = (ids ?? []).map((id) => places.get(id)!);
      assert.deepEqual(
        sentAt,
        sentAt.toSorted((a, b) => a - b),
        'sent in the order of the conversation',
      );
    }
    context.diagnostic(
      `${kills} kills, ${total} messages, ${gateway.sent.length} replies sent, ${failed} given up`,
    );
  });
});
