/** AI agents: who answers, with which model, instructions and knowledge. */
import {
  type Agent,
  type AgentCreate,
  type AgentRead,
  type AgentUpdate,
  keyOrigin,
} from '../../../contract/channels.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  differences,
  lockAccountConfig,
  may,
  requireAddressRight,
  requireMay,
} from '../accounts/accounts.ts';
import { loadDefinitions } from '../kanbans/kanbans.ts';
import { articlesSourceId, createDocument, findUnknownSource } from '../knowledge/knowledge.ts';
import { type AgentDefinition, type Directory, loadDirectory } from './channels.directory.ts';
import {
  deleteAgent,
  insertAgent,
  replaceAgentKanbans,
  replaceAgentSources,
  sessionsExist,
  updateAgent,
} from './channels.sql.ts';

/** Resolves the address, so it runs before the transaction is opened. */
export async function checkAgentUrl(url: string | null | undefined, allow: OutboundAllow): Promise<void> {
  if (url === undefined || url === null) return;
  const problem = await checkOutboundUrl(url, allow);
  if (problem) throw badRequest(`baseUrl ${problem}`);
}

export async function createAgent(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  input: AgentCreate,
): Promise<Agent> {
  if (input.baseUrl) requireAddressRight(actor, 'baseUrl');
  await lockAccountConfig(tx, actor.accountId);
  const id = newId(now);
  const agent = checkAgent({
    id,
    name: requireName(input.name),
    provider: input.provider,
    model: input.model ?? null,
    baseUrl: input.baseUrl ?? null,
    apiKey: sealKey(secrets, id, input.apiKey ?? null),
    instructions: input.instructions ?? '',
    knowledge: input.knowledge ?? [],
    tools: input.tools ?? [],
    batchWindowMs: input.batchWindowMs ?? 0,
    allowedKanbanIds: input.allowedKanbanIds ?? [],
    knowledgeSourceIds: input.knowledgeSourceIds ?? (await articlesOf(tx, actor.accountId)),
    mayUseInternal: input.mayUseInternal ?? false,
    answerOnlyFromKnowledge: input.answerOnlyFromKnowledge ?? false,
    createdAt: now,
    updatedAt: now,
  });
  await checkAllowedKanbans(tx, actor.accountId, agent.allowedKanbanIds);
  if (input.knowledgeSourceIds) await checkSources(tx, actor.accountId, input.knowledgeSourceIds);
  await insertAgent(tx, actor.accountId, agent);
  if (agent.allowedKanbanIds.length > 0)
    await replaceAgentKanbans(tx, actor.accountId, id, agent.allowedKanbanIds);
  if (agent.knowledgeSourceIds.length > 0)
    await replaceAgentSources(tx, actor.accountId, id, agent.knowledgeSourceIds);
  await audit(tx, actor, now, {
    action: 'agent.created',
    target: { type: 'agent', id },
    changes: differences({}, { name: agent.name, provider: agent.provider }),
  });
  return toAgent(agent);
}

export async function changeAgent(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  id: string,
  change: AgentUpdate,
): Promise<Agent> {
  await lockAccountConfig(tx, actor.accountId);
  const before = requireAgent(await loadDirectory(tx, actor.accountId), id);
  const provider = change.provider ?? before.provider;
  const baseUrl = change.baseUrl === undefined ? before.baseUrl : change.baseUrl;
  if (baseUrl !== null && baseUrl !== before.baseUrl) requireAddressRight(actor, 'baseUrl');
  // The key was entered for the old origin. A user who may change the address must not learn the key that way.
  const keyRemoved =
    change.apiKey === undefined &&
    before.apiKey !== null &&
    keyOrigin(before) !== keyOrigin({ provider, baseUrl });
  const keptKey = keyRemoved ? null : before.apiKey;
  const after = checkAgent({
    ...before,
    name: change.name === undefined ? before.name : requireName(change.name),
    provider,
    model: change.model === undefined ? before.model : change.model,
    baseUrl,
    apiKey: change.apiKey === undefined ? keptKey : sealKey(secrets, id, change.apiKey),
    instructions: change.instructions ?? before.instructions,
    knowledge: change.knowledge ?? before.knowledge,
    tools: change.tools ?? before.tools,
    batchWindowMs: change.batchWindowMs ?? before.batchWindowMs,
    allowedKanbanIds: change.allowedKanbanIds ?? before.allowedKanbanIds,
    knowledgeSourceIds: change.knowledgeSourceIds ?? before.knowledgeSourceIds,
    mayUseInternal: change.mayUseInternal ?? before.mayUseInternal,
    answerOnlyFromKnowledge: change.answerOnlyFromKnowledge ?? before.answerOnlyFromKnowledge,
    updatedAt: now,
  });
  await updateAgent(tx, actor.accountId, after);
  if (change.allowedKanbanIds !== undefined) {
    await checkAllowedKanbans(tx, actor.accountId, change.allowedKanbanIds);
    await replaceAgentKanbans(tx, actor.accountId, id, change.allowedKanbanIds);
  }
  if (change.knowledgeSourceIds !== undefined) {
    await checkSources(tx, actor.accountId, change.knowledgeSourceIds);
    await replaceAgentSources(tx, actor.accountId, id, change.knowledgeSourceIds);
  }
  const { apiKey: _old, updatedAt: _then, ...shown } = before;
  const { apiKey: _new, updatedAt: _now, ...changed } = after;
  await audit(tx, actor, now, {
    action: 'agent.updated',
    target: { type: 'agent', id },
    changes: {
      ...differences(shown, changed),
      ...(change.apiKey !== undefined && { apiKey: 'changed' }),
      ...(keyRemoved && { apiKey: 'removed: the origin changed' }),
    },
  });
  return toAgent(after);
}

