/**
 * Moves an account to another cell while it is in use (docs/cells.md). Everything that has been done is noted in the
 * databases: a command that was killed is started again and goes on. The account has moved at one moment, when its old
 * cell is left for good (`leave`); what follows can be repeated, and the service does it too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict, isTemporary, notFound } from '../../http/errors.ts';
import { newId } from '../../ids.ts';
import { cellOfAccount } from '../directory.ts';
import {
  atOnce,
  type Copied,
  type CopyDeps,
  compareAll,
  compareLast,
  copyAll,
  copyChanges,
  MustStartOver,
} from './copy.ts';
import {
  close,
  countChanges,
  countLeases,
  dropFence,
  findFence,
  forgetAllChanges,
  haveEnded,
  leave,
  nextTransaction,
  putFence,
  quieten,
  reopen,
} from './fence.sql.ts';
import { guardTables } from './guard.ts';
import { hold } from './hold.ts';
import {
  endMove,
  findLatestMove,
  findMove,
  findMover,
  insertMove,
  type Move,
  type MoverState,
  saveMove,
} from './moves.sql.ts';
import { retried } from './retried.ts';
import { beginLiveLog, beginWrite, countRows, keepNews, readNews } from './rows.sql.ts';
import { type MoveCells, settle } from './settle.ts';
import { clearTarget, openCopy, wipeTarget } from './target.ts';

export interface MoveOptions extends MoveCells {
  accountId: string;
  to: string;
  report?(move: Move): void;
  /** Writes are refused for at most this long. */
  closedMs?: number;
  /** Processes learn of the move in this time, before anything changes for them. */
  announcedMs?: number;
}

const usualClosedMs = 1_500;
/** They look every second. */
const usualAnnouncedMs = 2_500;
/** Requests that were sent to the old cell a moment ago. */
const underWayMs = 100;
const quietSeconds = 60;
/** Fewer than these are copied in a moment. */
const fewChanges = 200;
const closingTries = 30;
const mostRestarts = 3;
const saveEveryMs = 500;

/** Resolves when the account has moved, also if it had before. */
export async function moveAccount(options: MoveOptions): Promise<Move> {
  const { home, dbOf, accountId, to } = options;
  const from = await cellOfAccount(home, accountId);
  const found = await findMove(home, accountId);
  if (found && found.to !== to)
    throw conflict(`the account is moving to the cell ${found.to}: let that move end, or cancel it`);
  if (!found && from === to) {
    const before = await findLatestMove(home, accountId);
    if (before?.state === 'done' && before.to === to) return before;
    throw conflict(`the account is in the cell ${to}`);
  }
  await requireMovable(options, found?.from ?? from);
  dbOf(to);
  const id = found?.id ?? newId();
  if (!found) await insertMove(home, { id, accountId, from, to });
  const { holder, letGo } = await hold(home, id);
  try {
    const move = await findMove(home, accountId);
    // The service has ended it meanwhile.
    if (move?.id !== id) return (await findLatestMove(home, accountId))!;
    return await new Mover(options, move, holder).run();
  } finally {
    await letGo();
  }
}

/** The account stays where it is. */
export async function cancelMove(cells: MoveCells, accountId: string): Promise<Move> {
  const move = await findMove(cells.home, accountId);
  if (!move) throw notFound('move');
  const { holder, letGo } = await hold(cells.home, move.id);
  try {
    return await new Mover({ ...cells, accountId, to: move.to }, move, holder).abandon('cancelled');
  } finally {
    await letGo();
  }
}

async function requireMovable({ dbOf, accountId }: MoveOptions, from: string): Promise<void> {
  const account = await findMover(dbOf(from), accountId);
  if (!account) throw notFound('account');
  const reason = whyNotMovable(account);
  if (reason) throw conflict(reason);
}

function whyNotMovable(account: MoverState | null): string | null {
  if (account === null || account.isDeleting) return 'the account is being deleted';
  if (account.hasInstanceAdmin)
    return 'the account has an administrator of the instance, and these are in the home cell';
  return null;
}

class Mover {
  readonly #options: MoveOptions;
  readonly #move: Move;
  readonly #holder: string;
  #deps!: CopyDeps;
  #savedAt = 0;
  /** Keys of rows that were copied after everything was compared, by table. */
  #unchecked = new Map<string, string[]>();
  readonly #begun = performance.now();

  constructor(options: MoveOptions, move: Move, holder: string) {
    this.#options = options;
    this.#move = move;
    this.#holder = holder;
  }

