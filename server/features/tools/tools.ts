/** Tools of an account: what agents may call outside of the service. */
import { hiddenHeader } from '../../../contract/knowledge.ts';
import { limits } from '../../../contract/limits.ts';
import type { Tool, ToolCreate, ToolUpdate } from '../../../contract/tools.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import type { RateLimits, RateVerdict } from '../../platform/limits/rate-limit.ts';
import { hideHeaders } from '../../platform/outbound/configured-headers.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  differences,
  lockAccountConfig,
  requireAddressRight,
} from '../accounts/accounts.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { checkTool, requireUrl } from './tools.check.ts';
import { checkHeaders, openHeaders, sealHeaders } from './tools.headers.ts';
import {
  countTools,
  deleteTool,
  findTool,
  insertTool,
  isNameTaken,
  type StoredTool,
  selectTools,
  updateTool,
} from './tools.sql.ts';

export { callTool, checkCall, shortened, type ToolOutcome } from './tools.call.ts';
export { eraseTools, findUnknownTools, type StoredTool, selectOfferedTools } from './tools.sql.ts';
export type { ServiceValues } from './tools.template.ts';
export { serviceValuesOf } from './tools.values.ts';

const { tools } = limits;
/** All calls of an account count together. */
export const admitCall = (rateLimits: RateLimits, accountId: string): Promise<RateVerdict> =>
  rateLimits.admit(accountId, 'tool-calls', [{ limit: tools.callsPerMinute, seconds: 60 }]);

export async function listTools(db: Reader, accountId: string): Promise<Tool[]> {
  return (await selectTools(db, accountId)).map(toTool);
}

export async function requireTool(db: Reader, accountId: string, id: string): Promise<Tool> {
  return toTool(await requireStored(db, accountId, id));
}

/** The address has been checked. */
export async function createTool(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  now: number,
  definitions: Definitions,
  input: ToolCreate,
): Promise<Tool> {
  const { accountId } = actor;
  requireAddressRight(actor, 'url');
  await lockAccountConfig(tx, accountId);
  if ((await countTools(tx, accountId)) >= tools.perAccount) {
    throw conflict(`an account can have at most ${tools.perAccount} tools`);
  }
  await checkName(tx, accountId, input.name, null);
  const id = newId(now);
  const headers = checkHeaders(input.headers ?? {}, {});
  const tool: StoredTool = {
    id,
    name: input.name,
    description: input.description,
    kind: input.kind,
    approval: approvalOf(input.kind, input.approval),
    enabled: input.enabled ?? true,
    method: input.method,
    url: input.url,
    ...sealHeaders(secrets, id, headers),
    body: input.body ?? null,
    parameters: input.parameters,
    timeoutMs: input.timeoutMs ?? tools.timeoutMs.default,
    resultPath: input.resultPath ?? null,
    maxBytes: input.maxBytes ?? tools.resultBytes,
    mcpServerId: null,
    remoteName: null,
    server: null,
    changedFrom: null,
    createdAt: now,
    updatedAt: now,
  };
  checkTool(definitions, { ...tool, url: input.url, headers });
  await insertTool(tx, accountId, tool);
  await audit(tx, actor, now, {
    action: 'tool.created',
    target: { type: 'tool', id },
    changes: differences({}, partsOf(tool)),
  });
  return toTool(tool);
}

