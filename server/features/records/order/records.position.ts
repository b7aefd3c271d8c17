/** Moves a record to a place in the manual order of its column (docs/filters.md). */
import type { CrmRecord, RecordPosition } from '../../../../contract/crm/records.ts';
import { createKeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Actor } from '../../accounts/accounts.ts';
import type { Definitions } from '../../kanbans/kanbans.ts';
import { changeRecord } from '../records.ts';
import {
  isBefore,
  type PlacedRecord,
  placeAbove,
  placeBelow,
  placeBetween,
  spread,
} from './records.place.ts';
import {
  type Column,
  findKanbanId,
  findPlace,
  lockOrder,
  selectAbove,
  selectBelow,
  updatePlaces,
} from './records.position.sql.ts';

/** How many records make space at first where two places have none between them. */
const firstWindow = 32;

/** While the database is away each turn ends in its time-out; those far behind must not wait for all of them. */
const turnBounds = { maxWaiting: 200, maxWaitMs: 10_000 };

/**
 * Moves on one board wait for each other anyway. Waiting here they hold no connection: a burst on one board would
 * otherwise take the whole pool.
 */
export function createMoveTurns(db: Reader) {
  const inTurn = createKeyedMutex(turnBounds);
  return async <T>(accountId: string, recordId: string, run: () => Promise<T>): Promise<T> => {
    const kanbanId = isId(recordId) ? await findKanbanId(db, accountId, recordId) : null;
    return kanbanId === null ? run() : inTurn(kanbanId, run);
  };
}

/**
 * A new status is an update as any other. The place alone is not: it has no event, no history and leaves `updatedAt`
 * as it is.
 */
export async function moveRecord(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  id: string,
  { before, after, status }: RecordPosition,
): Promise<CrmRecord> {
  const { accountId } = actor;
  if (isId(id)) await lockOrder(tx, accountId, id);
  const record = await changeRecord(tx, actor, now, definitions, id, status === undefined ? {} : { status });
  const neighbourId = before ?? after;
  if (neighbourId === undefined || (before !== undefined && after !== undefined)) {
    throw badRequest('exactly one of before and after is required');
  }
  const { kanbanId } = record;
  const neighbour =
    isId(neighbourId) && neighbourId !== id ? await findPlace(tx, accountId, kanbanId, neighbourId) : null;
  if (!neighbour) {
    const name = before === undefined ? 'after' : 'before';
    throw badRequest(`${name} must be the id of another record of the same board`);
  }
  const column: Column = { accountId, kanbanId, status: record.status, exceptId: id };
  const select = before === undefined ? selectBelow : selectAbove;
  const [next] = await select(tx, column, neighbour, 1);
  const [above, below] = before === undefined ? [neighbour, next] : [next, neighbour];
  const own = await findPlace(tx, accountId, kanbanId, id);
  const isThere = (!above || isBefore(above, own!)) && (!below || isBefore(own!, below));
  if (isThere) return record;
  if (!above) await updatePlaces(tx, accountId, [{ id, ...placeAbove(below!, id, now) }]);
  else if (!below) await updatePlaces(tx, accountId, [{ id, ...placeBelow(above, id) }]);
  else {
    const place = placeBetween(above, below);
    if (place) await updatePlaces(tx, accountId, [{ id, ...place }]);
    else await makeSpace(tx, column, above);
  }
  return record;
}

/** Distributes the record and those below it, as many as necessary, over the space that they have together. */
async function makeSpace(tx: Tx, column: Column, above: PlacedRecord): Promise<void> {
  for (let window = firstWindow; ; window *= 4) {
    const found = await selectBelow(tx, column, above, window + 1);
    const end = found.length > window ? found[window]! : null;
    const ids = [column.exceptId, ...found.slice(0, window).map(({ id }) => id)];
    const places = spread(above, end, ids.length);
    if (!places) continue;
    await updatePlaces(
      tx,
      column.accountId,
      ids.map((id, i) => ({ id, ...places[i]! })),
    );
    return;
  }
}
