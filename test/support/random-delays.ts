/**
 * Preloaded by `scripts/test.ts --load`: what a socket receives may arrive up to TEST_DELAY_MS later, in its order. So
 * answers of PostgreSQL, of providers and of receivers come in another sequence in every run.
 */
import { Socket } from 'node:net';

/** Most of it is not delayed: otherwise a run takes hours. */
const share = 0.1;

if (process.env.TEST_DELAY_MS) delaySockets(Number(process.env.TEST_DELAY_MS));

export function delaySockets(longestMs: number): { count(): number; restore(): void } {
  const push = Socket.prototype.push;
  const lastOf = new WeakMap<Socket, Promise<void>>();
  let count = 0;
  Socket.prototype.push = function (this: Socket, chunk: unknown, encoding?: BufferEncoding): boolean {
    const last = lastOf.get(this);
    const isDelayed = Math.random() < share;
    if (!last && !isDelayed) return push.call(this, chunk, encoding);
    if (isDelayed) count++;
    const pause = isDelayed && new Promise((resolve) => setTimeout(resolve, Math.random() * longestMs));
    const next = Promise.all([last, pause]).then(() => {
      if (lastOf.get(this) === next) lastOf.delete(this);
      if (!this.destroyed) push.call(this, chunk, encoding);
    });
    lastOf.set(this, next);
    return true;
  };
  return {
    count: () => count,
    restore() {
      Socket.prototype.push = push;
    },
  };
}