  async run(): Promise<Move> {
    const { accountId, dbOf } = this.#options;
    const { from, id } = this.#move;
    const fence = await findFence(dbOf(from), accountId);
    if (fence?.state === 'moved' && fence.moveId === id) return this.#settle();
    try {
      await this.#prepare();
      for (let restarts = 0; ; ) {
        try {
          await this.#copy();
          await this.#check();
          if (await this.#switch()) return await this.#settle();
        } catch (error) {
          if (!(error instanceof MustStartOver)) throw error;
          if (restarts++ === mostRestarts)
            throw new Mismatch(`rows in the cell ${this.#move.to} have the same values (${error.message})`);
          await this.#startOver();
        }
      }
    } catch (error) {
      if (error instanceof Mismatch) await this.abandon(error.message);
      throw error instanceof Mismatch ? conflict(`the account has not moved: ${error.message}`) : error;
    }
  }

  async abandon(reason: string): Promise<Move> {
    const { home, accountId, dbOf } = this.#options;
    const { id, from, to } = this.#move;
    // First: from then on it can no longer leave.
    if (!(await dropFence(dbOf(from), accountId, id, 'leaving'))) {
      const fence = await findFence(dbOf(from), accountId);
      if (fence?.state === 'moved' && fence.moveId === id) {
        await this.#settle();
        throw conflict('the account has moved already');
      }
    }
    await forgetAllChanges(dbOf(from), accountId);
    const arriving = await findFence(dbOf(to), accountId);
    if (arriving?.state === 'arriving' && arriving.moveId === id) {
      const deps = await this.#open();
      await putFence(dbOf(to), accountId, this.#arriving());
      await wipeTarget(deps);
      await dropFence(dbOf(to), accountId, id, 'arriving');
    }
    await endMove(home, id, 'abandoned', reason);
    return (await findLatestMove(home, accountId))!;
  }

  #arriving() {
    const { id, from } = this.#move;
    return { moveId: id, holder: this.#holder, state: 'arriving' as const, otherCell: from };
  }

  #open(): Promise<CopyDeps> {
    return openCopy(this.#options, this.#move, this.#holder);
  }

  /** From here on every change in the old cell is noted, and only this command writes in the new one. */
  async #prepare(): Promise<void> {
    this.#deps = await this.#open();
    const { source, target, accountId, tables } = this.#deps;
    const { id, to } = this.#move;
    await clearTarget(this.#deps, to);
    const goesOn = (await findFence(source, accountId))?.moveId === id;
    const leaving = { moveId: id, holder: this.#holder, state: 'leaving' as const, otherCell: to };
    if (
      !(await putFence(target, accountId, this.#arriving())) ||
      !(await putFence(source, accountId, leaving))
    )
      throw conflict('another move of the account has not ended');
    await Promise.all([guardTables(target, tables), guardTables(source, tables)]);
    const since = await nextTransaction(source);
    while (!(await haveEnded(source, since))) await sleep(50);
    if (!goesOn) {
      this.#move.tablesDone = [];
      await wipeTarget(this.#deps);
    }
    this.#move.tablesTotal = tables.length;
    const counts = await countRows(source, tables, accountId);
    this.#move.rowsTotal = [...counts.values()].reduce((sum, count) => sum + count, 0);
    await this.#save({});
  }

  async #startOver(): Promise<void> {
    await reopen(this.#deps.source, this.#deps.accountId, this.#holder);
    this.#move.tablesDone = [];
    await this.#save({ state: 'copying', rowsCopied: 0 });
    await wipeTarget(this.#deps);
  }

  async #copy(): Promise<void> {
    const move = this.#move;
    await this.#save({ state: 'copying', detail: null });
    if (move.tablesDone.length < this.#deps.tables.length) {
      const onRows = (count: number) => {
        move.rowsCopied += count;
        if (performance.now() - this.#savedAt > saveEveryMs) void this.#saveQuietly();
      };
      await copyAll(this.#deps, move.tablesDone, onRows, async (name) => {
        move.tablesDone = [...move.tablesDone, name];
        await this.#save({});
      });
    }
    for (let round = 0; round < 10; round++) {
      if ((await this.#copyChanges()) < fewChanges) break;
    }
  }

  async #copyChanges(): Promise<number> {
    const copied = await atOnce(this.#deps, (tx) => copyChanges(this.#deps, tx));
    this.#noteUnchecked(copied);
    await copied.forget();
    return copied.count;
  }

  #noteUnchecked({ keys }: Copied): void {
    for (const [table, some] of keys) {
      this.#unchecked.set(table, [...new Set([...(this.#unchecked.get(table) ?? []), ...some])]);
    }
  }

  async #check(): Promise<void> {
    await this.#save({ state: 'checking' });
    const { copied, problem } = await atOnce(this.#deps, async (tx) => ({
      copied: await copyChanges(this.#deps, tx),
      problem: await compareAll(this.#deps, tx),
    }));
    if (problem) throw new Mismatch(problem);
    this.#unchecked.clear();
    await copied.forget();
  }

  /** True: the account has left. False: too much has changed meanwhile. */
  async #switch(): Promise<boolean> {
    const { source, accountId } = this.#deps;
    for (let tries = 0; tries < closingTries; tries++) {
      await this.#untilIdle();
      await this.#copyChanges();
      const left = this.#begun + (this.#options.announcedMs ?? usualAnnouncedMs) - performance.now();
      if (left > 0) await sleep(left);
      await this.#save({ state: 'closing' });
      await sleep(underWayMs);
      try {
        if (await this.#closeAndLeave()) return true;
      } catch (error) {
        if (!isTemporary(error)) throw error;
      }
      await reopen(source, accountId, this.#holder);
      await this.#save({ state: 'waiting', detail: 'the last changes took too long: once more' });
      if ((await countChanges(source, accountId)) > fewChanges * 10) return false;
      await sleep(500);
    }
    throw conflict('the account is too busy to be closed for a moment: start the command again later');
  }

  /** Work that has begun ends, and no other begins. */
  async #untilIdle(): Promise<void> {
    const { source, accountId } = this.#deps;
    for (;;) {
      const isQuiet = await retried(() => quieten(source, accountId, this.#holder, quietSeconds));
      if (!isQuiet) throw conflict('another command has taken over the move');
      const until = performance.now() + (quietSeconds - 5) * 1_000;
      while (performance.now() < until) {
        const work = await countLeases(source, accountId);
        if (work.length === 0) return;
        const detail = `waits for ${work.map(({ kind, count }) => `${count} × ${kind}`).join(', ')}`;
        if (detail !== this.#move.detail) await this.#save({ state: 'waiting', detail });
        await sleep(50);
      }
      // Other work of the account must not wait longer.
      await reopen(source, accountId, this.#holder);
      await sleep(5_000);
    }
  }

  async #closeAndLeave(): Promise<boolean> {
    const { source, target, accountId } = this.#deps;
    const began = performance.now();
    if (!(await close(source, accountId, this.#holder, this.#options.closedMs ?? usualClosedMs)))
      return false;
    const { problem, news } = await atOnce(this.#deps, async (tx) => {
      const reason = whyNotMovable(await findMover(tx, accountId));
      if (reason) return { problem: reason, news: [] };
      this.#noteUnchecked(await copyChanges(this.#deps, tx));
      const [found, unread] = await Promise.all([
        compareLast(this.#deps, tx, this.#unchecked),
        readNews(tx, accountId),
      ]);
      return { problem: found, news: unread };
    });
    if (problem) {
      await reopen(source, accountId, this.#holder);
      throw new Mismatch(problem);
    }
    await target.transaction(async (tx) => {
      if ((await beginWrite(tx, accountId, this.#holder)) === null)
        throw conflict('another command has taken over the move');
      await beginLiveLog(tx, accountId);
      await keepNews(tx, accountId, news);
    });
    const hasLeft = await leave(source, accountId, this.#holder);
    this.#move.closedMs = Math.round(performance.now() - began);
    return hasLeft;
  }

  async #settle(): Promise<Move> {
    const { home, accountId } = this.#options;
    const { id: moveId, from, to } = this.#move;
    const began = performance.now();
    await this.#saveQuietly();
    await settle(this.#options, { accountId, moveId, from, to });
    const done = (await findLatestMove(home, accountId))!;
    if (done.closedMs !== null) done.closedMs += Math.round(performance.now() - began);
    this.#options.report?.(done);
    return done;
  }

  async #save(changes: Partial<Move>): Promise<void> {
    Object.assign(this.#move, changes);
    this.#savedAt = performance.now();
    await saveMove(this.#options.home, this.#move);
    this.#options.report?.(this.#move);
  }

  /** Progress is not worth an error. */
  async #saveQuietly(): Promise<void> {
    await this.#save({}).catch(() => {});
  }
}

/** The copy is not what it should be. */
class Mismatch extends Error {}
