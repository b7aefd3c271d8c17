/**
 * Loads the secret key and checks that the database was sealed with it. The check is a sealed value in the database.
 * A database of an earlier release has none: there the key must open a secret in use.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Db, Reader } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { StartError } from '../start/start-error.ts';
import { readSealedRows, sealedIn } from './rotate-key.ts';
import { sealedColumns, sealedFor } from './sealed-columns.ts';
import { createKeyFile, findSecretKey, keyFile } from './secret-key.ts';
import { createSecrets, type Secrets } from './secrets.ts';

export interface KeySettings {
  secretKey: string;
  previousSecretKeys: readonly string[];
  dataDir: string;
}

const checkName = 'check';
const checkText = 'talkboard';
/**
 * Purposes whose key must not change with SECRET_KEY: conversations and the blocks of erased people are found by
 * identifiers made with it.
 */
const lastingPurposes = ['widget-session', 'erased-block'];
/** Values per column: enough to distinguish a wrong key from a single damaged value. */
const sampleRows = 5;

/** Needs the tables of this release. Creates the key file and the check if the database has neither. */
export async function openSecrets(db: Db, settings: KeySettings): Promise<Secrets> {
  const stored = await readInstanceSecrets(db);
  let key = findSecretKey(settings.secretKey, settings.dataDir);
  if (key === null) {
    if (await hasSealedValues(db)) throw missingKey(settings.dataDir);
    key = createKeyFile(settings.dataDir);
  }
  const keys = [key, ...settings.previousSecretKeys];
  const secrets = createSecrets(keys);
  if (!(await isSealedWith(db, secrets, stored))) throw wrongKey(settings);
  await saveMissing(db, secrets, keys, stored);
  // Read again: another process may have been first.
  return createSecrets(keys, lastingKeys(secrets, await readInstanceSecrets(db)));
}

/** Null: the key decrypts all secrets, or nothing is encrypted yet. Changes nothing. */
export async function findKeyProblem(db: Reader, settings: KeySettings): Promise<string | null> {
  const stored = await readInstanceSecrets(db);
  const key = findSecretKey(settings.secretKey, settings.dataDir);
  if (key === null) return (await hasSealedValues(db)) ? missingKey(settings.dataDir).message : null;
  const secrets = createSecrets([key, ...settings.previousSecretKeys]);
  return (await isSealedWith(db, secrets, stored)) ? null : wrongKey(settings).message;
}

/** Replaces the check after a key was lost for good; values sealed with it stay unreadable. */
export async function acceptKey(db: Db, settings: KeySettings): Promise<Secrets> {
  const key = findSecretKey(settings.secretKey, settings.dataDir) ?? createKeyFile(settings.dataDir);
  const keys = [key, ...settings.previousSecretKeys];
  const secrets = createSecrets(keys);
  const lost = [...(await readInstanceSecrets(db))]
    .filter(([name, sealed]) => keyIndexOf(secrets, sealed, sealedFor.instance(name)) === null)
    .map(([name]) => name);
  await db.transaction((tx) => tx.query(sql`delete from instance_secrets where name = any(${lost}::text[])`));
  await saveMissing(db, secrets, keys, await readInstanceSecrets(db));
  return createSecrets(keys, lastingKeys(secrets, await readInstanceSecrets(db)));
}

async function readInstanceSecrets(db: Reader): Promise<Map<string, string>> {
  const rows = await db.query<{ name: string; sealed: string }>(
    sql`select name, sealed from instance_secrets`,
  );
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

/** Also in a database of a release without the check. */
async function hasSealedValues(db: Reader): Promise<boolean> {
  for (const column of sealedColumns) {
    if ((await readSealedRows(db, column, null, 1)).length > 0) return true;
  }
  return false;
}

async function isSealedWith(
  db: Reader,
  secrets: Secrets,
  stored: ReadonlyMap<string, string>,
): Promise<boolean> {
  const check = stored.get(checkName);
  if (check !== undefined) return keyIndexOf(secrets, check, sealedFor.instance(checkName)) !== null;
  const samples = await sampleKeyIndexes(db, secrets);
  return samples.length === 0 || samples.some((index) => index !== null);
}

/** Which key opens each of some sealed values; null: none. */
async function sampleKeyIndexes(db: Reader, secrets: Secrets): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  for (const column of sealedColumns) {
    for (const row of await readSealedRows(db, column, null, sampleRows)) {
      const context = column.context(row.key as Record<string, string>);
      for (const sealed of sealedIn(column, row.value)) found.push(keyIndexOf(secrets, sealed, context));
    }
  }
  return found;
}

/** Does nothing at most starts. A lasting key is derived from the key in use before this release. */
async function saveMissing(
  db: Db,
  secrets: Secrets,
  keys: readonly string[],
  stored: ReadonlyMap<string, string>,
): Promise<void> {
  const missing = [checkName, ...lastingPurposes].filter((name) => !stored.has(name));
  if (missing.length === 0) return;
  const inUse = (await sampleKeyIndexes(db, secrets)).find((index) => index !== null) ?? 0;
  const old = createSecrets(keys[inUse]!);
  await db.transaction(async (tx) => {
    for (const name of missing) {
      const plain = name === checkName ? checkText : old.derive(name).toString('base64url');
      await tx.query(sql`
        insert into instance_secrets (name, sealed)
        values (${name}, ${secrets.seal(plain, sealedFor.instance(name))})
        on conflict (name) do nothing`);
    }
  });
}

function lastingKeys(secrets: Secrets, stored: ReadonlyMap<string, string>): Map<string, KeyObject> {
  return new Map(
    lastingPurposes.map((purpose) => {
      const plain = secrets.open(stored.get(purpose)!, sealedFor.instance(purpose));
      return [purpose, createSecretKey(Buffer.from(plain, 'base64url'))];
    }),
  );
}

function keyIndexOf(secrets: Secrets, sealed: string, context: string): number | null {
  try {
    return secrets.keyIndexOf(sealed, context);
  } catch {
    return null;
  }
}

function wrongKey({ secretKey, dataDir }: KeySettings): StartError {
  const source = secretKey ? 'SECRET_KEY' : `The key in ${keyFile(dataDir)}`;
  return new StartError(
    `${source} cannot decrypt the secrets in the database: they were encrypted with another key. Start with that key, or ` +
      'set SECRET_KEY_PREVIOUS to it to replace it with the new one. If it is lost, see "npx talkboard rotate-key --help".',
  );
}

function missingKey(dataDir: string): StartError {
  return new StartError(
    `The database contains encrypted secrets, but SECRET_KEY is not set and ${keyFile(dataDir)} does not exist. Set SECRET_KEY ` +
      'to the key that the service had, or restore the file from a backup.',
  );
}
