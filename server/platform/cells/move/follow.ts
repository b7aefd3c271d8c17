/**
 * Accounts that move, as a process sees them. It knows of a move seconds before anything changes, and asks the directory
 * about such an account with every request. So no process answers from the old cell after another one has written in
 * the new one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import { selectPlacedSince } from '../directory.sql.ts';
import { findMovingCell, type MovingAccount, selectMoving } from './moves.sql.ts';
import { type MoveCells, settleIfMoved } from './settle.ts';

export interface FollowDeps extends MoveCells {
  logger: Logger;
  /** The account is in this cell now. */
  placed(accountId: string, cell: string): void;
  /** Before the first request in its new cell. */
  onMoved(accountId: string): void;
}

export interface Follower {
  locateMoving(accountId: string, isRead: boolean): Promise<string> | null;
  stop(): Promise<void>;
}

const everyMs = 1_000;
/** More than the time since the last look: a row is visible only some time after its time. */
const overlapMs = 30_000;
/** A move may have begun and ended unseen. */
const longMs = 2_500;
/** A write waits this long for the end of a move, and is then refused by the database. */
const waitMs = 2_000;
const askEveryMs = 40;

export function followMoves(deps: FollowDeps): Follower {
  const { home, logger, placed, onMoved } = deps;
  let moving = new Map<string, MovingAccount>();
  /** Moves whose end this process has seen. */
  const ended = new Set<string>();

  const noteEnd = ({ accountId, moveId }: MovingAccount, cell: string) => {
    placed(accountId, cell);
    if (ended.has(moveId)) return;
    ended.add(moveId);
    onMoved(accountId);
  };

  let lookedAt = performance.now();
  const look = async (): Promise<void> => {
    const began = performance.now();
    const sinceMs = began - lookedAt;
    const before = moving;
    const now = new Map((await selectMoving(home)).map((move) => [move.accountId, move]));
    // After the moves: one that is no longer under way has its place by then.
    for (const { accountId, cell } of await selectPlacedSince(home, (sinceMs + overlapMs) / 1_000)) {
      const move = before.get(accountId);
      if (move && cell === move.to && now.get(accountId)?.moveId !== move.moveId) noteEnd(move, cell);
      else if (!now.has(accountId)) {
        placed(accountId, cell);
        if (sinceMs > longMs) onMoved(accountId);
      }
    }
    moving = now;
    lookedAt = began;
    for (const [accountId, { moveId }] of before)
      if (now.get(accountId)?.moveId !== moveId) ended.delete(moveId);
    for (const move of now.values()) {
      // The command may have been killed after the account had left: its last steps are done here, or by both. Writes are
      // refused until then.
      if (move.state === 'closing') {
        await settleIfMoved(deps, move).catch((error) =>
          logger.debug({ err: error, move: move.moveId }, 'a move could not be ended'),
        );
      }
    }
  };
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) => logger.debug({ err: error }, 'the directory could not be read'))
      .finally(() => {
        looking = null;
      });
  }, everyMs);
  timer.unref();

  const ask = async (move: MovingAccount, isRead: boolean): Promise<string> => {
    const until = performance.now() + waitMs;
    for (;;) {
      const { cell, isClosing } = await findMovingCell(home, move.accountId).catch((error) => {
        // Nothing moves while the directory is away.
        if (isRead) return { cell: move.from, isClosing: false };
        throw error;
      });
      if (cell === move.to) noteEnd(move, cell);
      if (isRead || !isClosing || performance.now() > until) return cell;
      await sleep(askEveryMs);
    }
  };

  return {
    locateMoving(accountId, isRead) {
      const move = moving.get(accountId);
      return move ? ask(move, isRead) : null;
    },
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
