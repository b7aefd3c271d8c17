/**
 * Batches items by key: items that arrive while a batch of their key runs go into the next batch. A single item runs
 * at once.
 */

/** Takes one item of the key; settles with the outcome that the run of its batch has for it. */
export type Group<Item, Outcome> = (key: string, item: Item) => Promise<Outcome>;

export interface GroupOptions<Item, Outcome> {
  maxItems: number;
  /** A batch of this size starts while one other is still running; omitted: never. */
  pipelineFrom?: number;
  /**
   * One outcome per item, in order. If a run fails as a whole (the database is unreachable), all waiting items fail
   * too: otherwise each batch would wait for its own timeout.
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
  /** The next batch is taken at the end of this turn of the event loop. */
  isBeginning: boolean;
}

export function createBatcher<Item, Outcome>({
  maxItems,
  pipelineFrom = Number.POSITIVE_INFINITY,
  run,
}: GroupOptions<Item, Outcome>): Group<Item, Outcome> {
  /** By key, as long as something waits, runs or is scheduled. */
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
      // The next batch is sent first: the database works on it while this one's responses are written.
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
      // After all input that has arrived was read, so that it joins the batch.
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
