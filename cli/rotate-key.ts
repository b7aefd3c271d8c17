import { selectMoves } from '../server/platform/cells/move/moves.sql.ts';
import type { Db } from '../server/platform/db/db.ts';
import { acceptCellName } from '../server/platform/secrets/cell-name.ts';
import { acceptKey, openSecrets } from '../server/platform/secrets/open-secrets.ts';
import { rotateKey } from '../server/platform/secrets/rotate-key.ts';
import { type Command, CommandError, counted, readOptions } from './command.ts';
import { withInstance } from './instance.ts';

/** The latest move, which must have ended. */
async function findLatest(home: Db): Promise<string | null> {
  const [move] = await selectMoves(home, 1);
  if (move && move.endedAt === null)
    throw new CommandError(
      `the account ${move.accountId} is moving to the cell ${move.to}: run the command again when it has moved`,
    );
  return move?.id ?? null;
}

export const rotateKeyCommand: Command = {
  usage: '[--json] [--accept-loss]',
  help: `Options:
  --json         for scripts: { "columns": [{ "name", "resealed", "current", "lost" }] }
  --accept-loss  the old key is lost: let the service start with the new one. Secrets that no key decrypts stay unreadable;
                 rotate those webhook secrets and enter the API keys of agents again

Re-encrypts every secret in the database, and in those of CELLS, with SECRET_KEY. Set SECRET_KEY_PREVIOUS to the old key. The service may keep
running, with the same two settings. The command can be repeated; an interrupted run continues.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      json: { type: 'boolean', default: false },
      'accept-loss': { type: 'boolean', default: false },
    });
    return withInstance(
      terminal,
      async ({ config, home, cells }) => {
        const latest = await findLatest(home);
        const open = options['accept-loss'] ? acceptKey : openSecrets;
        const secrets = await open(home, config);
        const columns: Awaited<ReturnType<typeof rotateKey>> = [];
        for (const { name, db } of cells) {
          if (!db)
            throw new CommandError(`the cell ${name} is not reachable: run the command again when it is`);
          if (options['accept-loss'] && db !== home) await acceptCellName(db, secrets, name);
          const prefix = cells.length > 1 ? `${name}: ` : '';
          columns.push(
            ...(await rotateKey(db, secrets)).map((column) => ({ ...column, name: prefix + column.name })),
          );
        }
        // A secret may have come from a cell that was not done yet to one that was.
        if ((await findLatest(home)) !== latest)
          throw new CommandError('an account has moved to another cell meanwhile: run the command again');
        if (options.json) terminal.print(JSON.stringify({ columns }, null, 2));
        else {
          for (const { name, resealed, current } of columns) {
            terminal.print(`${name.padEnd(26)}${resealed} re-encrypted, ${current} already current`);
          }
        }
        const lost = columns.reduce((sum, column) => sum + column.lost, 0);
        if (lost === 0) {
          terminal.say(
            'SECRET_KEY decrypts everything. SECRET_KEY_PREVIOUS is needed only to verify what it has signed.',
          );
          return 0;
        }
        const where = columns.filter((column) => column.lost > 0).map(({ name }) => name);
        terminal.say(
          `${counted(lost, 'value')} could not be decrypted with any key and were left unchanged: ${where.join(', ')}.`,
        );
        return options['accept-loss'] ? 0 : 1;
      },
      options['accept-loss'] ? { anyName: true } : {},
    );
  },
};
