/** Wakes the worker of rules in this process, after a commit. */
import type { Db, Tx } from '../../platform/db/db.ts';

const automationsWork = 'automations';

export function wakeAutomations(by: Pick<Tx, 'wake'>): void {
  by.wake(automationsWork);
}

export function onAutomations(db: Db, look: () => void): () => void {
  return db.onWake(automationsWork, look);
}
