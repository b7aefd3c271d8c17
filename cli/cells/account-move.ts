import { cancelMove } from '../../server/platform/cells/move/move.ts';
import { findLatestMove, type Move } from '../../server/platform/cells/move/moves.sql.ts';
import { chooseAccount } from '../choose-account.ts';
import { type Command, CommandError, readOptions, requireOption, UsageError } from '../command.ts';
import { type InstanceDatabases, withInstance } from '../instance.ts';
import { requireCell } from './cells.ts';
import { describeMove, moveCells, moveWithProgress } from './move-progress.ts';

export const accountMove: Command = {
  usage: '--account <id or name> (--to <cell> | --status | --cancel) [--json]',
  help: `Options:
  --account <id or name>  the account
  --to <cell>             home, or a name of CELLS
  --status                only show how far the last move of the account is
  --cancel                end a move that is under way: the account stays where it is
  --json                  the move as JSON, when it has ended

Moves an account to another database while it is in use. Its rows are copied and compared. Then writes of this account
wait for a moment (2 seconds at most), the last changes are copied, and the account is in the new cell. Reads are
answered all the time. If the command is interrupted, start it again: it goes on.

The old rows are removed after a day. An account with an administrator of the instance stays in the home cell.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      account: { type: 'string' },
      to: { type: 'string' },
      status: { type: 'boolean', default: false },
      cancel: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    const idOrName = requireOption(options.account, 'account');
    const chosen = [options.to !== undefined, options.status, options.cancel].filter(Boolean);
    if (chosen.length !== 1) throw new UsageError('one of --to, --status and --cancel is required');
    return withInstance(terminal, async (instance) => {
      const accountId = await findAccountId(instance, idOrName);
      const show = (move: Move) =>
        terminal.print(options.json ? JSON.stringify(move, null, 2) : describeMove(move));
      if (options.status) {
        const move = await findLatestMove(instance.home, accountId);
        if (!move) throw new CommandError('the account was never moved');
        show(move);
        return 0;
      }
      if (options.cancel) {
        show(await cancelMove(moveCells(instance), accountId));
        return 0;
      }
      const { name: to } = await requireCell(instance, options.to!);
      show(await moveWithProgress(instance, terminal, accountId, to));
      return 0;
    });
  },
};

/** An account whose rows are being copied is found in its old cell. */
async function findAccountId({ cells }: InstanceDatabases, idOrName: string): Promise<string> {
  const reachable = cells.flatMap(({ db }) => (db ? [db] : []));
  return (await chooseAccount(reachable, idOrName)).id;
}
