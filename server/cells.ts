/** Builds the cells of a process: one context, one app and one worker for each database of CELLS. */
import { lookUps } from './cells.places.sql.ts';
import { channel, namedInBody, placeOf } from './cells.places.ts';
import type { ServiceContext } from './context.ts';
import { accountConfigTopic, emailClaim, emailInUse } from './features/accounts/accounts.ts';
import { helpSlugClaim } from './features/help-center/help-center.ts';
import { updateStoredContactKeys } from './features/sessions/sessions.ts';
import { connectDb } from './open-database.ts';
import { type CellSettings, homeCell } from './platform/cells/cell-settings.ts';
import { type Cells, openCells } from './platform/cells/cells.ts';
import { noteChannels } from './platform/cells/directory.sql.ts';
import { createDirectory, type Directory } from './platform/cells/directory.ts';
import type { InBody } from './platform/cells/forward.ts';
import { openFront } from './platform/cells/front.ts';
import { createLocator, type Locator, type Place } from './platform/cells/locator.ts';
import { answers, hasAnyAccount, selectChannelIds } from './platform/cells/lookup.sql.ts';
import { followMoves } from './platform/cells/move/follow.ts';
import { createSocketsOfAccounts } from './platform/cells/move/sockets.ts';
import { requireDatabase } from './platform/db/database-check.ts';
import type { Db } from './platform/db/db.ts';
import { startFirstStatistics } from './platform/db/first-statistics.ts';
import { migrate } from './platform/db/migrate.ts';
import type { App } from './platform/http/http.ts';
import { transportHeaders } from './platform/http/security-headers.ts';
import { leaveProcesses } from './platform/jobs/due-work.ts';
import { checkCellName } from './platform/secrets/cell-name.ts';
import { closeCellContext, createCellContext } from './service.ts';

export interface CellRoles {
  createApp(context: ServiceContext): Promise<App>;
  startWorker(context: ServiceContext): Promise<{ stop(): Promise<void> }>;
}

