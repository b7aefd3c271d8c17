import { startChild } from '../child.ts';
import { openClient } from '../load/client.ts';
import { median } from '../load/pairs.ts';
import { startCountingReceiver } from '../load/receiver.ts';
import { installPeers } from '../peers.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const endpoints = 20;
const backlog = 20_000;
const withinMs = 60_000;

/**
 * Both sides find a backlog in the same PostgreSQL, sign each event and send it to the same receiver on loopback, up
 * to 64 at a time, and record the outcome: Talkboard a row of its log for each attempt, pg-boss one output for each
 * batch of jobs. In batches of 16 pg-boss has at most 64 calls whose result is not yet written, like Talkboard, so
 * that a crash would repeat as many; in batches of 200 it is faster and would repeat 800.
 */
export const webhookPeers: Scenario = {
  name: 'webhook-peers',
  about: 'a backlog of signed deliveries, in turns with pg-boss and undici',
  onRequest: true,
  async measure(stage) {
    const peers = await installPeers(['pg-boss']);
    stage.onClose(() => peers.remove());
    const receiver = await startCountingReceiver();
    stage.onClose(() => receiver.close());
    const { requeue, secret, body } = await prepareBacklog(stage, receiver.url);
    const boss = startChild('peers/pg-boss.ts', { PEER_ENTRY: peers.entry('pg-boss') });
    stage.onClose(() => boss.stop());
    await boss.ask({ open: { connection: stage.connection, url: receiver.url, secret } });

    const sides = {
      async talkboard() {
        await stage.pool.query('vacuum analyze webhook_deliveries, webhook_attempts');
        const rate = receiver.sustainedRate(backlog, withinMs);
        await requeue();
        return rate;
      },
      boss16: () => workOff(16),
      boss200: () => workOff(200),
    };
    const workOff = async (batchSize: number) => {
      await boss.ask({ insert: { count: backlog, body } });
      await stage.pool.query('vacuum analyze');
      const rate = receiver.sustainedRate(backlog, withinMs);
      await boss.ask({ work: { batchSize } });
      return rate;
    };
    const rates = { talkboard: [] as number[], boss16: [] as number[], boss200: [] as number[] };
    for (let pair = -1; pair < stage.options.pairs; pair++) {
      const order = ['boss200', 'talkboard', 'boss16'] as const;
      for (const side of pair % 2 === 0 ? order : order.toReversed()) {
        const rate = await sides[side]();
        // The first round of each is warm-up.
        if (pair >= 0) rates[side].push(rate);
        stage.say(`  ${side}: ${Math.round(rate)}/s`);
      }
    }
    const ratios = (peer: 'boss16' | 'boss200') =>
      rates.talkboard.map((rate, pair) => rate / rates[peer][pair]!);
    return [
      { name: 'Talkboard, deliveries a second', value: median(rates.talkboard), goal: null },
      { name: 'pg-boss with undici, batches of 16', value: median(rates.boss16), goal: null },
      { name: 'pg-boss with undici, batches of 200', value: median(rates.boss200), goal: null },
      { name: 'ratio to batches of 16', value: median(ratios('boss16')), goal: { atLeast: 1.3 } },
      { name: 'ratio to batches of 200', value: median(ratios('boss200')), goal: null },
    ];
  },
};

/** The events are created once and delivered again in each round: creating them is not measured. */
async function prepareBacklog({ service, workspace, pool }: Stage, url: string) {
  const client = openClient(service.url, workspace.token);
  const hooks: string[] = [];
  let secret = '';
  for (let i = 0; i < endpoints; i++) {
    const { body } = await client.call('POST', '/webhooks', {
      url,
      events: ['crm_field_update'],
      enabled: false,
    });
    hooks.push(body.id);
    secret = body.secret;
  }
  const { body: list } = await client.call('GET', '/crm/records?limit=100');
  for (let sent = 0; sent < backlog / endpoints; sent += 100) {
    const items = list.items.map((record: { recordId: string }) => ({
      recordId: record.recordId,
      title: `Round ${sent}`,
    }));
    await client.call('POST', '/crm/records/batch', { items });
  }
  for (const id of hooks) await client.call('PATCH', `/webhooks/${id}`, { enabled: true });
  await client.close();
  const { rows } = await pool.query(
    `select e.body from webhook_deliveries d join events e on e.account_id = d.account_id and e.id = d.event_id
    where d.webhook_id = $1 limit 1`,
    [hooks[0]],
  );
  return {
    secret,
    body: rows[0].body as string,
    async requeue() {
      // The last results of the previous round may still be in flight.
      for (;;) {
        const { rows: leased } = await pool.query(
          'select 1 from webhook_deliveries where lease_token is not null limit 1',
        );
        if (leased.length === 0) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { rowCount } = await pool.query(
        `update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
        where webhook_id = any($1::uuid[])`,
        [hooks],
      );
      if (rowCount !== backlog) throw new Error(`${rowCount} deliveries instead of ${backlog}`);
    },
  };
}
