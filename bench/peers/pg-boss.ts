/**
 * pg-boss as a webhook sender at its best: jobs fetched and completed in batches, as many calls in flight as
 * Talkboard, signed in the same way, sent by the same undici. It writes one output for the whole batch.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { Pool } from 'undici';
import { endpointKey } from '../../server/platform/events/endpoints.ts';
import { newId } from '../../server/platform/ids.ts';
import { answerParent } from '../child.ts';

interface Job {
  id: string;
  data: { id: string; body: string };
}

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  insert(name: string, jobs: { data: object }[]): Promise<unknown>;
  fetch(name: string, options: { batchSize: number }): Promise<Job[]>;
  complete(name: string, ids: string[], output: object): Promise<unknown>;
}

type Question =
  | { open: { connection: object; url: string; secret: string } }
  | { insert: { count: number; body: string } }
  | { work: { batchSize: number } };

const queue = 'webhooks';
const loops = 4;
const inFlightPerLoop = 16;
const insertedAtATime = 1_000;

const { PgBoss } = (await import(process.env.PEER_ENTRY!)) as { PgBoss: new (options: object) => Boss };
let boss: Boss;
let pool: Pool;
let key: KeyObject;

async function send({ id, body }: Job['data']): Promise<void> {
  const at = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await pool.request({ method: 'POST', path: '/', headers, body });
  await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
}

async function workLoop(batchSize: number): Promise<void> {
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize });
    if (jobs.length === 0) return;
    const waiting = jobs.values();
    const line = async () => {
      for (const job of waiting) await send(job.data);
    };
    await Promise.all(Array.from({ length: inFlightPerLoop }, line));
    await boss.complete(
      queue,
      jobs.map((job) => job.id),
      { status: 200, response: 'ok' },
    );
  }
}

answerParent<Question>(async (question) => {
  if ('open' in question) {
    const { connection, url } = question.open;
    key = endpointKey(question.open.secret);
    pool = new Pool(url, { connections: loops * inFlightPerLoop });
    boss = new PgBoss({ ...connection, max: 10, schedule: false, supervise: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue(queue);
  } else if ('insert' in question) {
    const { count, body } = question.insert;
    for (let done = 0; done < count; done += insertedAtATime) {
      const jobs = Array.from({ length: Math.min(insertedAtATime, count - done) }, () => ({
        data: { id: newId(), body },
      }));
      await boss.insert(queue, jobs);
    }
  } else {
    await Promise.all(Array.from({ length: loops }, () => workLoop(question.work.batchSize)));
  }
});
