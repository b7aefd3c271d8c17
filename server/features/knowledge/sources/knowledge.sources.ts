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
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue } from '../../../platform/jobs/jobs.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Actor, audit, differences, lockAccountConfig } from '../../accounts/accounts.ts';
import { hideDocumentsOfSource, leaveDocumentsOfSource } from '../documents/knowledge.documents.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { cancelRuns, nextSyncOf, scheduleSync } from '../websites/knowledge.runs.ts';
import { mergeSettings, readsOtherwise } from '../websites/website-settings.ts';
import {
  countSources,
  deleteSource,
  findSource,
  findWebsite,
  insertSource,
  type NewSource,
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

/** Those of a kind with this id or name, or all of them; oldest first. */
export async function findSources(
  db: Reader,
  accountId: string,
  kind: KnowledgeSource['kind'],
  idOrName: string | undefined,
): Promise<KnowledgeSource[]> {
  const sources = await selectSources(db, accountId, null, limits.knowledgeSources);
  return sources.filter(
    (source) =>
      source.kind === kind && (idOrName === undefined || source.id === idOrName || source.name === idOrName),
  );
}

export async function requireSource(db: Reader, accountId: string, id: string): Promise<KnowledgeSource> {
  const source = isId(id) ? await findSource(db, accountId, id) : null;
  if (!source) throw notFound('knowledge source');
  return source;
}

/** The addresses of a website have been checked. */
export async function createSource(
  tx: Tx,
  secrets: Secrets,
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
  const id = newId(now);
  const website = kind === 'website' ? mergeSettings(secrets, id, input.settings ?? {}, null) : null;
  if (!website) refuseSettings(input);
  const source: NewSource = {
    ...(website ?? noSettings),
    id,
    name: checkName(input.name),
    kind,
    language,
    nextSyncAt: website && nextSyncOf(website.settings, now),
    createdAt: now,
    updatedAt: now,
  };
  await insertSource(tx, accountId, source);
  await scheduleSync(tx, accountId, source, now);
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
  const times = { nextSyncAt: null, createdAt: now, updatedAt: now };
  await insertSource(tx, accountId, { ...noSettings, ...source, ...times });
}

/** The addresses of a website have been checked. */
export async function changeSource(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  now: number,
  id: string,
  change: KnowledgeSourceUpdate,
): Promise<KnowledgeSource> {
  const { accountId } = actor;
  const state = await lockKnowledge(tx, accountId);
  const before = await requireSource(tx, accountId, id);
  const website = await findWebsite(tx, accountId, id);
  if (!website) refuseSettings(change);
  const stored = website && change.settings ? mergeSettings(secrets, id, change.settings, website) : website;
  const isRescheduled = stored?.settings.schedule !== website?.settings.schedule;
  const after: NewSource = {
    ...before,
    settings: stored?.settings ?? {},
    headers: stored?.headers ?? null,
    nextSyncAt: stored && isRescheduled ? nextSyncOf(stored.settings, now) : before.nextSyncAt,
    name: change.name === undefined ? before.name : checkName(change.name),
    language: change.language === undefined ? before.language : change.language,
    updatedAt: now,
  };
  await updateSource(tx, accountId, after);
  if (isRescheduled) await scheduleSync(tx, accountId, after, now);
  if (website && stored && change.settings && readsOtherwise(change.settings, website, stored)) {
    await cancelRuns(tx, accountId, id, now, 'the settings of the website were changed');
  }
  if (website?.headers === null && stored?.headers) {
    await hideDocumentsOfSource(tx, accountId, id, state.change);
  }
  await audit(tx, actor, now, {
    action: 'knowledge_source.updated',
    target: { type: 'knowledge_source', id },
    changes: differences(partsOf(before), partsOf(after)),
  });
  return requireSource(tx, accountId, id);
}

/** "Articles": the oldest source of this kind. */
export async function articlesSourceId(db: Reader, accountId: string): Promise<string | null> {
  return selectFirstSource(db, accountId, 'articles');
}

/** Those of these ids that are no sources of the account. */
export async function findUnknownSources(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const known = await selectKnownSources(db, accountId, ids.filter(isId));
  return ids.filter((id) => !known.has(id));
}

export const sourceRemovalJobKind = jobKind('knowledge_source_removal');

/**
 * With all its documents, which a job deletes: this holds the account's configuration, because the source leaves the lists of
 * the agents.
 */
export async function removeSource(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  await lockKnowledge(tx, accountId);
  const source = await requireSource(tx, accountId, id);
  if (source.kind === 'articles' && (await countSources(tx, accountId, 'articles')) === 1) {
    throw conflict('the last source of articles cannot be deleted');
  }
  await deleteSource(tx, accountId, id);
  await leaveDocumentsOfSource(tx, accountId, id);
  await enqueue(tx, {
    accountId,
    kind: sourceRemovalJobKind,
    payload: { sourceId: id },
    maxAttempts: endlessAttempts,
  });
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

const noSettings = { settings: {}, headers: null };

function refuseSettings({ settings = {} }: { settings?: object }): void {
  if (Object.keys(settings).length > 0) throw badRequest('settings are for sources of the kind website only');
}

const partsOf = ({
  name,
  kind,
  language,
  settings,
}: Pick<KnowledgeSource, 'name' | 'kind' | 'language' | 'settings'>) => ({
  name,
  kind,
  language,
  ...settings,
});
