import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, link, open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { PoolConfig } from 'pg';
import { version } from '../../contract/version.ts';
import { noteBackup } from '../../server/platform/db/backups.ts';
import { createDb } from '../../server/platform/db/db.ts';
import { type Command, CommandError, readOptions, requireOption } from '../command.ts';
import { counted } from '../counted.ts';
import { openCellDatabase, readSettings } from '../database.ts';
import { formatVersion, type Head } from './backup.format.ts';
import { openSnapshot, type Snapshot } from './backup.sql.ts';
import { type DataFile, isInside, listDataFiles } from './data-files.ts';

const pieceBytes = 256 * 1024;

interface Counts {
  rows: number;
  files: number;
  /** Removed by the running service before they could be read. */
  vanished: number;
}

export const backup: Command = {
  usage: '--to <folder or file> [--cell <name>]',
  help: `Options:
  --to <place>   a folder (the file name then contains the time) or the path of a new file
  --cell <name>  the database of a cell of CELLS; without it that of the home cell, with the files of all cells

The service may keep running; the backup is a consistent snapshot. The file contains password hashes and, unless SECRET_KEY is
set, the secret key. It is readable by its owner only; protect its copies in the same way.`,

  async run(args, terminal) {
    const options = readOptions(args, { to: { type: 'string' }, cell: { type: 'string' } });
    const config = readSettings(terminal);
    const target = chooseFile(resolve(requireOption(options.to, 'to')), options.cell);
    if (isInside(config.dataDir, target)) {
      throw new CommandError(
        'the backup must not be inside DATA_DIR: it would become part of the next backup',
      );
    }
    const database = await openCellDatabase(config, terminal, options.cell);
    try {
      const snapshot = await openSnapshot(database.connection).catch((error) => {
        if (error.code === '42P01')
          throw new CommandError('the database is empty: there is nothing to back up');
        throw error;
      });
      try {
        const counts: Counts = { rows: 0, files: 0, vanished: 0 };
        // With SECRET_KEY set, a key file is an old one: it may be the reason why the key was replaced.
        const all = database.cell === null ? listDataFiles(config.dataDir) : [];
        const files = all.filter(({ name }) => !config.secretKey || name !== 'secret-key');
        await writeWhole(target, linesOf(snapshot, files, counts, database.cell));
        await noteInDatabase(database.connection, basename(target));
        terminal.print(target);
        terminal.say(
          `${counted(counts.rows, 'row')} of ${counted(snapshot.tables.length, 'table')}, ${counted(counts.files, 'file')}.`,
        );
        if (counts.vanished > 0) {
          terminal.say(
            `${counted(counts.vanished, 'file')} skipped: the service removed them during the backup.`,
          );
        }
        if (config.secretKey) terminal.say('SECRET_KEY comes from the environment: keep it with the backup.');
        return 0;
      } finally {
        await snapshot.close();
      }
    } finally {
      await database.close();
    }
  },
};

/** An erasure names the backups that still hold the person. A database of an earlier release has no list of them. */
async function noteInDatabase(connection: PoolConfig, name: string): Promise<void> {
  const db = createDb({ connection, poolSize: 1 });
  try {
    await db.transaction((tx) => noteBackup(tx, name, Date.now()));
  } catch (error) {
    if ((error as { code?: string }).code !== '42P01') throw error;
  } finally {
    await db.close();
  }
}

function chooseFile(place: string, cell = ''): string {
  if (existsSync(place) && statSync(place).isDirectory()) {
    const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
    return join(place, `talkboard-${cell && `${cell}-`}${time}.backup.gz`);
  }
  if (existsSync(place)) throw new CommandError(`${place} already exists`);
  return place;
}

async function* linesOf(
  snapshot: Snapshot,
  files: DataFile[],
  counts: Counts,
  cell: string | null,
): AsyncGenerator<string> {
  const head: Head = {
    talkboardBackup: formatVersion,
    version,
    createdAt: new Date().toISOString(),
    ...(cell !== null && { cell }),
    migrations: snapshot.migrations,
  };
  yield `${JSON.stringify(head)}\n`;
  for (const table of snapshot.tables) {
    yield `${JSON.stringify({ table: table.name, columns: table.columns })}\n`;
    for await (const rows of snapshot.rows(table)) {
      counts.rows += rows.length;
      yield `${rows.join('\n')}\n`;
    }
  }
  for (const { name, value } of snapshot.sequences) yield `${JSON.stringify({ sequence: name, value })}\n`;
  for (const { name, path, mode } of files) {
    // Opened first: an open file can be read to its end even if the service removes it meanwhile.
    const file = await openUnlessGone(path);
    if (!file) {
      counts.vanished++;
      continue;
    }
    counts.files++;
    yield `${JSON.stringify({ file: name, mode })}\n`;
    for await (const piece of file.createReadStream({ highWaterMark: pieceBytes })) {
      yield `${JSON.stringify({ data: (piece as Buffer).toString('base64') })}\n`;
    }
  }
  yield `${JSON.stringify({ end: true, rows: counts.rows, files: counts.files })}\n`;
}

/** Null: the service has removed it since the list was made, as it does with unused files. */
async function openUnlessGone(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Renamed only when complete and flushed; a name that appeared meanwhile is not overwritten. */
async function writeWhole(target: string, lines: AsyncGenerator<string>): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const partial = `${target}.${randomUUID()}.partial`;
  try {
    await pipeline(
      Readable.from(lines),
      createGzip(),
      createWriteStream(partial, { flags: 'wx', mode: 0o600 }),
    );
    const file = await open(partial, 'r+');
    await file.sync().finally(() => file.close());
    await link(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
}
