/**
 * Publishes what a run has read, in one transaction and through the statements that articles use. Agents see all of it at
 * once, or nothing.
 */
import type { KnowledgeDocument } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import { findAccount } from '../../accounts/accounts.ts';
import {
  deleteDocuments,
  deleteOldVersions,
  deletePassages,
  insertDocuments,
  type StoredDocument,
  selectDocumentsOfSource,
  selectUncited,
  updateDocuments,
} from '../documents/knowledge.documents.sql.ts';
import { checkQuota } from '../documents/knowledge.documents.ts';
import { wakeEmbedding } from '../embeddings/knowledge.embeddings.ts';
import { countKnowledge, type KnowledgeState } from '../knowledge.state.sql.ts';
import type { Website } from '../sources/knowledge.sources.sql.ts';
import {
  type CutPage,
  insertPassagesOfPages,
  insertVersionsOfPages,
  type RunAtWork,
  rememberPages,
  selectCut,
  selectGone,
  selectKnownPages,
  selectReadPages,
  type VersionOfPage,
} from './knowledge.runs.sql.ts';
import { endRun } from './knowledge.runs.ts';
import { pagesAtATime, selectStaged } from './knowledge.staged.ts';

/** A page that is gone for so long, and that no reply cites, is deleted. */
const goneKeptMs = 90 * 86_400_000;

interface Publication {
  state: KnowledgeState;
  website: Website;
  by: string;
  now: number;
  language: string;
  documents: ReadonlyMap<string, StoredDocument>;
  /** Of the newest version, by the id of its document. */
  hashes: ReadonlyMap<string, string | null>;
}

/**
 * The caller has cut the texts (`cutStaged`) and locked the account's knowledge and the run. Throws KNOWLEDGE_QUOTA before
 * anything is written.
 */
export async function publishRun(
  tx: Tx,
  accountId: string,
  state: KnowledgeState,
  run: Pick<RunAtWork, 'id' | 'startedBy'>,
  website: Website,
  now: number,
): Promise<void> {
  const stored = await selectDocumentsOfSource(tx, accountId, website.id);
  const documents = new Map(stored.map((document) => [document.url!, document]));
  const known = await selectKnownPages(tx, accountId, website.id);
  const publication: Publication = {
    state,
    website,
    by: run.startedBy,
    now,
    language: website.language ?? (await findAccount(tx, accountId))!.language,
    documents,
    hashes: new Map(known.map(({ id, hash }) => [id, hash])),
  };
  const read = await selectReadPages(tx, accountId, run.id);
  const staged = await selectStaged(tx, accountId, run.id, read);
  const more = growth(staged, documents);
  checkQuota(state, more.documents, more.bytes);
  for (let from = 0; from < staged.length; from += pagesAtATime) {
    const pages = await readCut(tx, accountId, run.id, staged.slice(from, from + pagesAtATime));
    for (const document of await writePages(tx, accountId, run.id, publication, pages)) {
      documents.set(document.url!, document);
    }
  }
  await removeGone(tx, accountId, publication, new Set(await selectGone(tx, accountId, run.id)));
  const kept = read.flatMap(({ number, url }) => {
    const documentId = documents.get(url)?.id;
    return documentId === undefined ? [] : [{ number, documentId }];
  });
  for (let from = 0; from < kept.length; from += pagesAtATime) {
    await rememberPages(tx, accountId, run.id, kept.slice(from, from + pagesAtATime));
  }
  const forgotten = await forgetGone(tx, accountId, publication, new Set(staged.map(({ url }) => url)));
  await countKnowledge(tx, accountId, {
    documents: more.documents - forgotten.documents,
    bytes: more.bytes - forgotten.bytes,
    isRemoval: forgotten.documents > 0,
  });
  await endRun(tx, accountId, run.id, 'published', null, now);
}

function growth(
  staged: readonly Pick<CutPage, 'url' | 'bytes'>[],
  documents: ReadonlyMap<string, StoredDocument>,
): { documents: number; bytes: number } {
  let [added, bytes] = [0, 0];
  for (const page of staged) {
    const before = documents.get(page.url);
    if (!before) added++;
    bytes += page.bytes - (before?.bytes ?? 0);
  }
  return { documents: added, bytes };
}

