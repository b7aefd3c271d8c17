import { type MigrationStatus, migrate, migrationStatus } from '../server/platform/db/migrate.ts';
import { type Command, readOptions, type Terminal } from './command.ts';
import { withInstance } from './instance.ts';

export const migrateCommand: Command = {
  usage: '[--status] [--json]',
  help: `Options:
  --status  change nothing; list applied and pending migrations
  --json    for scripts; with CELLS a list with one entry for each cell

With CELLS the database of each cell is migrated. The service does the same at every start; several processes may do it at once.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      status: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    const inCells: object[] = [];
    const code = await withInstance(
      terminal,
      async ({ cells }) => {
        for (const { name, db } of cells) {
          if (!db) continue;
          const done = options.status
            ? []
            : await migrate(db, { onWait: (message) => terminal.say(message) });
          const status = { ...(await migrationStatus(db)), done };
          inCells.push(cells.length > 1 ? { cell: name, ...status } : status);
          if (!options.json) say(terminal, status, options.status, cells.length > 1 ? `  of ${name}` : '');
        }
        return cells.every(({ db }) => db !== null) ? 0 : 1;
      },
      { anySchema: true },
    );
    if (options.json) terminal.print(JSON.stringify(inCells.length > 1 ? inCells : inCells[0], null, 2));
    return code;
  },
};

function say(
  terminal: Terminal,
  { applied, pending, done }: MigrationStatus & { done: string[] },
  isStatus: boolean,
  where: string,
): void {
  if (isStatus) {
    for (const name of applied) terminal.print(`applied  ${name}${where}`);
    for (const name of pending) terminal.print(`pending  ${name}${where}`);
    return;
  }
  for (const name of done) terminal.print(`applied  ${name}${where}`);
  const which = where.replace(/^ {2}/, ' ');
  terminal.say(
    done.length > 0 ? `The database${which} is up to date now.` : `The database${which} was up to date.`,
  );
}
