import type { McpServer } from '../../../../contract/mcp-servers.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface StoredServer extends Omit<McpServer, 'headers'> {
  /** Sealed; null: there are none. */
  headers: string | null;
  headerNames: string[];
}

const columns = sql`id, name, url, headers, header_names as "headerNames", refreshed_at as "refreshedAt",
  created_at as "createdAt",
  (select count(*)::int from tools t where t.account_id = s.account_id and t.mcp_server_id = s.id) as tools`;

export async function selectServers(db: Reader, accountId: string): Promise<StoredServer[]> {
  return db.query<StoredServer>(
    sql`select ${columns} from mcp_servers s where account_id = ${accountId} order by id`,
  );
}

export async function findServer(db: Reader, accountId: string, id: string): Promise<StoredServer | null> {
  const [row] = await db.query<StoredServer>(
    sql`select ${columns} from mcp_servers s where account_id = ${accountId} and id = ${id}`,
  );
  return row ?? null;
}

export async function insertServer(tx: Tx, accountId: string, server: StoredServer): Promise<void> {
  await tx.query(sql`
    insert into mcp_servers (account_id, id, name, url, headers, header_names, refreshed_at, created_at)
    values (${accountId}, ${server.id}, ${server.name}, ${server.url}, ${server.headers}, ${server.headerNames},
      ${server.refreshedAt}, ${server.createdAt})`);
}

export async function noteRefresh(tx: Tx, accountId: string, id: string, now: number): Promise<void> {
  await tx.query(
    sql`update mcp_servers set refreshed_at = ${now} where account_id = ${accountId} and id = ${id}`,
  );
}

export async function deleteServer(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from mcp_servers where account_id = ${accountId} and id = ${id}`);
}