/** The address has been checked. */
export async function changeTool(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  now: number,
  definitions: Definitions,
  id: string,
  change: ToolUpdate,
): Promise<Tool> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const before = await requireStored(tx, accountId, id);
  if (before.mcpServerId !== null) return changeServersTool(tx, actor, now, before, change);
  if (change.name !== undefined && change.name !== before.name) {
    await checkName(tx, accountId, change.name, id);
  }
  const url = change.url ?? before.url!;
  if (url !== before.url) requireAddressRight(actor, 'url');
  const kept = sameOrigin(url, before.url!) ? openHeaders(secrets, before) : {};
  const headers = change.headers ? checkHeaders(change.headers, kept) : kept;
  const kind = change.kind ?? before.kind;
  const keptApproval = kind === before.kind ? before.approval : undefined;
  const after: StoredTool = {
    ...before,
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    kind,
    approval: approvalOf(kind, change.approval ?? keptApproval),
    enabled: change.enabled ?? before.enabled,
    method: change.method ?? before.method,
    url,
    ...sealHeaders(secrets, id, headers),
    body: change.body === undefined ? before.body : change.body,
    parameters: change.parameters ?? before.parameters,
    timeoutMs: change.timeoutMs ?? before.timeoutMs,
    resultPath: change.resultPath === undefined ? before.resultPath : change.resultPath,
    maxBytes: change.maxBytes ?? before.maxBytes,
    updatedAt: now,
  };
  checkTool(definitions, { ...after, url, headers });
  await updateTool(tx, accountId, after);
  const hasNewValue = Object.values(change.headers ?? {}).some((value) => value !== hiddenHeader);
  await audit(tx, actor, now, {
    action: 'tool.updated',
    target: { type: 'tool', id },
    changes: {
      ...differences(partsOf(before), partsOf(after)),
      ...(hasNewValue && { headers: { from: before.headerNames, to: after.headerNames } }),
    },
  });
  return toTool(after);
}

/** What the tool is and does is the server's; whether agents have it, and how, is the account's. */
async function changeServersTool(
  tx: Tx,
  actor: Actor,
  now: number,
  before: StoredTool,
  { enabled = before.enabled, kind = before.kind, approval, ...rest }: ToolUpdate,
): Promise<Tool> {
  const [other] = Object.keys(rest);
  if (other !== undefined)
    throw badRequest(`${other.slice(0, 100)} of a tool of an MCP server cannot be changed`);
  const kept = kind === before.kind ? before.approval : undefined;
  const after: StoredTool = {
    ...before,
    enabled,
    kind,
    approval: approvalOf(kind, approval ?? kept),
    changedFrom: enabled ? null : before.changedFrom,
    updatedAt: now,
  };
  await updateTool(tx, actor.accountId, after);
  await audit(tx, actor, now, {
    action: 'tool.updated',
    target: { type: 'tool', id: before.id },
    changes: differences(partsOf(before), partsOf(after)),
  });
  return toTool(after);
}

export async function removeTool(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const tool = await requireStored(tx, accountId, id);
  if (tool.mcpServerId !== null) throw conflict('the tool belongs to an MCP server: remove the server');
  await deleteTool(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'tool.deleted',
    target: { type: 'tool', id },
    changes: { name: { from: tool.name, to: null } },
  });
}

export async function requireStored(db: Reader, accountId: string, id: string): Promise<StoredTool> {
  const tool = isId(id) ? await findTool(db, accountId, id) : null;
  if (!tool) throw notFound('tool');
  return tool;
}

async function checkName(tx: Tx, accountId: string, name: string, exceptId: string | null): Promise<void> {
  if (await isNameTaken(tx, accountId, name, exceptId)) {
    throw conflict(`the name ${name} is taken by another tool`);
  }
}

function approvalOf(kind: Tool['kind'], given: Tool['approval'] | undefined): Tool['approval'] {
  if (kind === 'write') return given ?? 'always';
  if (given === 'always') throw badRequest('approval must be never for a tool of the kind read');
  return 'never';
}

const sameOrigin = (one: string, other: string) => requireUrl(one).origin === requireUrl(other).origin;

const toTool = ({ headerNames, remoteName: _remote, server: _server, ...tool }: StoredTool): Tool => ({
  ...tool,
  headers: hideHeaders(headerNames),
});

/** For the audit log. */
const partsOf = ({
  id: _id,
  server: _server,
  headers: _sealed,
  changedFrom: _seen,
  createdAt: _at,
  updatedAt: _since,
  ...parts
}: StoredTool) => parts;
