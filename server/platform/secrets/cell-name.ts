/**
 * A cell's database says which cell it is, sealed with the key of the instance: two entries of CELLS that were swapped,
 * or a database of another instance, must not be used.
 */
import type { Db } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { StartError } from '../start/start-error.ts';
import { sealedFor } from './sealed-columns.ts';
import type { Secrets } from './secrets.ts';

const secretName = 'cell';

/** Gives an empty database its name. */
export async function checkCellName(
  db: Db,
  secrets: Secrets,
  name: string,
  isEmpty: () => Promise<boolean>,
): Promise<void> {
  let sealed = await readName(db);
  if (sealed === null) {
    if (!(await isEmpty())) {
      throw new StartError(
        `The database of the cell ${name} has accounts, but was not a cell of this instance: a new cell needs an empty database.`,
      );
    }
    const value = secrets.seal(name, sealedFor.instance(secretName));
    await db.autocommit(sql`
      insert into instance_secrets (name, sealed) values (${secretName}, ${value}) on conflict (name) do nothing`);
    // Another process may have been first.
    sealed = (await readName(db))!;
  }
  const problem = problemOf(sealed, secrets, name);
  if (problem) throw new StartError(problem);
}

/** Null: it is this cell, or has no name yet. Changes nothing. */
export async function findCellNameProblem(db: Db, secrets: Secrets, name: string): Promise<string | null> {
  const sealed = await readName(db);
  return sealed === null ? null : problemOf(sealed, secrets, name);
}

function problemOf(sealed: string, secrets: Secrets, name: string): string | null {
  if (!isReadable(secrets, sealed)) {
    return `The database of the cell ${name} belongs to an instance with another SECRET_KEY.`;
  }
  const found = secrets.open(sealed, sealedFor.instance(secretName));
  return found === name ? null : `CELLS calls a database ${name}, but it is the cell ${found}.`;
}

/** After the key was lost for good: a name that cannot be read is replaced by the one of CELLS. */
export async function acceptCellName(db: Db, secrets: Secrets, name: string): Promise<void> {
  const sealed = await readName(db);
  if (sealed === null || isReadable(secrets, sealed)) return;
  const value = secrets.seal(name, sealedFor.instance(secretName));
  await db.autocommit(sql`
    update instance_secrets set sealed = ${value} where name = ${secretName} and sealed = ${sealed}`);
}

function isReadable(secrets: Secrets, sealed: string): boolean {
  try {
    secrets.open(sealed, sealedFor.instance(secretName));
    return true;
  } catch {
    return false;
  }
}

/** DATABASE_URL must not name a cell. */
export async function checkIsHome(db: Db): Promise<void> {
  if ((await readName(db)) !== null) {
    throw new StartError('DATABASE_URL names the database of a cell. It must name that of the home cell.');
  }
}

async function readName(db: Db): Promise<string | null> {
  const [row] = await db.query<{ sealed: string }>(
    sql`select sealed from instance_secrets where name = ${secretName}`,
  );
  return row?.sealed ?? null;
}
