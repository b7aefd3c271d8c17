/** What is asked for at the same time shares a statement: most of the cost of a small one is its beginning and its end. */

import type { Db } from '../db/db.ts';
import { createBatcher, type Group } from './batcher.ts';

/** It is sent after it was asked for, so it sees everything that had been committed until then. One outcome per item, in order. */
export function createSharedStatement<Item, Result>(
  maxItems: number,
  run: (db: Db, items: readonly Item[]) => Promise<Result[]>,
): (db: Db, item: Item) => Promise<Result> {
  const groups = new WeakMap<Db, Group<Item, Result>>();
  return (db, item) => {
    let group = groups.get(db);
    if (!group) {
      group = createBatcher<Item, Result>({
        maxItems,
        pipelineFrom: maxItems,
        async run(_key, items) {
          return (await run(db, items)).map((value) => ({ status: 'fulfilled', value }));
        },
      });
      groups.set(db, group);
    }
    return group('', item);
  };
}
