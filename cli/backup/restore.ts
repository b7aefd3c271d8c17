import type { Config } from '../../server/config.ts';
import { decrypt } from '../../server/platform/backups/encryption.ts';
import { type Head, readLines } from '../../server/platform/backups/format.ts';
import { load } from '../../server/platform/backups/load.ts';
import { createFileRestorer } from '../../server/platform/backups/restore.files.ts';
import { openRestoreTarget, type RestoreTarget } from '../../server/platform/backups/restore.sql.ts';
import { createBlobStore } from '../../server/platform/blobs/blob-store.ts';
import { createDb } from '../../server/platform/db/db.ts';
import { migrate, readMigrations } from '../../server/platform/db/migrate.ts';
import { type Command, CommandError, counted, readOptions, requireOption } from '../command.ts';
import { lendToOwner, openCellDatabase, readSettings } from '../database.ts';
import { openBackup, readKeyFile } from './sources.ts';

export const restore: Command = {
  usage: '--from <backup> [--key <file>] [--cell <name>] [--force]',
  help: `Options:
  --from <backup>  a file written by talkboard backup, s3://bucket/prefix/name, or the name of a backup in BACKUP_TO
  --key <file>     the file with the private key, for an encrypted backup
  --cell <name>    into the database of that cell of CELLS: the backup must be one of the same cell
  --force          replace the current content of the database and DATA_DIR

The service must be stopped. The database is changed in one transaction: an incomplete backup changes
nothing. A backup of an older release is migrated to this one. For one account only: talkboard account restore.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      from: { type: 'string' },
      key: { type: 'string' },
      cell: { type: 'string' },
      force: { type: 'boolean', default: false },
    });
    const from = requireOption(options.from, 'from');
    const config = readSettings(terminal);
    const privateKeys = readKeyFile(options.key);
    const { stored, close } = await openBackup(config, from);
    const blobs = createBlobStore(config);
    try {
      const database = await openCellDatabase(config, terminal, options.cell);
      try {
        if (database.how === 'attached') throw new CommandError('the service is running: stop it first');
        const target = await openRestoreTarget(database.connection);
        const files = createFileRestorer({
          dataDir: config.dataDir,
          force: options.force,
          bucket: blobs.takesUploads ? blobs : null,
          onPlaced: (paths) => lendToOwner(config.dataDir, paths),
        });
        try {
          await checkTarget(target, placeOf(config, database.cell), options.force);
          const lines = readLines(await decrypt(stored, privateKeys));
          const onHead = (head: Head) => checkCell(head, database.cell);
          const { rows, fileNames } = await load({ lines, target, files, onHead });
          await target.endBackups(Date.now());
          await target.commit();
          await files.putInPlace();
          terminal.say(`${counted(rows, 'row')} and ${counted(fileNames.length, 'file')} restored.`);
          if (config.cells.length > 0) {
            terminal.say('Run talkboard cells repair: the directory may differ from what was restored.');
          }
          if (database.cell === null && !fileNames.includes('secret-key') && !config.secretKey) {
            terminal.say(
              'The backup contains no secret key: start the service with the SECRET_KEY it had before.',
            );
          }
        } finally {
          files.dropUnfinished();
          await target.close();
        }
        const db = createDb({ connection: database.connection, poolSize: 4 });
        const newer = await migrate(db).finally(() => db.close());
        if (newer.length > 0) terminal.say(`Migrations applied: ${newer.join(', ')}.`);
        return 0;
      } finally {
        await database.close();
      }
    } finally {
      stored.destroy();
      await Promise.all([close(), blobs.close()]);
    }
  },
};

function checkCell(head: Head, cell: string | null): void {
  if ((head.cell ?? null) === cell) return;
  throw new CommandError(
    head.cell
      ? `this is a backup of the cell ${head.cell}: restore it with --cell ${head.cell}`
      : 'this is a backup of the home cell: restore it without --cell',
  );
}

function placeOf(config: Config, cell: string | null): string {
  if (cell !== null) return `the database of the cell ${cell}`;
  return config.databaseUrl ? 'the database' : `the database in ${config.dataDir}`;
}

async function checkTarget(target: RestoreTarget, place: string, force: boolean): Promise<void> {
  if ((await target.countServices()) > 0) {
    throw new CommandError('a service is connected to the database: stop all of its processes first');
  }
  const known = readMigrations().map(({ name }) => name);
  if ((await target.appliedMigrations()).some((name) => !known.includes(name))) {
    throw new CommandError(
      'a newer release has used this database: restore with that release or a later one',
    );
  }
  if (!force && !(await target.isEmpty())) {
    throw new CommandError(`${place} is not empty: use --force to replace its content`);
  }
}
