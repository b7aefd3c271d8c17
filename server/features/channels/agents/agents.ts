/** AI agents: who answers, with which model, instructions and knowledge. Each change of them makes a version. */
import {
  type AgentContent,
  type VersionedField,
  versionedFields,
} from '../../../../contract/agent-versions.ts';
import {
  type Agent,
  type AgentCreate,
  type AgentRead,
  type AgentUpdate,
  gateModes,
  keyOrigin,
  type PublishGate,
} from '../../../../contract/channels.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound, testsFailed } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import { patternProblem } from '../../../platform/patterns.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  differences,
  lockAccountConfig,
  may,
  requireAddressRight,
  requireMay,
} from '../../accounts/accounts.ts';
import { loadDefinitions } from '../../kanbans/kanbans.ts';
import { articlesSourceId, createDocument, findUnknownSources } from '../../knowledge/knowledge.ts';
import { findUnknownTools } from '../../tools/tools.ts';
import { type AgentDefinition, type Directory, loadDirectory } from '../channels.directory.ts';
import { sessionsExist } from '../channels.sql.ts';
import {
  deleteAgent,
  insertAgent,
  insertVersion,
  replaceAgentKanbans,
  replaceAgentSources,
  replaceAgentTools,
  updateAgent,
} from './agents.sql.ts';

/** Resolves the address, so it runs before the transaction is opened. */
export async function checkAgentUrl(url: string | null | undefined, allow: OutboundAllow): Promise<void> {
  if (url === undefined || url === null) return;
  const problem = await checkOutboundUrl(url, allow);
  if (problem) throw badRequest(`baseUrl ${problem}`);
}

/** Declared here and implemented by the tests of agents, which are below. */
export interface TestsOfAgents {
  /** The cases that keep the settings from being published; null: nothing does. */
  findFailing(
    tx: Tx,
    accountId: string,
    of: { agent: AgentDefinition; content: AgentContent; gate: PublishGate },
  ): Promise<{ id: string; name: string }[] | null>;
}

export interface Publishing {
  secrets: Secrets;
  testsOfAgents: TestsOfAgents;
}

export async function createAgent(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  input: AgentCreate,
): Promise<Agent> {
  await lockAccountConfig(tx, actor.accountId);
  const empty: AgentContent = {
    name: '',
    provider: input.provider,
    model: null,
    baseUrl: null,
    instructions: '',
    knowledge: [],
    tools: [],
    batchWindowMs: 0,
    allowedKanbanIds: [],
    toolIds: [],
    knowledgeSourceIds: input.knowledgeSourceIds ? [] : await articlesOf(tx, actor.accountId),
    mayUseInternal: false,
    answerOnlyFromKnowledge: false,
    price: null,
    maskForModel: [],
    limits: {},
    blockedPatterns: [],
  };
  const id = newId(now);
  const agent: AgentDefinition = {
    ...(await changedContent(tx, actor, empty, input)),
    id,
    apiKey: sealKey(secrets, sealedFor.agent(id), input.apiKey ?? null),
    publishGate: input.publishGate ?? { mode: 'off', minPassRate: 1, noNewFailures: false },
    version: 1,
    hasDraft: false,
    createdAt: now,
    updatedAt: now,
  };
  await insertAgent(tx, actor.accountId, agent);
  await writeLists(tx, actor.accountId, agent, versionedFields);
  await addVersion(tx, actor, now, agent, []);
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
  { secrets, testsOfAgents }: Publishing,
  id: string,
  change: AgentUpdate,
): Promise<Agent> {
  await lockAccountConfig(tx, actor.accountId);
  const before = requireAgent(await loadDirectory(tx, actor.accountId), id);
  const content = await changedContent(tx, actor, before, change);
  const apiKey =
    change.apiKey === undefined ? undefined : sealKey(secrets, sealedFor.agent(id), change.apiKey);
  const publishGate = change.publishGate ?? before.publishGate;
  if (isLooser(before.publishGate, publishGate)) requireMay(actor, 'agents.force_publish');
  await requireTests(tx, testsOfAgents, actor, { ...before, publishGate }, content);
  return publishContent(tx, actor, now, before, { content, apiKey, publishGate, action: 'agent.updated' });
}

