/** Builds the cells of a process: one context, one app and one worker for each database of CELLS. */
import type { ServiceContext } from './context.ts';
import { updateStoredContactKeys } from './features/sessions/sessions.ts';
import { type CellSettings, homeCell } from './platform/cells/cell-settings.ts';
import { type Cells, openCells } from './platform/cells/cells.ts';
import { selectPlacedSince } from './platform/cells/directory.sql.ts';
import { createDirectory, type Directory } from './platform/cells/directory.ts';
import { openFront } from './platform/cells/front.ts';
import { createLocator } from './platform/cells/locator.ts';
import { answers, hasAnyAccount } from './platform/cells/lookup.sql.ts';
import { channel } from './platform/cells/request-place.ts';
import { requireDatabase } from './platform/db/database-check.ts';
import { startFirstStatistics } from './platform/db/first-statistics.ts';
import { migrate } from './platform/db/migrate.ts';
import type { App } from './platform/http/http.ts';
import { transportHeaders } from './platform/http/security-headers.ts';
import { checkCellName } from './platform/secrets/cell-name.ts';
import { closeCellContext, connectDb, createCellContext } from './service.ts';

export interface CellRoles {
  createApp(context: ServiceContext): Promise<App>;
  startWorker(context: ServiceContext): Promise<{ stop(): Promise<void> }>;
}

interface OpenCell {
  context: ServiceContext;
  app: App | null;
  close(): Promise<void>;
}

export interface ServiceCells {
  /** Answers for all cells from now on: `home` is the app that listens. */
  attach(home: App): { inject: App['inject'] };
  contextOf(cell: string): ServiceContext | null;
  /** Together with home's app, before everything else stops. */
  closeApps(): Promise<void>;
  close(): Promise<void>;
}

/** Other processes may have placed accounts elsewhere; a longer look back than the time between two looks. */
const followEveryMs = 1_000;
const followSeconds = 30;

/** Of `home`'s own parts it sets `accountHomes`, `cellStatus` and `forward`, before its app is created. */
export async function startCells(home: ServiceContext, roles: CellRoles): Promise<ServiceCells> {
  const { config, logger } = home;
  const names = config.cells.map(({ name }) => name);
  let cells: Cells<OpenCell> | null = null;
  const contextOf = (cell: string) => (cell === homeCell ? home : (cells?.get(cell)?.context ?? null));
  const dbOf = (cell: string) => contextOf(cell)?.db ?? null;
  const directory = createDirectory({ home: home.db, names, dbOf });
  const locator = createLocator({
    home: home.db,
    others: () => names.map((name) => ({ name, db: dbOf(name) })),
  });
  home.db.onClaimEmail(directory.claimEmail);
  const requireContext = (cell: string): ServiceContext => {
    directory.requireDb(cell);
    return contextOf(cell)!;
  };
  home.accountHomes = {
    all: async () => [homeCell, ...names].map(requireContext),
    of: async (accountId) => requireContext(await locator.locateAccount(accountId)),
    forNew: async (accountId) => requireContext(await directory.place(accountId)),
    dropNew: directory.drop,
  };
  home.cellStatus = () =>
    Promise.all(
      names.map(async (name) => ({ name, status: (await answers(dbOf(name))) ? 'ok' : 'unavailable' })),
    );
  home.forward = async (named) => {
    const account =
      'email' in named
        ? await directory.findAccountOfEmail(named.email)
        : 'account' in named
          ? named.account
          : null;
    const place = 'channel' in named ? channel(named.channel) : account === null ? null : { account };
    const cell = await locator.locatePlace(place);
    if (cell === homeCell) return null;
    directory.requireDb(cell);
    return cells?.get(cell)?.app ?? null;
  };

  cells = await openCells<OpenCell>({
    settings: config.cells,
    logger,
    open: (settings) => openCell(home, settings, roles, directory),
    closeOne: (cell) => cell.close(),
  });
  const all = cells;
  const follow = setInterval(() => {
    selectPlacedSince(home.db, followSeconds).then(
      (placed) => {
        for (const { accountId, cell } of placed) locator.placed(accountId, cell);
      },
      () => {}, // nothing moves while the directory is away
    );
  }, followEveryMs);
  follow.unref();

  return {
    attach: (app) =>
      openFront({
        home: app,
        appOf: (cell) => all.get(cell)?.app ?? null,
        locate: locator.locate,
        headers: transportHeaders(config.publicUrl),
      }),
    contextOf,
    async closeApps() {
      await Promise.all(names.map((name) => all.get(name)?.app?.close()));
    },
    async close() {
      clearInterval(follow);
      await all.close();
    },
  };
}

async function openCell(
  home: ServiceContext,
  { name, url }: CellSettings,
  roles: CellRoles,
  directory: Directory,
): Promise<OpenCell> {
  const { config, logger } = home;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of closers.splice(0).reverse()) {
      await step().catch((error) =>
        logger.error({ err: error, cell: name }, 'stopping a part of a cell failed'),
      );
    }
  };
  try {
    const connection = { connectionString: url };
    await requireDatabase(connection, `of the cell ${name}`);
    const db = connectDb({ connection, stop: async () => {} }, logger);
    db.onClaimEmail(directory.claimEmail);
    closers.push(() => db.close());
    const applied = await migrate(db, { onWait: (message) => logger.warn({ cell: name }, message) });
    if (applied.length > 0) logger.info({ cell: name, applied }, 'migrated');
    await checkCellName(db, home.secrets, name, async () => !(await hasAnyAccount(db)));
    await updateStoredContactKeys(db);
    const statistics = startFirstStatistics(db, logger);
    closers.push(() => statistics.stop());
    const context = await createCellContext(home, db);
    closers.push(() => closeCellContext(context));
    if (config.role !== 'api') {
      const worker = await roles.startWorker(context);
      closers.push(() => worker.stop());
    }
    const app = config.role === 'worker' ? null : await roles.createApp(context);
    if (app) {
      closers.push(() => app.close());
      await app.ready();
    }
    return { context, app, close };
  } catch (error) {
    await close();
    throw error;
  }
}
