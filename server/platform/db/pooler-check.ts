/** Whether prepared statements survive a pooler that gives each transaction another connection. */
import pg from 'pg';

/** The statement does not exist on this connection, or another client has prepared it there. */
const lostCodes = new Set(['26000', '42P05']);

export class LostStatement extends Error {}

/** Throws LostStatement if they do not. Works without a pooler too. */
export async function tryPreparedStatements(connection: pg.ClientConfig, withinMs: number): Promise<void> {
  const timeouts = { connectionTimeoutMillis: withinMs, query_timeout: withinMs };
  const [one, other] = [0, 1].map(() => new pg.Client({ ...connection, ...timeouts })) as [
    pg.Client,
    pg.Client,
  ];
  const clients = [one, other];
  try {
    for (const client of clients) client.on('error', () => {});
    await Promise.all(clients.map((client) => client.connect()));
    // Two open transactions have two connections. A pooler that gives out the newest free one first swaps them in the
    // second round, one that takes the oldest in the third.
    for (const [round, inOrder] of [
      [one, other],
      [one, other],
      [other, one],
    ].entries()) {
      for (const client of inOrder) {
        await client.query('begin');
        // Of its own: a name that every client uses would be on every connection.
        const name = `talkboard_check_${clients.indexOf(client)}`;
        const { rows } = await client.query({ name, text: 'select $1::int + 1 as n', values: [round] });
        if (rows[0]?.n !== round + 1) throw new LostStatement('a prepared statement gave a wrong result');
      }
      for (const client of clients) await client.query('commit');
    }
  } catch (error) {
    if (!lostCodes.has((error as { code?: string }).code ?? '')) throw error;
    throw new LostStatement('prepared statements are lost between transactions', { cause: error });
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}
