/**
 * Tries one connection before the pool is used, to show the person who set DATABASE_URL the cause. Later failures
 * reach clients without their cause.
 */
import pg from 'pg';
import { reasonOf, StartError } from '../start/start-error.ts';

const waitMs = 5_000;

/** Null if the connection succeeded. */
export async function findConnectionProblem(
  connection: pg.ClientConfig,
  withinMs = waitMs,
): Promise<unknown> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: withinMs });
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

export async function requireDatabase(connection: pg.ClientConfig): Promise<void> {
  const problem = await findConnectionProblem(connection);
  if (problem === null) return;
  throw new StartError(
    `The database that DATABASE_URL names cannot be used: ${reasonOf(problem)}. ` +
      'Check the address, the user and the password, and that the server runs.',
    { cause: problem },
  );
}
