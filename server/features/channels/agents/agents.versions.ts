/** Versions of an agent, the draft of the next one, and going back to an earlier one. */
import type {
  AgentContent,
  AgentDraft,
  AgentDraftWrite,
  AgentPublish,
  AgentRollback,
  AgentRolledBack,
  AgentVersion,
  AgentVersionEntry,
} from '../../../../contract/agent-versions.ts';
import { type Agent, keyOrigin } from '../../../../contract/channels.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, noDraft, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Actor, differences, lockAccountConfig, requireMay } from '../../accounts/accounts.ts';
import { findUnknownSources } from '../../knowledge/knowledge.ts';
import { findUnknownTools } from '../../tools/tools.ts';
import { type AgentDefinition, loadDirectory } from '../channels.directory.ts';
import {
  deleteDraft,
  findDraft,
  findVersion,
  type StoredDraft,
  type StoredVersion,
  saveDraft,
  selectVersions,
} from './agents.sql.ts';
import {
  changedContent,
  changedFields,
  checkContent,
  contentOf,
  findUnknownKanbans,
  keyFor,
  type Publishing,
  publishContent,
  requireAgent,
  requireTests,
  sealKey,
} from './agents.ts';

export async function readDraft(db: Reader, accountId: string, id: string): Promise<AgentDraft> {
  const agent = requireAgent(await loadDirectory(db, accountId), id);
  const draft = await findDraft(db, accountId, id);
  if (!draft) throw notFound('draft');
  return toDraft(db, accountId, agent, draft);
}

/** What is left out is as published: a draft is saved whole. */
export async function writeDraft(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  id: string,
  { apiKey, expectedVersion, ...change }: AgentDraftWrite,
): Promise<AgentDraft> {
  const { accountId } = actor;
  const agent = await lockAgent(tx, accountId, id);
  if (expectedVersion !== undefined && expectedVersion !== agent.version)
    throw conflict(`the agent has version ${agent.version}, not ${expectedVersion}`);
  const content = await changedContent(tx, actor, agent, change);
  const isElsewhere = keyOrigin(content) !== keyOrigin(agent);
  if (apiKey !== undefined && !isElsewhere)
    throw badRequest(
      'apiKey is possible only in a draft that points to another origin; change the agent instead',
    );
  const before = await findDraft(tx, accountId, id);
  const kept = before && keyOrigin(before.content) === keyOrigin(content) ? before.apiKey : null;
  const draft: StoredDraft = {
    version: agent.version,
    content,
    apiKey: !isElsewhere
      ? null
      : apiKey === undefined
        ? kept
        : sealKey(secrets, sealedFor.agentDraft(id), apiKey),
    updatedAt: now,
    by: actor.name,
  };
  await saveDraft(tx, accountId, id, draft);
  return toDraft(tx, accountId, agent, draft);
}

export async function discardDraft(tx: Tx, { accountId }: Actor, id: string): Promise<void> {
  await lockAgent(tx, accountId, id);
  if (!(await deleteDraft(tx, accountId, id))) throw notFound('draft');
}

export async function publishDraft(
  tx: Tx,
  actor: Actor,
  now: number,
  { secrets, testsOfAgents }: Publishing,
  id: string,
  { note, force }: AgentPublish,
): Promise<Agent> {
  const { accountId } = actor;
  const agent = await lockAgent(tx, accountId, id);
  const draft = await findDraft(tx, accountId, id);
  if (!draft) throw noDraft();
  if (draft.version !== agent.version)
    throw conflict(
      `the draft was made from version ${draft.version}, and the agent has version ${agent.version}: save it again`,
    );
  const { content } = await withoutDeleted(tx, accountId, draft.content);
  await checkContent(actor, agent, content);
  await deleteDraft(tx, accountId, id);
  const apiKey = keyOfDraft(secrets, id, draft) ?? undefined;
  const current = { ...agent, hasDraft: false };
  if (force) requireMay(actor, 'agents.force_publish');
  else await requireTests(tx, testsOfAgents, actor, agent, content);
  const published = { content, apiKey, note, forced: force?.reason, action: 'agent.published' } as const;
  return publishContent(tx, actor, now, current, published);
}

/** The settings of an earlier version become the next one. The draft stays. */
export async function rollBack(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  { version, note }: AgentRollback,
): Promise<AgentRolledBack> {
  const { accountId } = actor;
  const agent = await lockAgent(tx, accountId, id);
  const earlier = await requireVersion(tx, accountId, id, version);
  const { content, leftOut } = await withoutDeleted(tx, accountId, earlier.content);
  await checkContent(actor, agent, content);
  const published = { content, note, action: 'agent.rolled_back' } as const;
  return { ...(await publishContent(tx, actor, now, agent, published)), leftOut };
}

