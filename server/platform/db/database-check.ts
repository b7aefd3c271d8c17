/**
 * Tries one connection before the pool is used, to show the person who set DATABASE_URL the cause. Later failures
 * reach clients without their cause.
 */
import pg from 'pg';
import { reasonOf, StartError } from '../start/start-error.ts';
import { findWritable, serversOf } from './servers.ts';

const waitMs = 5_000;

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
  await requireServer(connection, which);
}

/** The server that takes writes, for a connection outside the pool. */
export async function requireServer(
  connection: pg.ClientConfig,
  which = 'that DATABASE_URL names',
): Promise<pg.ClientConfig> {
  const servers = serversOf(connection);
  try {
    return (await findWritable(servers, waitMs)).connection;
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
