/**
 * The cells besides the home cell: each is opened when its database answers and its schema is current, at the start or
 * later. One that is away takes nothing else with it.
 */
import type { Logger } from '../logger.ts';
import { reasonOf } from '../start/start-error.ts';
import type { CellSettings } from './cell-settings.ts';

export interface CellState {
  name: string;
  isOpen: boolean;
}

export interface Cells<Opened> {
  readonly names: readonly string[];
  /** Null: not open. */
  get(name: string): Opened | null;
  states(): CellState[];
  close(): Promise<void>;
}

export interface CellsOptions<Opened> {
  settings: readonly CellSettings[];
  logger: Logger;
  /** Connects, migrates and builds what serves the cell. It has closed everything again when it throws. */
  open(settings: CellSettings): Promise<Opened>;
  closeOne(opened: Opened): Promise<void>;
  retryMs?: number;
  /** How long a start waits for the cells: a migration of one may take minutes, and home has its own accounts. */
  waitMs?: number;
}

export async function openCells<Opened>(options: CellsOptions<Opened>): Promise<Cells<Opened>> {
  const { settings, logger, open, closeOne, retryMs = 2_000, waitMs = 15_000 } = options;
  const opened = new Map<string, Opened>();
  const timers = new Map<string, NodeJS.Timeout>();
  const said = new Map<string, string>();
  let stopping = false;

  const attempt = async (cell: CellSettings): Promise<void> => {
    const { name } = cell;
    try {
      const one = await open(cell);
      if (stopping) return await closeOne(one);
      opened.set(name, one);
      logger.info({ cell: name }, 'a cell is open');
    } catch (error) {
      const reason = reasonOf(error);
      // Tried every few seconds: said once.
      if (said.get(name) !== reason) logger.error({ cell: name, reason }, 'a cell cannot be opened');
      said.set(name, reason);
      if (!stopping) {
        timers.set(
          name,
          setTimeout(() => run(cell), retryMs),
        );
      }
    }
  };
  const running = new Set<Promise<void>>();
  const run = (cell: CellSettings): Promise<void> => {
    const attempted = attempt(cell).finally(() => running.delete(attempted));
    running.add(attempted);
    return attempted;
  };

  let giveUp: NodeJS.Timeout | undefined;
  await Promise.race([
    Promise.all(settings.map(run)),
    new Promise((resolve) => {
      giveUp = setTimeout(resolve, waitMs);
    }),
  ]);
  clearTimeout(giveUp);

  return {
    names: settings.map(({ name }) => name),
    get: (name) => opened.get(name) ?? null,
    states: () => settings.map(({ name }) => ({ name, isOpen: opened.has(name) })),
    async close() {
      stopping = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running);
      await Promise.all([...opened.values()].map(closeOne));
    },
  };
}