export async function listVersions(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  id: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<AgentVersionEntry>> {
  requireAgent(await loadDirectory(db, accountId), id);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['agent-versions', accountId, id];
  const before = query.nextToken === undefined ? null : Number(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectVersions(db, accountId, id, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.version], scope));
}

export async function readVersion(
  db: Reader,
  accountId: string,
  id: string,
  version: string,
  compare: number | undefined,
): Promise<AgentVersion> {
  requireAgent(await loadDirectory(db, accountId), id);
  const { content, ...entry } = await requireVersion(db, accountId, id, numberIn(version));
  if (compare === undefined) return { ...content, ...entry, differences: null };
  const other = await requireVersion(db, accountId, id, compare);
  const changes = differences(other.content, content);
  const fields = changedFields(other.content, content);
  return { ...content, ...entry, differences: fields.map((field) => ({ field, ...changes[field]! })) };
}

export interface OtherVersion {
  agent: AgentDefinition;
  /** It points to an origin that nobody has entered a key for, and the published agent needs one. */
  lacksKey: boolean;
}

/** The agent as its draft or one of its versions has it. */
export async function agentOfVersion(
  db: Reader,
  secrets: Secrets,
  accountId: string,
  agent: AgentDefinition,
  version: number | 'draft',
): Promise<OtherVersion> {
  const draft = version === 'draft' ? await findDraft(db, accountId, agent.id) : null;
  if (version === 'draft' && !draft) throw noDraft();
  const stored = draft ?? (await requireVersion(db, accountId, agent.id, Number(version)));
  const other = await agentWith(db, secrets, accountId, agent, stored.content);
  return { ...other, agent: { ...other.agent, version: stored.version } };
}

/** With other settings, and the key that was entered for where they point to: the agent's or that of its draft. */
export async function agentWith(
  db: Reader,
  secrets: Secrets,
  accountId: string,
  agent: AgentDefinition,
  stored: AgentContent,
): Promise<OtherVersion> {
  const { content } = await withoutDeleted(db, accountId, stored);
  const origin = keyOrigin(content);
  const draft = origin === keyOrigin(agent) ? null : await findDraft(db, accountId, agent.id);
  const isDrafts = draft !== null && keyOrigin(draft.content) === origin;
  const apiKey = (isDrafts && keyOfDraft(secrets, agent.id, draft)) || keyFor(agent, content);
  return {
    agent: { ...agent, ...content, apiKey },
    lacksKey: apiKey === null && agent.apiKey !== null && origin !== null,
  };
}

/** Its own key, sealed as that of an agent. */
function keyOfDraft(secrets: Secrets, id: string, { apiKey }: StoredDraft): string | null {
  return apiKey && sealKey(secrets, sealedFor.agent(id), secrets.open(apiKey, sealedFor.agentDraft(id)));
}

/** What is no number is a version that does not exist. */
const numberIn = (text: string): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0);

async function lockAgent(tx: Tx, accountId: string, id: string): Promise<AgentDefinition> {
  await lockAccountConfig(tx, accountId);
  return requireAgent(await loadDirectory(tx, accountId), id);
}

async function requireVersion(
  db: Reader,
  accountId: string,
  id: string,
  version: number,
): Promise<StoredVersion> {
  const found = await findVersion(db, accountId, id, version);
  if (!found) throw notFound('version');
  return found;
}

/** Boards, tools and sources may be deleted while a version or a draft names them. */
async function withoutDeleted(
  db: Reader,
  accountId: string,
  stored: AgentContent,
): Promise<{ content: AgentContent; leftOut: AgentRolledBack['leftOut'] }> {
  const [kanbans, tools, sources] = await Promise.all([
    findUnknownKanbans(db, accountId, stored.allowedKanbanIds),
    findUnknownTools(db, accountId, stored.toolIds),
    findUnknownSources(db, accountId, stored.knowledgeSourceIds),
  ]);
  const content = {
    ...stored,
    allowedKanbanIds: stored.allowedKanbanIds.filter((id) => !kanbans.includes(id)),
    toolIds: stored.toolIds.filter((id) => !tools.includes(id)),
    knowledgeSourceIds: stored.knowledgeSourceIds.filter((id) => !sources.includes(id)),
  };
  return { content, leftOut: { allowedKanbanIds: kanbans, toolIds: tools, knowledgeSourceIds: sources } };
}

async function toDraft(
  db: Reader,
  accountId: string,
  agent: AgentDefinition,
  { version, content: stored, apiKey, updatedAt, by }: StoredDraft,
): Promise<AgentDraft> {
  const { content } = await withoutDeleted(db, accountId, stored);
  return {
    ...content,
    hasApiKey: (apiKey ?? keyFor(agent, content)) !== null,
    version,
    isStale: version !== agent.version,
    changed: changedFields(contentOf(agent), content),
    updatedAt,
    by,
  };
}