interface OpenCell {
  context: ServiceContext;
  /** Null: this process answers no requests, or there was none for the cell yet. */
  readonly app: App | null;
  /** Creates the app; null: there is nothing to wait for. */
  prepareApp(): Promise<void> | null;
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

const settleEveryMs = 60_000;

/** Of `home`'s own parts it sets `accountHomes`, `cellStatus` and `forwarding`, before its app is created. */
export async function startCells(home: ServiceContext, roles: CellRoles): Promise<ServiceCells> {
  const { config, logger } = home;
  const names = config.cells.map(({ name }) => name);
  let cells: Cells<OpenCell> | null = null;
  const contextOf = (cell: string) => (cell === homeCell ? home : (cells?.get(cell)?.context ?? null));
  const dbOf = (cell: string) => contextOf(cell)?.db ?? null;
  const directory = createDirectory({ home: home.db, names, dbOf });
  const sockets = createSocketsOfAccounts();
  const moves = followMoves({
    home: home.db,
    dbOf: directory.requireDb,
    logger,
    placed: (accountId, cell) => locator.placed(accountId, cell),
    onMoved(accountId) {
      for (const name of [homeCell, ...names]) {
        contextOf(name)?.search.drop(accountId);
        contextOf(name)?.messageSearch.drop(accountId);
        contextOf(name)?.knowledgeSearch.drop(accountId);
      }
      sockets.end(accountId);
    },
  });
  const locator = createLocator({
    home: home.db,
    placeOf,
    lookUps,
    others: () => names.map((name) => ({ name, db: dbOf(name) })),
    onChannelFound: (channelId, accountId) => {
      noteChannels(home.db, [channelId], accountId).catch(() => {}); // found again by the next one
    },
    locateMoving: moves.locateMoving,
  });
  // In the transaction itself: a second connection of the same pool could wait for the first ones of others.
  home.db.onClaim(emailClaim, (tx, email, accountId) => directory.claimEmail(email, accountId, tx));
  home.db.onClaim(helpSlugClaim, (tx, slug, accountId) => directory.claimSlug(slug, accountId, tx));
  const requireContext = (cell: string): ServiceContext => {
    directory.requireDb(cell);
    return contextOf(cell)!;
  };
  home.accountHomes = {
    all: async () => [homeCell, ...names].map(requireContext),
    each: () => [homeCell, ...names].map(contextOf),
    of: async (accountId) => requireContext(await locator.locateAccount(accountId)),
    async forNew({ accountId: id, email, request }) {
      const placed = await directory.place(id, { request });
      const { accountId, cell, isRepeated } = placed;
      const isElsewhere = cell !== homeCell;
      const settle = () => directory.settle(placed);
      try {
        if (isElsewhere && !(await directory.claimEmail(email, accountId))) throw emailInUse();
        return { home: requireContext(cell), accountId, isRepeated, isEmailClaimed: isElsewhere, settle };
      } catch (error) {
        await settle().catch(() => {});
        throw error;
      }
    },
  };
  home.cellStatus = () =>
    Promise.all(
      names.map(async (name) => ({ name, status: (await answers(dbOf(name))) ? 'ok' : 'unavailable' })),
    );
  const placeNamed = async (named: InBody): Promise<Place> => {
    if ('channel' in named) return channel(named.channel);
    const account = 'account' in named ? named.account : await directory.findAccountOfEmail(named.email);
    return account === null ? null : { account };
  };
  const prepared = (cell: string): string | Promise<string> =>
    cells
      ?.get(cell)
      ?.prepareApp()
      ?.then(() => cell) ?? cell;
  home.forwarding = {
    namedInBody,
    async appFor(named) {
      const cell = await prepared(await locator.locatePlace(await placeNamed(named), false));
      if (cell === homeCell) return null;
      directory.requireDb(cell);
      return cells?.get(cell)?.app ?? null;
    },
  };

  cells = await openCells<OpenCell>({
    settings: config.cells,
    logger,
    open: async (settings) => {
      const opened = await openCell(home, settings, roles, directory);
      followChannels(opened.context.db, home.db, locator);
      return opened;
    },
    closeOne: (cell) => cell.close(),
  });
  const all = cells;
  const settleOld = () => void directory.settleOld().catch(() => {}); // tried again
  const settling = setInterval(settleOld, settleEveryMs);
  settling.unref();
  settleOld();

  return {
    attach: (app) =>
      openFront({
        home: app,
        appOf: (cell) => all.get(cell)?.app ?? null,
        locate(head) {
          const cell = locator.locate(head);
          return typeof cell === 'string' ? prepared(cell) : cell.then(prepared);
        },
        onUpgrade: (request, socket) => sockets.add(locator.accountOf(request), socket),
        headers: transportHeaders(config.publicUrl),
      }),
    contextOf,
    async closeApps() {
      await Promise.all(names.map((name) => all.get(name)?.app?.close()));
    },
    async close() {
      clearInterval(settling);
      await moves.stop();
      await all.close();
    },
  };
}

/**
 * Notes new channels in the directory, so that requests to them are found without asking every cell. After the commit:
 * one that is missed, because the process ends, is noted when it is first asked for.
 */
function followChannels(db: Db, home: Db, locator: Locator): void {
  const note = async (accountId: string) => {
    const fresh = locator.noteChannels(accountId, await selectChannelIds(db, accountId));
    if (fresh.length > 0) await noteChannels(home, fresh, accountId);
  };
  db.onInvalidate(accountConfigTopic, (accountId) => void note(accountId).catch(() => {}));
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
    db.onClaim(emailClaim, (_, email, accountId) => directory.claimEmail(email, accountId));
    db.onClaim(helpSlugClaim, (_, slug, accountId) => directory.claimSlug(slug, accountId));
    closers.push(() => db.close());
    const applied = await migrate(db, { onWait: (message) => logger.warn({ cell: name }, message) });
    if (applied.length > 0) logger.info({ cell: name, applied }, 'migrated');
    await checkCellName(db, home.secrets, name, async () => !(await hasAnyAccount(db)));
    await updateStoredContactKeys(db);
    const statistics = startFirstStatistics(db, logger);
    closers.push(() => statistics.stop());
    closers.push(async () => home.metrics.drop(name));
    closers.push(() => leaveProcesses(db));
    const context = await createCellContext(home, db, name);
    closers.push(() => closeCellContext(context));
    if (config.role !== 'api') {
      const worker = await roles.startWorker(context);
      closers.push(() => worker.stop());
    }
    const app = createCellApp(config.role === 'worker' ? null : () => roles.createApp(context));
    closers.push(app.close);
    // A cell without accounts needs none, and an app is most of the memory that a cell takes.
    if (await hasAnyAccount(db)) await app.prepare();
    return {
      context,
      get app() {
        return app.current();
      },
      prepareApp: app.prepare,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface CellApp {
  current(): App | null;
  prepare(): Promise<void> | null;
  close(): Promise<void>;
}

/** Created when it is first needed. A creation that failed is tried again by the next request. */
function createCellApp(create: (() => Promise<App>) | null): CellApp {
  let app: App | null = null;
  let creating: Promise<void> | null = null;
  let isClosed = create === null;
  const begin = async (): Promise<void> => {
    const created = await create!();
    try {
      await created.ready();
    } catch (error) {
      await created.close();
      throw error;
    }
    app = created;
  };
  return {
    current: () => app,
    prepare() {
      if (app || isClosed) return null;
      creating ??= begin().finally(() => {
        creating = null;
      });
      return creating;
    },
    async close() {
      isClosed = true;
      await creating?.catch(() => {});
      await app?.close();
    },
  };
}
