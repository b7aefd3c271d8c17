/**
 * Tries one connection before the pool is used, to show the person who set DATABASE_URL the cause. Later failures
 * reach clients without their cause.
 */
import pg from 'pg';
import { reasonOf, StartError } from '../start/start-error.ts';
import { LostStatement, tryPreparedStatements } from './pooler-check.ts';
import { findWritable, serversOf, type Writable } from './servers.ts';

const waitMs = 5_000;
const named = 'that DATABASE_URL names';

/** Null if the connection succeeded; of several servers, one must take writes. */
export async function findConnectionProblem(
  connection: pg.ClientConfig,
  withinMs = waitMs,
): Promise<unknown> {
  const servers = serversOf(connection);
  if (servers.length > 1) {
    return findWritable(servers, withinMs).then(
      () => null,
      (error) => error,
    );
  }
  const client = new pg.Client({ ...servers[0]!.connection, connectionTimeoutMillis: withinMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** `which`: how a message calls it. */
export async function requireDatabase(connection: pg.ClientConfig, which?: string): Promise<void> {
  const { server, hasPooler } = await requireWritable(connection, which);
  if (hasPooler) await requirePreparedStatements(server.connection, which);
}

/** Without them every second request would be a 500. What else a pooler does wrong, its own errors say. */
async function requirePreparedStatements(connection: pg.ClientConfig, which = named): Promise<void> {
  try {
    await tryPreparedStatements(connection, waitMs);
  } catch (error) {
    if (!(error instanceof LostStatement)) return;
    throw new StartError(
      `The database ${which} is behind a pooler that the service cannot use: ${error.message}. ` +
        'Use PgBouncer 1.21 or later with max_prepared_statements = 1000, or pool_mode = session.',
      { cause: error },
    );
  }
}

/** The server that takes writes, for a connection outside the pool. */
export async function requireServer(connection: pg.ClientConfig, which?: string): Promise<pg.ClientConfig> {
  return (await requireWritable(connection, which)).server.connection;
}

async function requireWritable(connection: pg.ClientConfig, which = named): Promise<Writable> {
  const servers = serversOf(connection);
  try {
    return await findWritable(servers, waitMs);
  } catch (error) {
    const many = servers.length > 1;
    throw new StartError(
      `The database ${which} cannot be used: ${reasonOf(error)}. ` +
        `Check the address${many ? 'es' : ''}, the user and the password, and that ` +
        `${many ? 'one of the servers runs and takes writes' : 'the server runs'}.`,
      { cause: error },
    );
  }
}
