/**
 * pg-boss as a webhook sender at its best: jobs fetched and completed in batches, as many calls in flight as
 * Talkboard, signed in the same way, sent by the same undici. It writes one output for the whole batch.
 */
import { newId } from '../../server/platform/ids.ts';
import { answerParent } from '../child.ts';
import { createSender, type SignedEvent } from './signed-send.ts';

interface Job {
  id: string;
  data: SignedEvent;
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
let send: ReturnType<typeof createSender>;

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
    const { connection, url, secret } = question.open;
    send = createSender(url, secret, loops * inFlightPerLoop);
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
