import type { Tool } from '../../../contract/tools.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { isId } from '../../platform/ids.ts';

export interface StoredTool extends Omit<Tool, 'headers'> {
  /** Sealed; null: there are none. */
  headers: string | null;
  headerNames: string[];
  /** Of an MCP server's: what the server calls it. */
  remoteName: string | null;
  server: { id: string; url: string; headers: string | null } | null;
}

const columns = sql`id, name, description, kind, approval, enabled, method, url, headers, header_names as "headerNames",
  body, parameters, timeout_ms as "timeoutMs", result_path as "resultPath", max_bytes as "maxBytes",
  mcp_server_id as "mcpServerId", remote_name as "remoteName", changed_from as "changedFrom",
  (select json_build_object('id', s.id, 'url', s.url, 'headers', s.headers) from mcp_servers s
    where s.account_id = tools.account_id and s.id = tools.mcp_server_id) as server, created_at as "createdAt", updated_at as "updatedAt"`;

export async function selectTools(db: Reader, accountId: string): Promise<StoredTool[]> {
  return db.query<StoredTool>(sql`select ${columns} from tools where account_id = ${accountId} order by id`);
}

export async function findTool(db: Reader, accountId: string, id: string): Promise<StoredTool | null> {
  const [row] = await db.query<StoredTool>(
    sql`select ${columns} from tools where account_id = ${accountId} and id = ${id}`,
  );
  return row ?? null;
}

/** Those of an agent that are enabled, in the order of its list. */
export async function selectOfferedTools(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<StoredTool[]> {
  return db.query<StoredTool>(sql`
    select ${columns} from tools where account_id = ${accountId} and id = any(${ids}::uuid[]) and enabled
    order by array_position(${ids}::uuid[], id)`);
}

/** Those of these ids that are no tools of the account. */
export async function findUnknownTools(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }>(sql`
    select id from tools where account_id = ${accountId} and id = any(${ids.filter(isId)}::uuid[])`);
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

export async function countTools(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from tools where account_id = ${accountId}`,
  );
  return row!.count;
}

export async function isNameTaken(
  tx: Tx,
  accountId: string,
  name: string,
  exceptId: string | null,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from tools where account_id = ${accountId} and name = ${name} and id is distinct from ${exceptId}::uuid`);
  return rows.length > 0;
}

export async function insertTool(tx: Tx, accountId: string, tool: StoredTool): Promise<void> {
  await tx.query(sql`
    insert into tools (account_id, id, name, description, kind, approval, enabled, method, url, headers, header_names,
      body, parameters, timeout_ms, result_path, max_bytes, mcp_server_id, remote_name, created_at, updated_at)
    values (${accountId}, ${tool.id}, ${tool.name}, ${tool.description}, ${tool.kind}, ${tool.approval},
      ${tool.enabled}, ${tool.method}, ${tool.url}, ${tool.headers}, ${tool.headerNames},
      ${jsonOf(tool.body)}, ${JSON.stringify(tool.parameters)}, ${tool.timeoutMs}, ${tool.resultPath},
      ${tool.maxBytes}, ${tool.mcpServerId}, ${tool.remoteName}, ${tool.createdAt}, ${tool.updatedAt})`);
}

export async function updateTool(tx: Tx, accountId: string, tool: StoredTool): Promise<void> {
  await tx.query(sql`
    update tools set name = ${tool.name}, description = ${tool.description}, kind = ${tool.kind},
      approval = ${tool.approval}, enabled = ${tool.enabled}, method = ${tool.method}, url = ${tool.url},
      headers = ${tool.headers}, header_names = ${tool.headerNames}, body = ${jsonOf(tool.body)},
      parameters = ${JSON.stringify(tool.parameters)}, timeout_ms = ${tool.timeoutMs},
      result_path = ${tool.resultPath}, max_bytes = ${tool.maxBytes},
      changed_from = ${jsonOf(tool.changedFrom)}, updated_at = ${tool.updatedAt}
    where account_id = ${accountId} and id = ${tool.id}`);
}

export async function deleteTool(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from tools where account_id = ${accountId} and id = ${id}`);
}

/** Agents lose them without a new version. Nothing is logged: the demo goes without a trace. */
export async function eraseTools(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from tools where account_id = ${accountId} and id = any(${ids}::uuid[])`);
}

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
