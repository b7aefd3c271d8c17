import type { Db, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Of a request that waits for the host or asks it. */
export interface HostTurn {
  holder: string;
  /** Then its process is taken for dead. */
  until: number;
}

/** Milliseconds by the clock of the database. */
export interface HostState {
  now: number;
  /** When the next request may begin. */
  freeAt: number;
  /** In the order of their arrival. */
  turns: readonly HostTurn[];
}

/** Locked until the end of the transaction. */
export async function lockHost(tx: Tx, host: string): Promise<HostState> {
  const [row] = await tx.query<HostState>(sql`
    insert into knowledge_hosts as h (host, free_at, turns) values (${host}, clock_timestamp(), '[]')
    on conflict (host) do update set host = h.host
    returning turns, (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      (extract(epoch from free_at) * 1000)::float8 as "freeAt"`);
  return row!;
}

export async function saveHost(
  tx: Tx,
  host: string,
  { freeAt, turns }: Omit<HostState, 'now'>,
): Promise<void> {
  await tx.query(sql`
    update knowledge_hosts set free_at = to_timestamp(${freeAt / 1000}::float8), turns = ${JSON.stringify(turns)}
    where host = ${host}`);
}

/** Of hosts without requests: a turn ends long before. */
export async function pruneHosts(db: Db): Promise<void> {
  await db.autocommit(sql`delete from knowledge_hosts where free_at < now() - interval '10 minutes'`, {
    isSilent: true,
  });
}
