/**
 * MCP servers of an account. Their tools are switched on one by one. A tool that differs from what somebody looked at is
 * switched off: its description is an instruction to the model, and the server may change it at any time.
 */

import { limits } from '../../../../contract/limits.ts';
import type { McpServer, McpServerCreate } from '../../../../contract/mcp-servers.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, connectionRefused, notFound } from '../../../platform/http/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { type Headers, hideHeaders } from '../../../platform/outbound/configured-headers.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Actor, audit, lockAccountConfig, requireAddressRight } from '../../accounts/accounts.ts';
import { checkHeaders } from '../tools.headers.ts';
import {
  countTools,
  insertTool,
  isNameTaken,
  type StoredTool,
  selectTools,
  updateTool,
} from '../tools.sql.ts';
import type { ListedTool } from './mcp.client.ts';
import { sealServerHeaders } from './mcp.headers.ts';
import {
  deleteServer,
  findServer,
  insertServer,
  noteRefresh,
  type StoredServer,
  selectServers,
} from './mcp.servers.sql.ts';

export interface McpContext {
  db: Db;
  secrets: Secrets;
  safeFetch: SafeFetch;
}

const { tools: toolLimits } = limits;
const maxServers = 20;
const listMs = 15_000;

export async function listServers(db: Reader, accountId: string): Promise<McpServer[]> {
  return (await selectServers(db, accountId)).map(toServer);
}

/** What the server has, outside of any transaction. The address has been checked. */
export async function readTools(
  { safeFetch }: McpContext,
  url: string,
  headers: Headers,
): Promise<ListedTool[]> {
  // Loaded on first use: it loads the SDK.
  const { listTools, problemOf } = await import('./mcp.client.ts');
  try {
    return await listTools(safeFetch, { url, headers }, AbortSignal.timeout(listMs));
  } catch (error) {
    throw connectionRefused(problemOf(error));
  }
}

export async function createServer(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  now: number,
  { name, url }: McpServerCreate,
  headers: Headers,
  listed: readonly ListedTool[],
): Promise<McpServer> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const servers = await selectServers(tx, accountId);
  if (servers.length >= maxServers) throw conflict(`an account can have at most ${maxServers} MCP servers`);
  const prefix = prefixOf(name);
  if (servers.some((one) => prefixOf(one.name) === prefix)) {
    throw conflict(`the name ${name} is taken by another MCP server`);
  }
  const id = newId(now);
  const headerNames = Object.keys(headers);
  const sealed = headerNames.length === 0 ? null : sealServerHeaders(secrets, id, headers);
  const server: StoredServer = {
    id,
    name,
    url,
    headers: sealed,
    headerNames,
    tools: 0,
    refreshedAt: now,
    createdAt: now,
  };
  await insertServer(tx, accountId, server);
  await takeTools(tx, accountId, now, server, listed);
  await audit(tx, actor, now, {
    action: 'mcp_server.created',
    target: { type: 'mcp_server', id },
    changes: { name: { from: null, to: name }, url: { from: null, to: url } },
  });
  return toServer(await requireServer(tx, accountId, id));
}

/** The headers of a new server, and whether the caller may name its address. */
export function checkServer(actor: Actor, { name, headers = {} }: McpServerCreate): Headers {
  requireAddressRight(actor, 'url');
  if (!/^[a-z]/.test(prefixOf(name))) throw badRequest('name must begin with a letter');
  return checkHeaders(headers, {});
}

export async function refreshServer(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  listed: readonly ListedTool[],
): Promise<McpServer> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const server = await requireServer(tx, accountId, id);
  await takeTools(tx, accountId, now, server, listed);
  await noteRefresh(tx, accountId, id, now);
  await audit(tx, actor, now, { action: 'mcp_server.refreshed', target: { type: 'mcp_server', id } });
  return toServer(await requireServer(tx, accountId, id));
}

export async function removeServer(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { name } = await requireServer(tx, accountId, id);
  await deleteServer(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'mcp_server.deleted',
    target: { type: 'mcp_server', id },
    changes: { name: { from: name, to: null } },
  });
}

export async function requireServer(db: Reader, accountId: string, id: string): Promise<StoredServer> {
  const server = isId(id) ? await findServer(db, accountId, id) : null;
  if (!server) throw notFound('MCP server');
  return server;
}

/** New ones are off; changed ones and those that the server has no longer are switched off. */
async function takeTools(
  tx: Tx,
  accountId: string,
  now: number,
  { id: serverId, name: serverName }: StoredServer,
  listed: readonly ListedTool[],
): Promise<void> {
  const own = (await selectTools(tx, accountId)).filter((tool) => tool.mcpServerId === serverId);
  const known = new Map(own.map((tool) => [tool.remoteName!, tool]));
  let count = await countTools(tx, accountId);
  for (const { name: remoteName, ...read } of listed) {
    const description = read.description.slice(0, toolLimits.descriptionLength).toWellFormed();
    if (JSON.stringify(read.parameters).length > toolLimits.schemaLength) continue;
    const before = known.get(remoteName);
    known.delete(remoteName);
    if (before) {
      const isSame = before.description === description && sameJson(before.parameters, read.parameters);
      if (isSame) continue;
      const seen = before.enabled
        ? { description: before.description, parameters: before.parameters }
        : before.changedFrom;
      const after = { ...before, ...read, description, enabled: false, changedFrom: seen, updatedAt: now };
      await updateTool(tx, accountId, after);
      continue;
    }
    const name = `${prefixOf(serverName)}_${wordsOf(remoteName)}`.slice(0, 64);
    if (await isNameTaken(tx, accountId, name, null))
      throw conflict(`the name ${name} is taken by another tool`);
    count += 1;
    if (count > toolLimits.perAccount) {
      throw conflict(`an account can have at most ${toolLimits.perAccount} tools`);
    }
    const tool: StoredTool = {
      ...{ id: newId(now), name, description, kind: 'write', approval: 'always', enabled: false },
      ...{ method: null, url: null, headers: null, headerNames: [], body: null, parameters: read.parameters },
      ...{ timeoutMs: toolLimits.timeoutMs.max, resultPath: null, maxBytes: toolLimits.resultBytes },
      ...{
        mcpServerId: serverId,
        remoteName,
        server: null,
        changedFrom: null,
        createdAt: now,
        updatedAt: now,
      },
    };
    await insertTool(tx, accountId, tool);
  }
  for (const gone of known.values()) {
    if (gone.enabled) await updateTool(tx, accountId, { ...gone, enabled: false, updatedAt: now });
  }
}

/** The database keeps no order of properties. */
function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, sorted(part)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const wordsOf = (text: string) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
const prefixOf = (name: string) => wordsOf(name);

const toServer = ({ headerNames, headers: _sealed, ...server }: StoredServer): McpServer => ({
  ...server,
  headers: hideHeaders(headerNames),
});