const isLooser = (before: PublishGate, after: PublishGate): boolean =>
  before.mode !== 'off' &&
  (gateModes.indexOf(after.mode) < gateModes.indexOf(before.mode) ||
    after.minPassRate < before.minPassRate ||
    (before.noNewFailures && !after.noNewFailures));

/** Of settings that would make a version. */
export async function requireTests(
  tx: Tx,
  tests: TestsOfAgents,
  { accountId }: Actor,
  agent: AgentDefinition,
  content: AgentContent,
): Promise<void> {
  const gate = agent.publishGate;
  if (gate.mode !== 'block' || changedFields(agent, content).length === 0) return;
  const failing = await tests.findFailing(tx, accountId, { agent, content, gate });
  if (failing) throw testsFailed(failing);
}

/** Of the contents that the change leads to, in which only the changed fields are checked. */
export async function changedContent(
  tx: Tx,
  actor: Actor,
  before: AgentContent,
  change: AgentUpdate,
): Promise<AgentContent> {
  const content = contentOf(before);
  for (const field of versionedFields) {
    const value = change[field];
    if (value !== undefined) Object.assign(content, { [field]: value });
  }
  if (change.name !== undefined) content.name = requireName(change.name);
  await checkContent(actor, before, content);
  await checkAllowedKanbans(tx, actor.accountId, change.allowedKanbanIds ?? []);
  await checkTools(tx, actor.accountId, change.toolIds ?? []);
  await checkSources(tx, actor.accountId, change.knowledgeSourceIds ?? []);
  return content;
}

interface Published {
  content: AgentContent;
  /** Sealed. Left out: as it is, unless the contents send it elsewhere. */
  apiKey?: string | null | undefined;
  publishGate?: PublishGate;
  note?: string | undefined;
  /** Why it is published without passed tests. */
  forced?: string | undefined;
  action: 'agent.updated' | 'agent.published' | 'agent.rolled_back';
}

/** The one way in which an agent changes. Settings that stay as they are make no version. */
export async function publishContent(
  tx: Tx,
  actor: Actor,
  now: number,
  before: AgentDefinition,
  { content, apiKey, publishGate = before.publishGate, note = '', forced, action }: Published,
): Promise<Agent> {
  const { accountId } = actor;
  const changed = changedFields(before, content);
  const version = before.version + (changed.length > 0 ? 1 : 0);
  const keptKey = keyFor(before, content);
  const after = {
    ...before,
    ...content,
    publishGate,
    apiKey: apiKey === undefined ? keptKey : apiKey,
    version,
    updatedAt: now,
  };
  await updateAgent(tx, accountId, after);
  if (changed.length > 0) {
    await writeLists(tx, accountId, after, changed);
    await addVersion(tx, actor, now, after, changed, note.trim() || null);
  }
  await audit(tx, actor, now, {
    action,
    target: { type: 'agent', id: before.id },
    changes: {
      ...differences(contentOf(before), content),
      ...differences({ publishGate: before.publishGate }, { publishGate }),
      ...differences({ version: before.version }, { version }),
      ...(forced !== undefined && { forced: { from: null, to: forced } }),
      ...(apiKey !== undefined && { apiKey: 'changed' }),
      ...(apiKey === undefined && keptKey !== before.apiKey && { apiKey: 'removed: the origin changed' }),
    },
  });
  return toAgent(after);
}

/** Of lists that other tables keep, so that what is deleted leaves them. */
async function writeLists(
  tx: Tx,
  accountId: string,
  { id, allowedKanbanIds, toolIds, knowledgeSourceIds }: AgentDefinition,
  changed: readonly VersionedField[],
): Promise<void> {
  if (changed.includes('allowedKanbanIds')) await replaceAgentKanbans(tx, accountId, id, allowedKanbanIds);
  if (changed.includes('toolIds')) await replaceAgentTools(tx, accountId, id, toolIds);
  if (changed.includes('knowledgeSourceIds'))
    await replaceAgentSources(tx, accountId, id, knowledgeSourceIds);
}

const addVersion = (
  tx: Tx,
  actor: Actor,
  now: number,
  agent: AgentDefinition,
  changed: VersionedField[],
  note: string | null = null,
): Promise<void> =>
  insertVersion(tx, actor.accountId, agent.id, {
    version: agent.version,
    content: contentOf(agent),
    changed,
    note,
    publishedAt: now,
    by: actor.name,
  });

