/** Everything in a database, to compare it with a later state or with another one. */
import pg from 'pg';
import type { Connection } from './database.ts';

/** Rows by table, as texts, in an order that does not depend on how they were written. Without those of the processes. */
export type Dump = Record<string, string[]>;

/** `without`: columns by table that are left out. */
export async function dumpTables(
  connection: Connection,
  without: Record<string, string[]> = {},
): Promise<Dump> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query(`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relpersistence = 'p' and relname <> 'processes' order by relname`);
    const dump: Dump = {};
    for (const { name } of rows) {
      const left = without[name];
      // The row's own text format distinguishes a JSON null from none, which jsonb would not.
      const row = left ? '(to_jsonb(t) - $1::text[])::text' : 't::text';
      const text = `select ${row} as row from ${pg.escapeIdentifier(name)} t order by 1`;
      const content = await client.query(text, left ? [left] : []);
      dump[name] = content.rows.map((one) => one.row);
    }
    return dump;
  });
}

export async function queryRows<T>(
  connection: Connection,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  return withClient(connection, async (client) => (await client.query(text, values)).rows as T[]);
}

async function withClient<T>(connection: Connection, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
