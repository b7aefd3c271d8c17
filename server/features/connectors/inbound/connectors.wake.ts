/** Tells the workers of this process that something came in; those of other processes find it at their next look. */
import type { Db, Tx } from '../../../platform/db/db.ts';

const inboundWork = 'inbound messages';

/** By a transaction: after its commit. */
export function wakeSplitters(by: Pick<Tx, 'wake'>): void {
  by.wake(inboundWork);
}

export function onInbound(db: Db, wake: () => void): () => void {
  return db.onWake(inboundWork, wake);
}
