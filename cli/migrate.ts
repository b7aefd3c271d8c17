import { migrate, migrationStatus } from '../server/platform/db/migrate.ts';
import { type Command, readOptions } from './command.ts';
import { withDatabase } from './database.ts';

export const migrateCommand: Command = {
  usage: '[--status] [--json]',
  help: `Options:
  --status  change nothing; list applied and pending migrations
  --json    for scripts

The service does the same at every start; several processes may do it at once.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      status: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    return withDatabase(terminal, async (db) => {
      const done = options.status ? [] : await migrate(db, { onWait: (message) => terminal.say(message) });
      const status = await migrationStatus(db);
      if (options.json) terminal.print(JSON.stringify({ ...status, done }, null, 2));
      else if (options.status) {
        for (const name of status.applied) terminal.print(`applied  ${name}`);
        for (const name of status.pending) terminal.print(`pending  ${name}`);
      } else {
        for (const name of done) terminal.print(`applied  ${name}`);
        terminal.say(done.length > 0 ? 'The database is up to date now.' : 'The database was up to date.');
      }
      return 0;
    });
  },
};
