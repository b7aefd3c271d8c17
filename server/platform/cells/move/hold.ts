/** One command at a time works on a move. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/db.ts';
import { conflict } from '../../http/errors.ts';
import { holdMove, letGoOfMove } from './moves.sql.ts';

const heldSeconds = 5;
const renewMs = 1_000;

/** A command that was killed holds it for some seconds. */
export async function hold(home: Db, moveId: string): Promise<{ holder: string; letGo(): Promise<void> }> {
  const holder = randomUUID();
  const until = performance.now() + (heldSeconds + 2) * 1_000;
  while (!(await holdMove(home, moveId, holder, heldSeconds))) {
    if (performance.now() > until) throw conflict('another command moves the account');
    await sleep(200);
  }
  const renewal = setInterval(
    () => void holdMove(home, moveId, holder, heldSeconds).catch(() => {}),
    renewMs,
  );
  return {
    holder,
    async letGo() {
      clearInterval(renewal);
      await letGoOfMove(home, moveId, holder).catch(() => {});
    },
  };
}
