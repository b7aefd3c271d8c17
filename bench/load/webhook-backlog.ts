/** A backlog of webhook deliveries to a receiver of this run. Its events are created once and sent in each round. */
import { type CpuTimes, createCpuMeter } from '../cpu.ts';
import type { Stage, Twin } from '../stage.ts';
import { openClient } from './client.ts';
import type { CountingReceiver } from './receiver.ts';

const endpoints = 20;
const maxBacklog = 20_000;
/** Each of 100 records is changed once per step, and each change is an event for each endpoint. */
const perStep = 100 * endpoints;
export const deliverWithinMs = 300_000;

/** Ten for each of `--records`. */
export const backlogOf = (records: number) =>
  Math.max(perStep, Math.min(maxBacklog, Math.floor((records * 10) / perStep) * perStep));

export interface Round {
  /** Deliveries a second. */
  rate: number;
  /** Of the sender and of PostgreSQL, for all deliveries; null if the kernel does not report it. */
  cpu: CpuTimes | null;
}

export async function meterRound(
  stage: Pick<Stage, 'postgresPid'>,
  pid: number,
  work: () => Promise<number>,
): Promise<Round> {
  const meter = createCpuMeter(pid, stage.postgresPid);
  const rate = await work();
  return { rate, cpu: meter.read() };
}

/** The account needs at least 100 records. */
export async function prepareBacklog(
  stage: Pick<Stage, 'postgresPid'>,
  { service, workspace, pool }: Twin,
  receiver: CountingReceiver,
  size: number,
): Promise<{ secret: string; body: string; workOff(): Promise<Round> }> {
  const client = openClient(service.url, workspace.token);
  const hooks: string[] = [];
  let secret = '';
  for (let i = 0; i < endpoints; i++) {
    const { body } = await client.call('POST', '/webhooks', {
      url: receiver.url,
      events: ['crm_field_update'],
      enabled: false,
    });
    hooks.push(body.id);
    secret = body.secret;
  }
  const { body: list } = await client.call('GET', '/crm/records?limit=100');
  for (let sent = 0; sent < size / endpoints; sent += 100) {
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

  /** As if no attempt had been made. */
  const requeue = async () => {
    // The last results of the previous round may still be in flight.
    for (;;) {
      const { rows: leased } = await pool.query(
        'select 1 from webhook_deliveries where lease_token is not null limit 1',
      );
      if (leased.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { rowCount } = await pool.query(
      `update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now(), attempt_at = null,
        attempt_ms = null, attempt_status = null, attempt_error = null, attempt_response = null
      where webhook_id = any($1::uuid[])`,
      [hooks],
    );
    if (rowCount !== size) throw new Error(`${rowCount} deliveries instead of ${size}`);
  };
  return {
    secret,
    body: rows[0].body as string,
    async workOff() {
      await pool.query('vacuum analyze webhook_deliveries, webhook_attempts');
      const rate = receiver.sustainedRate(size, deliverWithinMs);
      await requeue();
      return meterRound(stage, service.pid, () => rate);
    },
  };
}
