/**
 * What comes while others of its key are being worked on waits for them, and then goes with all that have come
 * meanwhile. Whoever comes alone goes alone and waits for nobody.
 */

/** Takes one item of the key; settles as its group's run says for it. */
export type Group<Item, Outcome> = (key: string, item: Item) => Promise<Outcome>;

export interface GroupOptions<Item, Outcome> {
  maxItems: number;
  /** So many do not wait for those before them to be done, if only one group is under way; left out: none do. */
  pipelineFrom?: number;
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

interface Line<Item, Outcome> {
  waiting: Waiting<Item, Outcome>[];
  running: number;
  /** Its next group is taken at the end of this turn. */
  isBeginning: boolean;
}

export function createBatcher<Item, Outcome>({
  maxItems,
  pipelineFrom = Number.POSITIVE_INFINITY,
  run,
}: GroupOptions<Item, Outcome>): Group<Item, Outcome> {
  /** By key, as long as something waits, runs or is about to. */
  const lines = new Map<string, Line<Item, Outcome>>();

  const outcomesOf = async (
    key: string,
    group: readonly Waiting<Item, Outcome>[],
    { waiting }: Line<Item, Outcome>,
  ) => {
    try {
      const items = group.map(({ item }) => item);
      return await run(key, items);
    } catch (reason) {
      for (const { reject } of waiting.splice(0)) reject(reason);
      return group.map((): PromiseRejectedResult => ({ status: 'rejected', reason }));
    }
  };

  const mayRun = ({ waiting, running }: Line<Item, Outcome>) =>
    running === 0 ? waiting.length > 0 : running === 1 && waiting.length >= pipelineFrom;

  const runNext = async (key: string, line: Line<Item, Outcome>): Promise<void> => {
    const group = line.waiting.splice(0, maxItems);
    line.running++;
    const outcomes = await outcomesOf(key, group, line);
    line.running--;
    if (mayRun(line)) {
      // The next group is sent first: the database works on it while the answers to this one are written.
      void runNext(key, line);
      setImmediate(settle, group, outcomes);
    } else {
      endIfDone(key, line);
      settle(group, outcomes);
    }
  };

  const begin = (key: string, line: Line<Item, Outcome>): void => {
    line.isBeginning = false;
    if (mayRun(line)) void runNext(key, line);
    else endIfDone(key, line);
  };

  const endIfDone = (key: string, { waiting, running, isBeginning }: Line<Item, Outcome>): void => {
    if (waiting.length === 0 && running === 0 && !isBeginning) lines.delete(key);
  };

  return (key, item) =>
    new Promise((resolve, reject) => {
      let line = lines.get(key);
      if (!line) {
        line = { waiting: [], running: 0, isBeginning: false };
        lines.set(key, line);
      }
      line.waiting.push({ item, resolve, reject });
      if (line.isBeginning || !mayRun(line)) return;
      line.isBeginning = true;
      // After everything that has arrived by now was read, so that it goes along.
      setImmediate(begin, key, line);
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
