/**
 * A worker thread that starts with its first request, handles one request at a time, is terminated when a request
 * takes too long or needs too much memory, and ends after a period without requests to free its memory.
 */
import { type MessagePort, Worker } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';

export class ThreadTimeout extends Error {}
export class ThreadOutOfMemory extends Error {}

interface AskOptions {
  signal?: AbortSignal;
  /** Requests with different keys take turns. */
  key?: string;
}

export interface OnDemandThread<Request, Answer> {
  /** The time starts when the thread takes the request. An abort ends the thread if it has taken it. */
  ask(request: Request, timeoutMs: number, options?: AskOptions): Promise<Answer>;
  isLoaded(): boolean;
  close(): Promise<void>;
}

type Outcome<Answer> = { answer: Answer } | { error: string };

export function createOnDemandThread<Request, Answer>({
  file,
  data,
  idleMs,
  heapMb,
  buffersMb,
}: {
  file: URL;
  data: unknown;
  idleMs: number;
  /** A thread that needs more ends, and its request fails. */
  heapMb?: number;
  /** The same for memory outside of the heap: buffers and typed arrays. */
  buffersMb?: number;
}): OnDemandThread<Request, Answer> {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  const queue = createFairQueue();
  let isClosed = false;

  const letGo = async () => {
    const ending = worker;
    worker = null;
    await ending?.terminate();
  };

  const start = (): Worker => {
    // No environment: the code here reads untrusted bytes.
    const options = { workerData: data, env: {}, stdout: true, stderr: true };
    // A thread that reaches this limit may take the whole process with it: it is ended before (watchMemory).
    const resourceLimits =
      heapMb === undefined
        ? {}
        : { maxOldGenerationSizeMb: heapMb * hardLimitFactor, maxYoungGenerationSizeMb: youngMb };
    const started = new Worker(file, { ...options, resourceLimits });
    // Without a listener, an error event would end the process.
    started.on('error', () => {});
    return started;
  };

  const work = async (request: Request, timeoutMs: number, signal?: AbortSignal): Promise<Answer> => {
    if (isClosed) throw new Error('the thread was closed');
    signal?.throwIfAborted();
    clearTimeout(idle);
    worker ??= start();
    const current = worker;
    // A pending request keeps the process alive; an idle thread does not.
    current.ref();
    try {
      const outcome = await outcomeOf<Answer>(current, request, { timeoutMs, heapMb, buffersMb, signal });
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
    ask(request, timeoutMs, { signal, key = '' } = {}) {
      const mine = queue(key, () => work(request, timeoutMs, signal));
      return signal ? untilAborted(mine, signal) : mine;
    },
    isLoaded: () => worker !== null,
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await letGo();
    },
  };
}

/** A request that waits for its turn ends at once when it is aborted. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

interface Limits {
  timeoutMs: number;
  heapMb: number | undefined;
  buffersMb: number | undefined;
  signal: AbortSignal | undefined;
}

function outcomeOf<Answer>(
  worker: Worker,
  request: unknown,
  { timeoutMs, heapMb, buffersMb, signal }: Limits,
): Promise<Outcome<Answer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<Answer>>();
  const late = () => reject(new ThreadTimeout(`no answer within ${timeoutMs / 1000} s`));
  const ended = () => reject(new Error('the thread has ended'));
  const failed = (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadOutOfMemory(error.message) : error);
  const abort = () => reject(signal!.reason);
  const timer = setTimeout(late, timeoutMs);
  const isLimited = heapMb !== undefined || buffersMb !== undefined;
  const watch = isLimited ? watchMemory(worker, { heapMb, buffersMb }, failed) : undefined;
  worker.on('message', resolve).on('error', failed).on('exit', ended);
  signal?.addEventListener('abort', abort);
  worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    clearInterval(watch);
    signal?.removeEventListener('abort', abort);
    worker.off('message', resolve).off('error', failed).off('exit', ended);
  });
}

const watchMs = 50;
/** V8 would let garbage grow to several times this before it looks: a crawler kept 90 MB more. */
const youngMb = 16;
const hardLimitFactor = 4;

/**
 * Node limits the heap of a thread, but a single large allocation beyond that limit ends the process; and it does not limit
 * buffers. A busy thread answers this too.
 */
function watchMemory(
  worker: Worker,
  { heapMb = Number.POSITIVE_INFINITY, buffersMb = Number.POSITIVE_INFINITY }: Partial<Limits>,
  failed: (error: Error) => void,
): NodeJS.Timeout {
  return setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory: buffers, used_heap_size: heap }) => {
        if (buffers > buffersMb * 1024 * 1024)
          failed(new ThreadOutOfMemory(`more than ${buffersMb} MB in buffers`));
        if (heap > heapMb * 1024 * 1024) failed(new ThreadOutOfMemory(`more than ${heapMb} MB`));
      },
      // The thread is not running yet, or has ended.
      () => {},
    );
  }, watchMs);
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
