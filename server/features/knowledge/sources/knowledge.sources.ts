/** Where documents come from. */
import type {
  KnowledgeSource,
  KnowledgeSourceCreate,
  KnowledgeSourceUpdate,
} from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { type Actor, audit, differences, lockAccountConfig } from '../../accounts/accounts.ts';
import { removeDocumentsOfSource } from '../documents/knowledge.documents.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import {
  countSources,
  deleteSource,
  findSource,
  insertSource,
  selectFirstSource,
  selectKnownSources,
  selectSources,
  updateSource,
} from './knowledge.sources.sql.ts';

export async function listSources(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<KnowledgeSource>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['knowledge-sources', accountId];
  const after = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectSources(db, accountId, after, size + 1);
  return cutPage(rows, size, ({ id }) => tokens.issue([id], scope));
}

export async function requireSource(db: Reader, accountId: string, id: string): Promise<KnowledgeSource> {
  const source = isId(id) ? await findSource(db, accountId, id) : null;
  if (!source) throw notFound('knowledge source');
  return source;
}

export async function createSource(
  tx: Tx,
  actor: Actor,
  now: number,
  input: KnowledgeSourceCreate,
): Promise<KnowledgeSource> {
  const { accountId } = actor;
  await lockKnowledge(tx, accountId);
  if ((await countSources(tx, accountId, null)) >= limits.knowledgeSources) {
    throw conflict(`an account can have at most ${limits.knowledgeSources} knowledge sources`);
  }
  const { kind, language = null } = input;
  const source = {
    id: newId(now),
    name: checkName(input.name),
    kind,
    language,
    createdAt: now,
    updatedAt: now,
  };
  await insertSource(tx, accountId, source);
  await audit(tx, actor, now, {
    action: 'knowledge_source.created',
    target: { type: 'knowledge_source', id: source.id },
    changes: differences({}, partsOf(source)),
  });
  return requireSource(tx, accountId, source.id);
}

/** The first source of every account. */
export async function startAccountWithKnowledge(
  tx: Tx,
  { accountId }: Pick<Actor, 'accountId'>,
  now: number,
): Promise<void> {
  const source = { id: newId(now), name: 'Articles', kind: 'articles' as const, language: null };
  await insertSource(tx, accountId, { ...source, createdAt: now, updatedAt: now });
}

export async function changeSource(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: KnowledgeSourceUpdate,
): Promise<KnowledgeSource> {
  const { accountId } = actor;
  await lockKnowledge(tx, accountId);
  const before = await requireSource(tx, accountId, id);
  const after = {
    ...before,
    name: change.name === undefined ? before.name : checkName(change.name),
    language: change.language === undefined ? before.language : change.language,
    updatedAt: now,
  };
  await updateSource(tx, accountId, after);
  await audit(tx, actor, now, {
    action: 'knowledge_source.updated',
    target: { type: 'knowledge_source', id },
    changes: differences(partsOf(before), partsOf(after)),
  });
  return after;
}

/** "Articles": the oldest source of this kind. */
export async function articlesSourceId(db: Reader, accountId: string): Promise<string | null> {
  return selectFirstSource(db, accountId, 'articles');
}

/** The first of these ids that is no source of the account; null: all are. */
export async function findUnknownSource(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<string | null> {
  if (ids.length === 0) return null;
  const known = await selectKnownSources(db, accountId, ids.filter(isId));
  return ids.find((id) => !known.has(id)) ?? null;
}

/** With all its documents. It leaves the lists of the agents, which are a part of the account's configuration. */
export async function removeSource(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  await lockKnowledge(tx, accountId);
  const source = await requireSource(tx, accountId, id);
  if (source.kind === 'articles' && (await countSources(tx, accountId, 'articles')) === 1) {
    throw conflict('the last source of articles cannot be deleted');
  }
  await removeDocumentsOfSource(tx, accountId, id);
  await deleteSource(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'knowledge_source.deleted',
    target: { type: 'knowledge_source', id },
    changes: { name: { from: source.name, to: null } },
  });
}

function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest('name is required');
  return name;
}

const partsOf = ({ name, kind, language }: Pick<KnowledgeSource, 'name' | 'kind' | 'language'>) => ({
  name,
  kind,
  language,
});
