/** The databases of a command that concerns the whole instance: that of the home cell, and those of CELLS. */
import type { Config } from '../server/config.ts';
import { emailClaim } from '../server/features/accounts/accounts.ts';
import { homeCell } from '../server/platform/cells/cell-settings.ts';
import { createDirectory, type Directory } from '../server/platform/cells/directory.ts';
import { hasAnyAccount } from '../server/platform/cells/lookup.sql.ts';
import { findConnectionProblem } from '../server/platform/db/database-check.ts';
import { createDb, type Db } from '../server/platform/db/db.ts';
import { findSchemaProblem, migrationStatus } from '../server/platform/db/migrate.ts';
import { checkCellName } from '../server/platform/secrets/cell-name.ts';
import { openSecrets } from '../server/platform/secrets/open-secrets.ts';
import type { Secrets } from '../server/platform/secrets/secrets.ts';
import { reasonOf } from '../server/platform/start/start-error.ts';
import { chooseAccount } from './choose-account.ts';
import { CommandError, type Terminal } from './command.ts';
import { withDatabase, withService } from './database.ts';

export interface InstanceDatabases {
  config: Config;
  home: Db;
  /** Home first. Null: not reachable. */
  cells: { name: string; db: Db | null }[];
  directory: Directory;
}

/** `anySchema`: also with pending migrations. `anyName`: also with cells that cannot say which they are. */
export async function withInstance<T>(
  terminal: Terminal,
  use: (instance: InstanceDatabases) => Promise<T>,
  { anySchema = false, anyName = false }: { anySchema?: boolean; anyName?: boolean } = {},
): Promise<T> {
  const open = anySchema ? withDatabase : withService;
  return open(terminal, async (home, config) => {
    const secrets =
      config.cells.length > 0 && !anySchema && !anyName ? await openSecrets(home, config) : null;
    const others = await Promise.all(config.cells.map((cell) => openCell(cell, terminal)));
    const dbOf = (cell: string) => others.find(({ name }) => name === cell)?.db ?? null;
    const directory = createDirectory({ home, names: config.cells.map(({ name }) => name), dbOf });
    const cells = [{ name: homeCell, db: home }, ...others];
    if (config.cells.length > 0) {
      home.onClaim(emailClaim, (tx, email, accountId) => directory.claimEmail(email, accountId, tx));
      for (const { db } of others) {
        db?.onClaim(emailClaim, (_, email, accountId) => directory.claimEmail(email, accountId));
      }
    }
    try {
      for (const { name, db } of others) {
        if (db && !anySchema) await checkCell(db, name, secrets);
      }
      return await use({ config, home, cells, directory });
    } finally {
      for (const { db } of others) await db?.close();
    }
  });
}

/** For a command about one account, wherever it lives. */
export async function withAccount<T>(
  terminal: Terminal,
  idOrName: string | undefined,
  use: (db: Db, account: { id: string; name: string }, instance: InstanceDatabases) => Promise<T>,
): Promise<T> {
  return withInstance(terminal, async (instance) => {
    const reachable = instance.cells.flatMap(({ name, db }) => (db ? [{ name, db }] : []));
    const account = await chooseAccount(
      reachable.map(({ db }) => db),
      idOrName,
    );
    for (const { db } of reachable) {
      if ((await chooseAccount([db], account.id).catch(() => null)) !== null)
        return use(db, account, instance);
    }
    throw new CommandError(`there is no account with the id or name "${account.id}"`);
  });
}

/** An account in a database that is not this cell, or is not as this release knows it, would be lost to the service. */
async function checkCell(db: Db, name: string, secrets: Secrets | null): Promise<void> {
  const problem = await findSchemaProblem(db);
  if (problem) throw new CommandError(`the cell ${name}: ${problem}`);
  const { pending } = await migrationStatus(db);
  if (pending.length > 0) {
    throw new CommandError(
      `the database of the cell ${name} lacks ${pending.length} migration(s): start the service, or run talkboard migrate`,
    );
  }
  if (secrets) await checkCellName(db, secrets, name, async () => !(await hasAnyAccount(db)));
}

async function openCell(
  { name, url }: Config['cells'][number],
  terminal: Terminal,
): Promise<{ name: string; db: Db | null }> {
  const connection = { connectionString: url, application_name: 'talkboard-cli' };
  const problem = await findConnectionProblem(connection);
  if (problem === null) return { name, db: createDb({ connection, poolSize: 4 }) };
  terminal.say(`The cell ${name} is not reachable: ${reasonOf(problem)}`);
  return { name, db: null };
}
