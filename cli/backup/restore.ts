import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../server/config.ts';
import { createDb } from '../../server/platform/db/db.ts';
import { migrate, readMigrations } from '../../server/platform/db/migrate.ts';
import { type Command, CommandError, readOptions, requireOption } from '../command.ts';
import { counted } from '../counted.ts';
import { openCellDatabase, readSettings } from '../database.ts';
import { formatVersion, type Head, isRow, type Mark, readLines } from './backup.format.ts';
import type { TableShape } from './backup.sql.ts';
import { createFileRestorer, type FileRestorer } from './restore.files.ts';
import { openRestoreTarget, type RestoreTarget } from './restore.sql.ts';

const batchBytes = 2 * 2 ** 20;
const batchRows = 5_000;

export const restore: Command = {
  usage: '--from <file> [--cell <name>] [--force]',
  help: `Options:
  --from <file>  a file written by talkboard backup
  --cell <name>  into the database of that cell of CELLS: the backup must be one of the same cell
  --force        replace the current content of the database and DATA_DIR

The service must be stopped. The database is changed in one transaction: an incomplete backup changes
nothing. A backup of an older release is migrated to this one.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      from: { type: 'string' },
      cell: { type: 'string' },
      force: { type: 'boolean', default: false },
    });
    const path = resolve(requireOption(options.from, 'from'));
    if (!existsSync(path)) throw new CommandError(`${path} does not exist`);
    const config = readSettings(terminal);
    const database = await openCellDatabase(config, terminal, options.cell);
    try {
      if (database.how === 'attached') throw new CommandError('the service is running: stop it first');
      const target = await openRestoreTarget(database.connection);
      const files = createFileRestorer(config.dataDir, options.force);
      try {
        await checkTarget(target, placeOf(config, database.cell), options.force);
        const { rows, fileNames } = await load(readLines(path), target, files, database.cell);
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
  },
};

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

interface Loaded {
  rows: number;
  fileNames: string[];
}

async function load(
  lines: AsyncGenerator<string>,
  target: RestoreTarget,
  files: FileRestorer,
  cell: string | null,
): Promise<Loaded> {
  const head = readHead((await lines.next()).value);
  if ((head.cell ?? null) !== cell) {
    throw new CommandError(
      head.cell
        ? `this is a backup of the cell ${head.cell}: restore it with --cell ${head.cell}`
        : 'this is a backup of the home cell: restore it without --cell',
    );
  }
  await target.begin();
  await target.rebuild(head.migrations.map(({ name }) => name));
  const loaded: Loaded = { rows: 0, fileNames: [] };
  let table: TableShape | null = null;
  let batch: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (table && batch.length > 0) await target.insert(table, batch);
    loaded.rows += batch.length;
    batch = [];
    bytes = 0;
  };

  for await (const line of lines) {
    if (isRow(line)) {
      batch.push(line);
      bytes += line.length;
      if (bytes >= batchBytes || batch.length >= batchRows) await flush();
      continue;
    }
    const mark = JSON.parse(line) as Mark;
    if ('data' in mark) {
      files.write(Buffer.from(mark.data, 'base64'));
      continue;
    }
    await flush();
    if ('table' in mark) table = { name: mark.table, columns: mark.columns };
    else if ('sequence' in mark) await target.setSequence(mark.sequence, mark.value);
    else if ('file' in mark) {
      loaded.fileNames.push(mark.file);
      files.begin(mark.file, mark.mode);
    } else if (mark.rows === loaded.rows && mark.files === loaded.fileNames.length) {
      files.end();
      await target.commit();
      files.putInPlace();
      return loaded;
    } else throw new CommandError('the backup does not match its own summary: nothing was changed');
  }
  throw new CommandError('the backup is truncated: nothing was changed');
}

function readHead(line: string | undefined): Head {
  let head: Partial<Head> = {};
  try {
    head = JSON.parse(line ?? '');
  } catch {}
  if (!head?.talkboardBackup) throw new CommandError('this file is not a Talkboard backup');
  const known = new Map(readMigrations().map(({ name, checksum }) => [name, checksum]));
  const foreign = (head.migrations ?? []).filter(({ name, checksum }) => known.get(name) !== checksum);
  if (head.talkboardBackup > formatVersion || foreign.length > 0) {
    throw new CommandError(`the backup was made by ${head.version}, which this release cannot read`);
  }
  return head as Head;
}