async function readCut(
  tx: Tx,
  accountId: string,
  runId: string,
  staged: readonly Pick<CutPage, 'number' | 'url'>[],
): Promise<CutPage[]> {
  const urls = new Map(staged.map(({ number, url }) => [number, url]));
  const cut = await selectCut(tx, accountId, runId, [...urls.keys()]);
  if (cut.length < staged.length) throw new Error('the passages of a page are not cut');
  return cut.map((page) => ({ ...page, url: urls.get(page.number)! }));
}

async function writePages(
  tx: Tx,
  accountId: string,
  runId: string,
  publication: Publication,
  pages: readonly CutPage[],
): Promise<StoredDocument[]> {
  const added: StoredDocument[] = [];
  const changed: StoredDocument[] = [];
  const versions: VersionOfPage[] = [];
  const published: VersionOfPage[] = [];
  for (const page of pages) {
    const before = publication.documents.get(page.url);
    const document = before ? changedDocument(publication, before, page) : newDocument(publication, page);
    (before ? changed : added).push(document);
    const place = { number: page.number, documentId: document.id, version: document.version };
    if (document.version !== before?.version) versions.push(place);
    if (document.publishedVersion !== null) published.push(place);
  }
  const { state, by, now } = publication;
  await insertDocuments(tx, accountId, added, state.change);
  await insertVersionsOfPages(tx, accountId, runId, versions, by, now);
  await updateDocuments(tx, accountId, changed, state.change);
  await deletePassages(
    tx,
    accountId,
    changed.map(({ id }) => id),
  );
  await insertPassagesOfPages(tx, accountId, runId, published);
  await wakeEmbedding(tx, accountId);
  await deleteOldVersions(tx, accountId, changed, limits.knowledgeVersionsKept);
  return added;
}

function newDocument({ website, by, now, language }: Publication, page: CutPage): StoredDocument {
  return {
    id: newId(now),
    sourceId: website.id,
    title: page.title,
    url: page.url,
    language: page.language ?? language,
    state: 'published',
    version: 1,
    publishedVersion: 1,
    characters: page.characters,
    problem: null,
    updatedAt: now,
    updatedBy: by,
    audience: audienceOf(website),
    bytes: page.bytes,
    createdAt: now,
    fileKey: null,
    collectionId: null,
    translationOf: null,
  };
}

const audienceOf = ({ headers }: Website): KnowledgeDocument['audience'] =>
  headers === null ? 'public' : 'internal';

/** What a person has taken out of use stays so: its new text is a version that is not published. */
function changedDocument(
  { hashes, by, now }: Publication,
  before: StoredDocument,
  page: CutPage,
): StoredDocument {
  const isSameText = hashes.get(before.id) === page.hash && before.title === page.title;
  const version = isSameText ? before.version : before.version + 1;
  const isDraft = before.state === 'draft';
  return {
    ...before,
    title: page.title,
    state: isDraft ? 'draft' : 'published',
    version,
    publishedVersion: isDraft ? null : version,
    characters: page.characters,
    problem: null,
    updatedAt: now,
    updatedBy: by,
    bytes: page.bytes,
  };
}

async function removeGone(
  tx: Tx,
  accountId: string,
  { documents, state, by, now }: Publication,
  gone: ReadonlySet<string>,
): Promise<void> {
  const removed = [...documents.values()]
    .filter((document) => gone.has(document.id) && document.state === 'published')
    .map((document) => ({
      ...document,
      state: 'gone' as const,
      publishedVersion: null,
      updatedAt: now,
      updatedBy: by,
    }));
  if (removed.length === 0) return;
  await updateDocuments(tx, accountId, removed, state.change);
  await deletePassages(
    tx,
    accountId,
    removed.map(({ id }) => id),
  );
}

/** They count in the limits of the account. One that is back keeps its document. */
async function forgetGone(
  tx: Tx,
  accountId: string,
  { documents, now }: Publication,
  staged: ReadonlySet<string>,
): Promise<{ documents: number; bytes: number }> {
  const old = [...documents.values()].filter(
    ({ state, updatedAt, url }) => state === 'gone' && updatedAt < now - goneKeptMs && !staged.has(url!),
  );
  if (old.length === 0) return { documents: 0, bytes: 0 };
  const ids = await selectUncited(
    tx,
    accountId,
    old.map(({ id }) => id),
  );
  return deleteDocuments(tx, accountId, ids);
}
