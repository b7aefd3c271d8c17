/** A database that exists for a moment, on the server of the service or on another one. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { BackupError } from './backup-error.ts';
import { connectForCopy } from './snapshot.sql.ts';

const prefix = 'talkboard_scratch_';
/** One of this age without connections was left by a killed process. */
const abandonedMs = 10 * 60_000;

export class ScratchRefused extends BackupError {}

/** Throws ScratchRefused if the role may not create databases. */
export async function withScratch<T>(
  connection: pg.ClientConfig,
  use: (scratch: pg.ClientConfig) => Promise<T>,
): Promise<T> {
  const client = await connectForCopy(connection);
  try {
    await removeAbandoned(client);
    const name = `${prefix}${Date.now()}_${randomBytes(4).toString('hex')}`;
    await client.query(`create database ${name} template template0`).catch((error) => {
      if (error.code !== '42501') throw error;
      throw new ScratchRefused('the role of the database may not create a scratch database');
    });
    try {
      return await use(otherDatabase(connection, name));
    } finally {
      await drop(client, name);
    }
  } finally {
    await client.end();
  }
}

/**
 * Without `force` PostgreSQL ends an autovacuum of its own that works there. With it, that is refused to a role that is no
 * superuser. Sessions of the service that have not ended after five seconds need it.
 */
const drop = (client: pg.Client, name: string) =>
  client
    .query(`drop database if exists ${name}`)
    .catch(() => client.query(`drop database if exists ${name} with (force)`));

export async function mayCreateScratch(connection: pg.ClientConfig): Promise<boolean> {
  const client = await connectForCopy(connection);
  try {
    const { rows } = await client.query(
      'select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user',
    );
    return rows[0]?.may === true;
  } finally {
    await client.end();
  }
}

async function removeAbandoned(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname like '${prefix.replaceAll('_', '\\_')}%'`,
  );
  for (const { name } of rows) {
    const madeAt = Number(name.slice(prefix.length).split('_')[0]);
    if (Date.now() - madeAt < abandonedMs) continue;
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)}`).catch(() => {}); // it is in use
  }
}

function otherDatabase(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  const { connectionString } = connection;
  if (!connectionString) return { ...connection, database };
  return {
    ...connection,
    connectionString: connectionString.replace(/^([a-z]+:\/\/[^/?#]*)(\/[^?#]*)?/, `$1/${database}`),
  };
}