export function contentOf(agent: AgentContent): AgentContent {
  const fields = versionedFields.map((field) => [field, agent[field]]);
  return Object.fromEntries(fields) as unknown as AgentContent;
}

export function changedFields(before: AgentContent, after: AgentContent): VersionedField[] {
  const changes = differences(contentOf(before), contentOf(after));
  return versionedFields.filter((field) => field in changes);
}

/**
 * The agent's key, if the contents send it where it was entered for. A user who may change the address must not learn the
 * key that way.
 */
export function keyFor(agent: AgentDefinition, content: AgentContent): string | null {
  return keyOrigin(agent) === keyOrigin(content) ? agent.apiKey : null;
}

/** Its entries become articles of the account, which the agent then answers from. */
export async function moveKnowledge(
  tx: Tx,
  actor: Actor,
  now: number,
  { testsOfAgents }: Publishing,
  id: string,
): Promise<Agent> {
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
  const content = { ...contentOf(before), knowledge: [], knowledgeSourceIds };
  await requireTests(tx, testsOfAgents, actor, before, content);
  return publishContent(tx, actor, now, before, { content, action: 'agent.updated' });
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
  const {
    instructions: _told,
    knowledge: _known,
    baseUrl: _address,
    blockedPatterns: _blocked,
    ...rest
  } = shown;
  return rest;
}

export function openKey(secrets: Secrets, agent: AgentDefinition): string | null {
  return agent.apiKey === null ? null : secrets.open(agent.apiKey, sealedFor.agent(agent.id));
}

export function sealKey(secrets: Secrets, context: string, key: string | null): string | null {
  return key === null ? null : secrets.seal(key, context);
}

async function checkAllowedKanbans(tx: Tx, accountId: string, kanbanIds: readonly string[]): Promise<void> {
  const [unknown] = await findUnknownKanbans(tx, accountId, kanbanIds);
  if (unknown !== undefined)
    throw badRequest(`allowedKanbanIds has an unknown kanban: ${unknown.slice(0, 100)}`);
}

export async function findUnknownKanbans(
  tx: Reader,
  accountId: string,
  kanbanIds: readonly string[],
): Promise<string[]> {
  if (kanbanIds.length === 0) return [];
  const { kanbans } = await loadDefinitions(tx, accountId);
  return kanbanIds.filter((id) => !kanbans.has(id));
}

async function articlesOf(tx: Tx, accountId: string): Promise<string[]> {
  const id = await articlesSourceId(tx, accountId);
  return id === null ? [] : [id];
}

async function checkTools(tx: Tx, accountId: string, toolIds: readonly string[]): Promise<void> {
  const [unknown] = await findUnknownTools(tx, accountId, toolIds);
  if (unknown !== undefined) throw badRequest(`toolIds has an unknown tool: ${unknown.slice(0, 100)}`);
}

async function checkSources(tx: Tx, accountId: string, sourceIds: readonly string[]): Promise<void> {
  const [unknown] = await findUnknownSources(tx, accountId, sourceIds);
  if (unknown !== undefined)
    throw badRequest(`knowledgeSourceIds has an unknown source: ${unknown.slice(0, 100)}`);
}

/** A change of the address needs a right of its own; `before` has the one that is allowed already. */
export async function checkContent(actor: Actor, before: AgentContent, content: AgentContent): Promise<void> {
  const { provider, model, baseUrl, limits, blockedPatterns } = content;
  if (baseUrl !== null && baseUrl !== before.baseUrl) requireAddressRight(actor, 'baseUrl');
  if (provider !== 'offline' && !model) throw badRequest(`model is required for ${provider}`);
  if (provider === 'openai-compatible' && !baseUrl)
    throw badRequest('baseUrl is required for openai-compatible');
  if (limits.costPerDay !== undefined && !(await hasPrice(content)))
    throw badRequest('limits.costPerDay needs a known price: set price');
  for (const [index, pattern] of blockedPatterns.entries()) {
    const problem = await patternProblem(pattern);
    if (problem) throw badRequest(`blockedPatterns[${index}] ${problem}`);
  }
}

/** Loaded on first use: the prices are large. */
async function hasPrice(content: AgentContent): Promise<boolean> {
  const { costOf } = await import('../../../platform/model-prices.ts');
  return costOf(content, { inputTokens: 1_000, outputTokens: 1_000 }) !== null;
}

function requireName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}
