import { setTimeout as sleep } from 'node:timers/promises';
import { isTemporary } from '../../http/errors.ts';

const mostTries = 100;

/** For a lock that cannot always be had in a moment. */
export async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!isTemporary(error) || tries >= mostTries) throw error;
      await sleep(100 + Math.random() * 200);
    }
  }
}
