/** A keyed mutex: runs with the same key run one after the other within this process; other keys do not wait. */
import { busy } from '../http/errors.ts';
import type { QueueBounds } from './semaphore.ts';

export type OneAtATime = <T>(key: string, run: () => Promise<T>) => Promise<T>;

const { POSITIVE_INFINITY: unbounded } = Number;

export interface KeyedQueueBounds extends QueueBounds {
  /** How many may run or wait across all keys. */
  maxInAll?: number;
}

/** maxWaiting and maxWaitMs apply to each key. */
export function createKeyedMutex({
  maxWaiting = unbounded,
  maxWaitMs = unbounded,
  maxInAll = unbounded,
}: KeyedQueueBounds = {}): OneAtATime {
  let inAll = 0;
  const queues = new Map<string, { last: Promise<void>; size: number }>();
  return (key, run) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), size: 0 };
    if (queue.size > maxWaiting || inAll >= maxInAll) return Promise.reject(busy());
    queue.size++;
    inAll++;
    queues.set(key, queue);
    const deadline = performance.now() + maxWaitMs;
    const result = queue.last.then(() => {
      if (performance.now() > deadline) throw busy();
      return run();
    });
    const leave = () => {
      queue.size--;
      inAll--;
      if (queue.size === 0) queues.delete(key);
    };
    queue.last = result.then(leave, leave);
    return result;
  };
}
