import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { PoolConfig } from 'pg';
import { isInside } from '../../server/platform/backups/data-files.ts';
import { makeBackup } from '../../server/platform/backups/make.ts';
import { backupName } from '../../server/platform/backups/manifest.ts';
import { isLost, lostFolder } from '../../server/platform/backups/places/open.ts';
import { parsePublicKeys } from '../../server/platform/backups/settings.ts';
import { filesOf, isAmongFiles, scratchOf } from '../../server/platform/backups/sources.ts';
import { createBlobStore } from '../../server/platform/blobs/blob-store.ts';
import { noteBackup } from '../../server/platform/db/backups.ts';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import { type Command, CommandError, counted, readOptions, UsageError } from '../command.ts';
import { openCellDatabase, readSettings } from '../database.ts';
import { choosePlace, openAt } from './sources.ts';

export const backup: Command = {
  usage: '[--to <folder, file or s3://bucket/prefix>] [--public-key <key>] [--verify] [--cell <name>]',
  help: `Options:
  --to <place>        s3://bucket/prefix, a folder that exists, or a path that ends with "/": the file name then contains
                      the time. Any other path is the name of a new file, with an extension. Without it BACKUP_TO, which is a folder
  --public-key <key>  encrypt it to this key of talkboard backup keygen; without it BACKUP_PUBLIC_KEY, if set
  --verify            restore it into a scratch database and compare every row
  --cell <name>       the database of a cell of CELLS; without it that of the home cell, with the files of all cells

The service may keep running; the backup is a consistent snapshot. Without a public key the file contains password hashes
and, unless SECRET_KEY is set, the secret key in readable form. It is readable by its owner only; protect its copies in
the same way.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      to: { type: 'string' },
      cell: { type: 'string' },
      'public-key': { type: 'string' },
      verify: { type: 'boolean', default: false },
    });
    const config = readSettings(terminal);
    const publicKeys = options['public-key'] ? checkKeys(options['public-key']) : config.backups.publicKeys;
    const now = Date.now();
    const ownName = backupName(options.cell ?? 'home', now, publicKeys.length > 0);
    const to = choosePlace(options.to, config);
    const { folder, name } = chooseFile(to, ownName, !options.to);
    if (!folder.startsWith('s3:') && isInside(config.dataDir, join(folder, name))) {
      throw new CommandError(
        'the backup must not be inside DATA_DIR: it would become part of the next backup',
      );
    }
    const place = openAt(config, folder);
    if (isAmongFiles(config, folder)) {
      throw new CommandError(
        'the backup must not be in S3_BUCKET, among the files: choose another bucket, or set BACKUP_TO to this place',
      );
    }
    const blobs = createBlobStore(config);
    const database = await openCellDatabase(config, terminal, options.cell);
    try {
      // The folder of scheduled backups; one that --to names may be new.
      if (!options.to && (await inDatabase(database.connection, (db) => isLost(db, place, to)))) {
        throw new CommandError(lostFolder(to));
      }
      const { manifest, vanished } = await makeBackup({
        connection: database.connection,
        cell: database.cell ?? 'home',
        files: database.cell === null ? filesOf(config, blobs) : null,
        place,
        name,
        publicKeys,
        scratch: options.verify ? scratchOf(config, database.connection) : null,
        hasManifest: name === ownName,
        now,
        // An erasure names the backups that still hold the person.
        onDone: async () => {
          await inDatabase(database.connection, (db) =>
            db.transaction((tx) => noteBackup(tx, name, Date.now())),
          );
        },
      });
      terminal.print(folder.startsWith('s3:') ? `${place.text}/${name}` : join(folder, name));
      if (name !== ownName) {
        terminal.say(
          `Written as the file ${name} in ${folder}. talkboard backup list does not show a file with a name of its own; ` +
            `for a folder give --to ${to}/.`,
        );
      } else terminal.say(`Written into ${place.text} as ${name}.`);
      const { rows, tables, files } = manifest;
      terminal.say(`${counted(rows, 'row')} of ${counted(tables, 'table')}, ${counted(files, 'file')}.`);
      if (vanished > 0) {
        terminal.say(`${counted(vanished, 'file')} skipped: the service removed them during the backup.`);
      }
      if (manifest.verifiedAt) terminal.say('Verified: it was restored, and every row is the same.');
      else if (options.verify) terminal.say(`Not verified: ${manifest.unverified}. See docs/backups.md.`);
      if (config.secretKey) terminal.say('SECRET_KEY comes from the environment: keep it with the backup.');
      return options.verify && !manifest.verifiedAt ? 1 : 0;
    } finally {
      await database.close();
      await Promise.all([place.close(), blobs.close()]);
    }
  },
};

function checkKeys(value: string): string[] {
  try {
    return parsePublicKeys(value);
  } catch (error) {
    throw new UsageError(`--public-key ${(error as Error).message}`);
  }
}

/** What the database knows about backups. Null: it is of an earlier release and has no such table. */
async function inDatabase<T>(connection: PoolConfig, use: (db: Db) => Promise<T>): Promise<T | null> {
  const db = createDb({ connection, poolSize: 1 });
  try {
    return await use(db);
  } catch (error) {
    if ((error as { code?: string }).code !== '42P01') throw error;
    return null;
  } finally {
    await db.close();
  }
}

/** The rules of --help. BACKUP_TO is a folder for the service, also before it exists. */
function chooseFile(to: string, ownName: string, isSetting: boolean): { folder: string; name: string } {
  if (to.startsWith('s3:')) return { folder: to, name: ownName };
  const path = resolve(to);
  if (isSetting || to.endsWith('/') || (existsSync(path) && statSync(path).isDirectory())) {
    return { folder: path, name: ownName };
  }
  if (existsSync(path)) throw new CommandError(`${path} already exists`);
  if (extname(path) === '') {
    throw new CommandError(
      `there is no folder ${path}: create it, or give --to ${to}/ for a new folder and --to ${to}.gz for a file`,
    );
  }
  return { folder: dirname(path), name: basename(path) };
}
