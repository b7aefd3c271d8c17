/**
 * What comes while others of its key are being worked on waits for them, and then goes with all that have come
 * meanwhile. Whoever comes alone goes alone and waits for nobody.
 */

/** Takes one item of the key; settles as its group's run says for it. */
export type Group<Item, Outcome> = (key: string, item: Item) => Promise<Outcome>;

export interface GroupOptions<Item, Outcome> {
  mostItems: number;
  /**
   * One outcome for each item, in order. Where it fails as a whole, because the database is away, so does everyone who
   * waits: one after the other each group would wait for its own time-out.
   */
  run(key: string, items: readonly Item[]): Promise<PromiseSettledResult<Outcome>[]>;
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createGroup<Item, Outcome>({
  mostItems,
  run,
}: GroupOptions<Item, Outcome>): Group<Item, Outcome> {
  /** By key, while a run is under way or about to begin: who goes with the next. */
  const lines = new Map<string, Waiting<Item, Outcome>[]>();

  const outcomesOf = async (
    key: string,
    group: readonly Waiting<Item, Outcome>[],
    line: Waiting<Item, Outcome>[],
  ) => {
    try {
      const items = group.map(({ item }) => item);
      return await run(key, items);
    } catch (reason) {
      for (const { reject } of line.splice(0)) reject(reason);
      return group.map((): PromiseRejectedResult => ({ status: 'rejected', reason }));
    }
  };

  const runAll = async (key: string, line: Waiting<Item, Outcome>[]): Promise<void> => {
    while (line.length > 0) {
      const group = line.splice(0, mostItems);
      const outcomes = await outcomesOf(key, group, line);
      // The next group is sent first: the database works on it while the answers to this one are written.
      if (line.length > 0) setImmediate(settle, group, outcomes);
      else settle(group, outcomes);
    }
    lines.delete(key);
  };

  return (key, item) =>
    new Promise((resolve, reject) => {
      const line = lines.get(key);
      if (line) {
        line.push({ item, resolve, reject });
        return;
      }
      const begun = [{ item, resolve, reject }];
      lines.set(key, begun);
      // After everything that has arrived by now was read, so that it goes along.
      setImmediate(runAll, key, begun);
    });
}

function settle<Outcome>(
  group: readonly Waiting<unknown, Outcome>[],
  outcomes: readonly PromiseSettledResult<Outcome>[],
): void {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') group[index]!.resolve(outcome.value);
    else group[index]!.reject(outcome.reason);
  }
}
