/**
 * A worker thread that starts with its first request, handles one request at a time, is terminated when a request
 * takes too long, and ends after a period without requests to free its memory.
 */
import { type MessagePort, Worker } from 'node:worker_threads';

export class ThreadTimeout extends Error {}

export interface OnDemandThread<Request, Answer> {
  ask(request: Request, timeoutMs: number): Promise<Answer>;
  isLoaded(): boolean;
  close(): Promise<void>;
}

type Outcome<Answer> = { answer: Answer } | { error: string };

export function createOnDemandThread<Request, Answer>({
  file,
  data,
  idleMs,
  heapMb,
}: {
  file: URL;
  data: unknown;
  idleMs: number;
  /** A thread that needs more ends, and its request fails. */
  heapMb?: number;
}): OnDemandThread<Request, Answer> {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const letGo = async () => {
    const ending = worker;
    worker = null;
    await ending?.terminate();
  };

  const start = (): Worker => {
    // No environment: the code here reads untrusted bytes.
    const options = { workerData: data, env: {}, stdout: true, stderr: true };
    const resourceLimits = heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb };
    const started = new Worker(file, { ...options, resourceLimits });
    // Without a listener, an error event would end the process.
    started.on('error', () => {});
    return started;
  };

  const work = async (request: Request, timeoutMs: number): Promise<Answer> => {
    if (isClosed) throw new Error('the thread was closed');
    clearTimeout(idle);
    worker ??= start();
    const current = worker;
    // A pending request keeps the process alive; an idle thread does not.
    current.ref();
    try {
      const outcome = await outcomeOf<Answer>(current, request, timeoutMs);
      if ('error' in outcome) throw new Error(outcome.error);
      return outcome.answer;
    } catch (error) {
      await letGo();
      throw error;
    } finally {
      current.unref();
      idle = setTimeout(() => void letGo(), idleMs);
      idle.unref();
    }
  };

  return {
    ask(request, timeoutMs) {
      const mine = last.then(() => work(request, timeoutMs));
      last = mine.catch(() => {});
      return mine;
    },
    isLoaded: () => worker !== null,
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await letGo();
    },
  };
}

function outcomeOf<Answer>(worker: Worker, request: unknown, timeoutMs: number): Promise<Outcome<Answer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<Answer>>();
  const late = () => reject(new ThreadTimeout(`no answer within ${timeoutMs / 1000} s`));
  const ended = () => reject(new Error('the thread has ended'));
  const timer = setTimeout(late, timeoutMs);
  worker.on('message', resolve).on('error', reject).on('exit', ended);
  worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', reject).off('exit', ended);
  });
}

/** The thread's side: answers each request. An error is sent back as a message and ends the thread. */
export function serveThread<Request, Answer>(
  port: MessagePort,
  answer: (request: Request) => Promise<Answer>,
): void {
  port.on('message', (request: Request) => {
    answer(request).then(
      (result) => port.postMessage({ answer: result }),
      (error) => port.postMessage({ error: String(error?.message ?? error) }),
    );
  });
}
