/** The rows by which nodes find each other. */
import { version } from '../../../contract/version.ts';
import type { Db, Reader } from '../db/db.ts';
import { sql } from '../db/sql.ts';

export interface NodeRow {
  id: string;
  url: string;
}

/** Renews the node's own row and returns the live ones of the others, in one statement. */
export async function renewNode(db: Db, { id, url }: NodeRow, aliveSeconds: number): Promise<NodeRow[]> {
  return db.autocommit<NodeRow>(
    sql`
    with renewed as (
      insert into api_nodes (id, url, release) values (${id}, ${url}, ${version})
      on conflict (id) do update set seen_at = now()
    )
    select id, url from api_nodes
    where id <> ${id} and seen_at > now() - ${aliveSeconds}::int * interval '1 second'
    order by id`,
    { isSilent: true },
  );
}

/** At the start of a node: rows of processes that are gone, and those of its predecessor at the same address. */
export async function removeOldNodes(db: Db, url: string, keptSeconds: number): Promise<void> {
  await db.autocommit(sql`
    delete from api_nodes where url = ${url} or seen_at < now() - ${keptSeconds}::int * interval '1 second'`);
}

export async function removeNode(db: Db, id: string): Promise<void> {
  await db.autocommit(sql`delete from api_nodes where id = ${id}`);
}

/** Those that were seen lately, by address. `release` is null for one that does not tell it. */
export async function selectNodes(
  db: Reader,
  aliveSeconds: number,
): Promise<{ url: string; release: string | null }[]> {
  return db.query(sql`
    select url, release from api_nodes where seen_at > now() - ${aliveSeconds}::int * interval '1 second' order by url`);
}
