/**
 * BullMQ as a webhook sender, as its documentation recommends for production: Redis with an append-only file and no
 * eviction, one worker with as many calls in flight as Talkboard, each job with its result.
 */
import { newId } from '../../server/platform/ids.ts';
import { answerParent } from '../child.ts';
import { createSender, type SignedEvent } from './signed-send.ts';

interface Queue {
  addBulk(jobs: { name: string; data: SignedEvent }[]): Promise<unknown>;
  obliterate(options: { force: boolean }): Promise<void>;
}
interface Worker {
  on(event: 'completed' | 'failed' | 'error', listener: (...args: never[]) => void): void;
  run(): Promise<void>;
  close(): Promise<void>;
}
interface BullModule {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (name: string, run: (job: { data: SignedEvent }) => Promise<object>, options: object) => Worker;
}
interface RedisModule {
  Redis: new (options: object) => { config(...args: string[]): Promise<unknown> };
}

type Question =
  | { open: { socket: string; url: string; secret: string } }
  | { insert: { count: number; body: string } }
  | { work: { count: number; appendfsync: 'everysec' | 'always' } };

const name = 'webhooks';
const inFlight = 64;
const insertedAtATime = 1_000;

const bull = (await import(process.env.PEER_ENTRY!)) as BullModule;
const { Redis } = (await import(process.env.REDIS_ENTRY!)) as RedisModule;
let connection: object;
let queue: Queue;
let redis: InstanceType<RedisModule['Redis']>;
let send: ReturnType<typeof createSender>;

async function workOff(count: number): Promise<void> {
  const process = async ({ data }: { data: SignedEvent }) => {
    await send(data);
    return { status: 200, response: 'ok' };
  };
  const worker = new bull.Worker(name, process, { connection, concurrency: inFlight, autorun: false });
  await new Promise<void>((resolve, reject) => {
    let done = 0;
    worker.on('error', reject);
    worker.on('failed', (_job: never, error: Error) => reject(error));
    worker.on('completed', () => {
      if (++done === count) resolve();
    });
    worker.run().catch(reject);
  });
  await worker.close();
  await queue.obliterate({ force: true });
}

answerParent<Question>(async (question) => {
  if ('open' in question) {
    const { socket, url, secret } = question.open;
    connection = { path: socket, maxRetriesPerRequest: null };
    send = createSender(url, secret, inFlight);
    redis = new Redis(connection);
    queue = new bull.Queue(name, { connection });
  } else if ('insert' in question) {
    const { count, body } = question.insert;
    for (let done = 0; done < count; done += insertedAtATime) {
      const size = Math.min(insertedAtATime, count - done);
      await queue.addBulk(
        Array.from({ length: size }, () => ({ name: 'send', data: { id: newId(), body } })),
      );
    }
  } else {
    await redis.config('SET', 'appendfsync', question.work.appendfsync);
    await workOff(question.work.count);
  }
});
