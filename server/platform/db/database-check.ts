/** One connection before the pool's first: later failures are told to clients without their cause, this one to whoever set DATABASE_URL. */
import pg from 'pg';
import { reasonOf, StartError } from '../start/start-error.ts';

const waitMs = 5_000;

/** Null when the server let us in. */
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
