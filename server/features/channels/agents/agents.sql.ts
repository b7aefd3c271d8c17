import type { AgentContent, AgentVersionEntry } from '../../../../contract/agent-versions.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { AgentDefinition } from '../channels.directory.ts';

const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

export async function insertAgent(tx: Tx, accountId: string, agent: AgentDefinition): Promise<void> {
  await tx.query(sql`
    insert into agents (account_id, id, name, provider, model, base_url, api_key, instructions, knowledge, tools,
      batch_window_ms, may_use_internal, answer_only_from_knowledge, price, mask_for_model, limits,
      blocked_patterns, publish_gate, version, created_at, updated_at)
    values (${accountId}, ${agent.id}, ${agent.name}, ${agent.provider}, ${agent.model}, ${agent.baseUrl},
      ${agent.apiKey}, ${agent.instructions}, ${JSON.stringify(agent.knowledge)}, ${agent.tools},
      ${agent.batchWindowMs}, ${agent.mayUseInternal}, ${agent.answerOnlyFromKnowledge}, ${jsonOf(agent.price)},
      ${agent.maskForModel}, ${JSON.stringify(agent.limits)}, ${agent.blockedPatterns}, ${JSON.stringify(agent.publishGate)},
      ${agent.version}, ${agent.createdAt}, ${agent.updatedAt})`);
}

export async function updateAgent(tx: Tx, accountId: string, agent: AgentDefinition): Promise<void> {
  await tx.query(sql`
    update agents set name = ${agent.name}, provider = ${agent.provider}, model = ${agent.model},
      base_url = ${agent.baseUrl}, api_key = ${agent.apiKey}, instructions = ${agent.instructions},
      knowledge = ${JSON.stringify(agent.knowledge)}, tools = ${agent.tools},
      batch_window_ms = ${agent.batchWindowMs}, may_use_internal = ${agent.mayUseInternal},
      answer_only_from_knowledge = ${agent.answerOnlyFromKnowledge}, price = ${jsonOf(agent.price)},
      mask_for_model = ${agent.maskForModel}, limits = ${JSON.stringify(agent.limits)},
      blocked_patterns = ${agent.blockedPatterns}, publish_gate = ${JSON.stringify(agent.publishGate)}, version = ${agent.version}, updated_at = ${agent.updatedAt}
    where account_id = ${accountId} and id = ${agent.id}`);
}

export async function replaceAgentKanbans(
  tx: Tx,
  accountId: string,
  agentId: string,
  kanbanIds: string[],
): Promise<void> {
  await tx.query(sql`delete from agent_kanbans where account_id = ${accountId} and agent_id = ${agentId}`);
  await tx.query(sql`
    insert into agent_kanbans (account_id, agent_id, kanban_id, position)
    select ${accountId}::uuid, ${agentId}::uuid, k.id, k.place
    from unnest(${kanbanIds}::uuid[]) with ordinality as k (id, place)`);
}

export async function replaceAgentSources(
  tx: Tx,
  accountId: string,
  agentId: string,
  sourceIds: string[],
): Promise<void> {
  await tx.query(sql`
    delete from agent_knowledge_sources where account_id = ${accountId} and agent_id = ${agentId}`);
  await tx.query(sql`
    insert into agent_knowledge_sources (account_id, agent_id, source_id, position)
    select ${accountId}::uuid, ${agentId}::uuid, s.id, s.place
    from unnest(${sourceIds}::uuid[]) with ordinality as s (id, place)`);
}

export async function replaceAgentTools(
  tx: Tx,
  accountId: string,
  agentId: string,
  toolIds: string[],
): Promise<void> {
  await tx.query(sql`delete from agent_tools where account_id = ${accountId} and agent_id = ${agentId}`);
  await tx.query(sql`
    insert into agent_tools (account_id, agent_id, tool_id, position)
    select ${accountId}::uuid, ${agentId}::uuid, t.id, t.place
    from unnest(${toolIds}::uuid[]) with ordinality as t (id, place)`);
}

export async function deleteAgent(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from agents where account_id = ${accountId} and id = ${id}`);
}

export interface StoredVersion extends AgentVersionEntry {
  content: AgentContent;
}

export async function insertVersion(
  tx: Tx,
  accountId: string,
  agentId: string,
  { version, content, changed, note, publishedAt, by }: StoredVersion,
): Promise<void> {
  await tx.query(sql`
    insert into agent_versions (account_id, agent_id, version, content, changed, note, published_at, published_by)
    values (${accountId}, ${agentId}, ${version}, ${JSON.stringify(content)}, ${changed}, ${note}, ${publishedAt},
      ${by})`);
}

/** A field that is newer than a version is as it was before there was one. */
const contentColumn = sql`'{"toolIds": [], "maskForModel": [], "limits": {}, "blockedPatterns": []}'::jsonb || content as content`;
const entryColumns = sql`version, published_at as "publishedAt", published_by as by, note, changed`;

/** Newest first. */
export async function selectVersions(
  db: Reader,
  accountId: string,
  agentId: string,
  before: number | null,
  limit: number,
): Promise<AgentVersionEntry[]> {
  return db.query<AgentVersionEntry>(sql`
    select ${entryColumns} from agent_versions
    where account_id = ${accountId} and agent_id = ${agentId} and (${before}::int is null or version < ${before})
    order by version desc limit ${limit}`);
}

export async function findVersion(
  db: Reader,
  accountId: string,
  agentId: string,
  version: number,
): Promise<StoredVersion | null> {
  const [row] = await db.query<StoredVersion>(sql`
    select ${entryColumns}, ${contentColumn} from agent_versions
    where account_id = ${accountId} and agent_id = ${agentId} and version = ${version}`);
  return row ?? null;
}

export interface StoredDraft {
  /** Of the agent that it was made from. */
  version: number;
  content: AgentContent;
  /** Sealed. */
  apiKey: string | null;
  updatedAt: number;
  by: string;
}

export async function findDraft(db: Reader, accountId: string, agentId: string): Promise<StoredDraft | null> {
  const [row] = await db.query<StoredDraft>(sql`
    select version, ${contentColumn}, api_key as "apiKey", updated_at as "updatedAt", updated_by as by from agent_drafts
    where account_id = ${accountId} and agent_id = ${agentId}`);
  return row ?? null;
}

export async function saveDraft(
  tx: Tx,
  accountId: string,
  agentId: string,
  { version, content, apiKey, updatedAt, by }: StoredDraft,
): Promise<void> {
  await tx.query(sql`
    insert into agent_drafts (account_id, agent_id, version, content, api_key, updated_at, updated_by)
    values (${accountId}, ${agentId}, ${version}, ${JSON.stringify(content)}, ${apiKey}, ${updatedAt}, ${by})
    on conflict (account_id, agent_id) do update set version = excluded.version, content = excluded.content,
      api_key = excluded.api_key, updated_at = excluded.updated_at, updated_by = excluded.updated_by`);
}

/** Whether there was one. */
export async function deleteDraft(tx: Tx, accountId: string, agentId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from agent_drafts where account_id = ${accountId} and agent_id = ${agentId} returning agent_id`);
  return rows.length > 0;
}
