/** Moves of accounts, with lines for the person at the terminal. */
import { roomiest } from '../../server/platform/cells/directory.ts';
import { moveAccount } from '../../server/platform/cells/move/move.ts';
import { findMove, type Move, selectMovable } from '../../server/platform/cells/move/moves.sql.ts';
import { CommandError, type Terminal } from '../command.ts';
import type { InstanceDatabases } from '../instance.ts';

export async function moveWithProgress(
  instance: InstanceDatabases,
  terminal: Terminal,
  accountId: string,
  to: string,
): Promise<Move> {
  let said = '';
  return moveAccount({
    ...moveCells(instance),
    accountId,
    to,
    report(move) {
      const line = describeMove(move);
      if (line !== said) terminal.say(line);
      said = line;
    },
  });
}

/** Each to the cell with the most room at that moment. Those that fail stay, and the others go on. */
export async function moveAllFrom(
  instance: InstanceDatabases,
  terminal: Terminal,
  from: string,
): Promise<{ moved: number; failed: number }> {
  const { home, directory, cells } = instance;
  const isOpen = (name: string) => cells.some((cell) => cell.name === name && cell.db !== null);
  const outcome = { moved: 0, failed: 0 };
  for (const accountId of await selectMovable(home, from)) {
    const others = (await directory.list()).filter(({ name }) => name !== from);
    const to = (await findMove(home, accountId))?.to ?? roomiest(others, isOpen);
    if (to === from || !others.some((cell) => cell.name === to && !cell.drained))
      throw new CommandError('no other cell takes accounts');
    try {
      await moveWithProgress(instance, terminal, accountId, to);
      outcome.moved++;
    } catch (error) {
      terminal.say(`${accountId} stays: ${(error as Error).message}`);
      outcome.failed++;
    }
  }
  return outcome;
}

export function moveCells({ home, directory }: InstanceDatabases) {
  return { home, dbOf: directory.requireDb };
}

export function describeMove(move: Move): string {
  const { accountId, from, to, state, rowsCopied, rowsTotal, detail, closedMs } = move;
  const where = `${accountId} from ${from} to ${to}`;
  switch (state) {
    case 'done':
      return `${where}: moved${closedMs === null ? '' : `, writes waited for ${closedMs} ms`}`;
    case 'abandoned':
      return `${where}: not moved (${detail ?? 'abandoned'})`;
    case 'copying': {
      const percent = rowsTotal > 0 ? Math.min(100, Math.floor((rowsCopied / rowsTotal) * 100)) : 0;
      return `${where}: copying, ${rowsCopied} of ${rowsTotal} rows (${percent} %)`;
    }
    default:
      return `${where}: ${state}${detail ? `, ${detail}` : ''}`;
  }
}