/** Its entries become articles of the account, which the agent then answers from. */
export async function moveKnowledge(tx: Tx, actor: Actor, now: number, id: string): Promise<Agent> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const before = requireAgent(await loadDirectory(tx, accountId), id);
  requireMay(actor, 'knowledge.manage');
  const sourceId = await articlesSourceId(tx, accountId);
  if (before.knowledge.length === 0 || sourceId === null) return toAgent(before);
  for (const { title, text } of before.knowledge) {
    const article = { sourceId, title: title.trim() || titleOf(text), text, state: 'published' as const };
    await createDocument(tx, actor, now, article);
  }
  const knowledgeSourceIds = [...new Set([...before.knowledgeSourceIds, sourceId])];
  const after = { ...before, knowledge: [], knowledgeSourceIds, updatedAt: now };
  await updateAgent(tx, accountId, after);
  await replaceAgentSources(tx, accountId, id, knowledgeSourceIds);
  await audit(tx, actor, now, {
    action: 'agent.updated',
    target: { type: 'agent', id },
    changes: differences(
      { knowledge: before.knowledge, knowledgeSourceIds: before.knowledgeSourceIds },
      { knowledge: after.knowledge, knowledgeSourceIds },
    ),
  });
  return toAgent(after);
}

/** Of an entry without one: its beginning. An article needs a title. */
const titleOf = (text: string): string => text.trim().split('\n', 1)[0]!.slice(0, 100).toWellFormed() || '…';

export async function removeAgent(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const directory = await loadDirectory(tx, accountId);
  const agent = requireAgent(directory, id);
  const user = [...directory.channels.values()].find(
    (channel) => channel.defaultAgentId === id || channel.allowedAgentIds.includes(id),
  );
  if (user) throw conflict(`the channel ${user.name} still uses this agent`);
  if (await sessionsExist(tx, accountId, { agentId: id }))
    throw conflict('conversations are still assigned to this agent');
  await deleteAgent(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'agent.deleted',
    target: { type: 'agent', id },
    changes: { name: { from: agent.name, to: null } },
  });
}

export function requireAgent(directory: Directory, id: string): AgentDefinition {
  const agent = directory.agents.get(id);
  if (!agent) throw notFound('agent');
  return agent;
}

function toAgent(agent: AgentDefinition): Agent {
  const { apiKey, ...shown } = agent;
  return { ...shown, hasApiKey: apiKey !== null };
}

/** Others see which agent answers, but neither its instructions nor the address of its model. */
export function toAgentFor(actor: Actor, agent: AgentDefinition): AgentRead {
  const shown = toAgent(agent);
  if (may(actor, 'agents.manage')) return shown;
  const { instructions: _told, knowledge: _known, baseUrl: _address, ...rest } = shown;
  return rest;
}

export function openKey(secrets: Secrets, agent: AgentDefinition): string | null {
  return agent.apiKey === null ? null : secrets.open(agent.apiKey, sealedFor.agent(agent.id));
}

function sealKey(secrets: Secrets, id: string, key: string | null): string | null {
  return key === null ? null : secrets.seal(key, sealedFor.agent(id));
}

async function checkAllowedKanbans(tx: Tx, accountId: string, kanbanIds: readonly string[]): Promise<void> {
  if (kanbanIds.length === 0) return;
  const { kanbans } = await loadDefinitions(tx, accountId);
  const unknown = kanbanIds.find((id) => !kanbans.has(id));
  if (unknown !== undefined)
    throw badRequest(`allowedKanbanIds has an unknown kanban: ${unknown.slice(0, 100)}`);
}

async function articlesOf(tx: Tx, accountId: string): Promise<string[]> {
  const id = await articlesSourceId(tx, accountId);
  return id === null ? [] : [id];
}

async function checkSources(tx: Tx, accountId: string, sourceIds: readonly string[]): Promise<void> {
  const unknown = await findUnknownSource(tx, accountId, sourceIds);
  if (unknown !== null)
    throw badRequest(`knowledgeSourceIds has an unknown source: ${unknown.slice(0, 100)}`);
}

function checkAgent(agent: AgentDefinition): AgentDefinition {
  if (agent.provider !== 'offline' && !agent.model)
    throw badRequest(`model is required for ${agent.provider}`);
  if (agent.provider === 'openai-compatible' && !agent.baseUrl) {
    throw badRequest('baseUrl is required for openai-compatible');
  }
  return agent;
}

function requireName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}
