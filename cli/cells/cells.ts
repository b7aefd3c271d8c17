import { saveCell } from '../../server/platform/cells/directory.sql.ts';
import { databaseSize } from '../../server/platform/cells/lookup.sql.ts';
import { type Command, CommandError, readOptions, requireOption, UsageError } from '../command.ts';
import { type InstanceDatabases, withInstance } from '../instance.ts';
import { moveAllFrom } from './move-progress.ts';

const mostWeight = 1_000_000;

export const cellsList: Command = {
  usage: '[--json]',
  help: `Options:
  --json  for scripts: [{ "name", "accounts", "bytes", "weight", "drained" }]

Lists the databases of DATABASE_URL ("home") and CELLS with the number of their accounts and their sizes. New accounts go
to the cell with the most weight for each of its accounts, unless it is drained.`,

  async run(args, terminal) {
    const { json } = readOptions(args, { json: { type: 'boolean', default: false } });
    return withInstance(terminal, async ({ cells, directory }) => {
      const summaries = await directory.list();
      const rows = await Promise.all(
        summaries.map(async ({ name, accounts, weight, drained }) => {
          const db = cells.find((cell) => cell.name === name)?.db ?? null;
          return { name, accounts, bytes: db && (await databaseSize(db)), weight, drained };
        }),
      );
      if (json) terminal.print(JSON.stringify(rows, null, 2));
      else {
        terminal.print(line('cell', 'accounts', 'size', 'weight', ''));
        for (const { name, accounts, bytes, weight, drained } of rows) {
          const size = bytes === null ? 'unreachable' : `${Math.round(bytes / 1024 / 1024)} MB`;
          terminal.print(line(name, String(accounts), size, String(weight), drained ? 'drained' : ''));
        }
      }
      return 0;
    });
  },
};

export const cellsWeight: Command = {
  usage: '--cell <name> --weight <number>',
  help: `Options:
  --cell <name>      home, or a name of CELLS
  --weight <number>  from 0 to ${mostWeight}; 100 at first. A cell with twice the weight gets twice the accounts, one with 0 gets none`,

  async run(args, terminal) {
    const options = readOptions(args, { cell: { type: 'string' }, weight: { type: 'string' } });
    const cell = requireOption(options.cell, 'cell');
    const weight = Number(requireOption(options.weight, 'weight'));
    if (!Number.isInteger(weight) || weight < 0 || weight > mostWeight) {
      throw new UsageError(`--weight must be a whole number from 0 to ${mostWeight}`);
    }
    return withInstance(terminal, async (instance) => {
      const { name, drained } = await requireCell(instance, cell);
      await instance.home.transaction((tx) => saveCell(tx, { name, weight, drained }));
      terminal.say(`The cell ${name} has the weight ${weight}.`);
      return 0;
    });
  },
};

export const cellsDrain: Command = {
  usage: '--cell <name> [--move | --undo]',
  help: `Options:
  --cell <name>  home, or a name of CELLS
  --move         also move its accounts to the other cells, one after the other; started again, it goes on
  --undo         let it take new accounts again

A drained cell takes no new accounts. Without --move those that it has stay. Accounts with an administrator of the
instance always stay in the home cell.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      cell: { type: 'string' },
      move: { type: 'boolean', default: false },
      undo: { type: 'boolean', default: false },
    });
    const cell = requireOption(options.cell, 'cell');
    if (options.move && options.undo) throw new UsageError('--move and --undo cannot be combined');
    return withInstance(terminal, async (instance) => {
      const { name, weight } = await requireCell(instance, cell);
      const drained = !options.undo;
      await instance.home.transaction((tx) => saveCell(tx, { name, weight, drained }));
      terminal.say(`The cell ${name} takes ${drained ? 'no new accounts' : 'new accounts again'}.`);
      if (!options.move) return 0;
      const { moved, failed } = await moveAllFrom(instance, terminal, name);
      terminal.say(`${moved} accounts moved${failed > 0 ? `, ${failed} not` : ''}.`);
      return failed > 0 ? 1 : 0;
    });
  },
};

export async function requireCell({ directory }: InstanceDatabases, name: string) {
  const cells = await directory.list();
  const cell = cells.find((one) => one.name === name);
  if (cell) return cell;
  throw new CommandError(`there is no cell "${name}", only ${cells.map((one) => one.name).join(', ')}`);
}

function line(name: string, accounts: string, size: string, weight: string, state: string): string {
  return `${name.padEnd(32)}${accounts.padStart(10)}${size.padStart(14)}${weight.padStart(10)}  ${state}`.trimEnd();
}
