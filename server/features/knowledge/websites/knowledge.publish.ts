/**
 * Publishes what a run has read, in one transaction and through the statements that articles use. Agents see all of it at
 * once, or nothing.
 */
import type { KnowledgeDocument } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { newId } from '../../../platform/ids.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { findAccount } from '../../accounts/accounts.ts';
import {
  deleteDocuments,
  deleteOldVersions,
  insertDocuments,
  replacePassages,
  type StoredDocument,
  selectDocumentsOfSource,
  selectUncited,
  updateDocuments,
} from '../documents/knowledge.documents.sql.ts';
import { checkQuota, passagesOf } from '../documents/knowledge.documents.ts';
import { wakeEmbedding } from '../embeddings/knowledge.embeddings.ts';
import { countKnowledge, type KnowledgeState } from '../knowledge.state.sql.ts';
import type { Website } from '../sources/knowledge.sources.sql.ts';
import {
  insertVersionsOfPages,
  type RunAtWork,
  rememberPages,
  type StagedPage,
  selectGone,
  selectKnownPages,
  selectReadPages,
  type VersionOfPage,
} from './knowledge.runs.sql.ts';
import { endRun } from './knowledge.runs.ts';
import { pagesAtATime, selectStaged, stagedTexts } from './knowledge.staged.ts';

/** A page that is gone for so long, and that no reply cites, is deleted. */
const goneKeptMs = 90 * 86_400_000;
/** Others of the process wait no longer than this while passages are cut. */
const sliceMs = 5;

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

/** The caller has locked the account's knowledge and the run. Throws KNOWLEDGE_QUOTA before anything is written. */
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
  for await (const pages of stagedTexts(tx, accountId, run.id, staged)) {
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
  staged: readonly Pick<StagedPage, 'url' | 'bytes'>[],
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

async function writePages(
  tx: Tx,
  accountId: string,
  runId: string,
  publication: Publication,
  pages: readonly StagedPage[],
): Promise<StoredDocument[]> {
  const pause = createYielder(sliceMs);
  const added: StoredDocument[] = [];
  const changed: StoredDocument[] = [];
  const versions: VersionOfPage[] = [];
  const passages = [];
  for (const page of pages) {
    const before = publication.documents.get(page.url);
    const document = before ? changedDocument(publication, before, page) : newDocument(publication, page);
    (before ? changed : added).push(document);
    const { publishedVersion: version, id: documentId, characters } = document;
    if (document.version !== before?.version) {
      versions.push({ number: page.number, documentId, version: document.version, characters });
    }
    passages.push({ documentId, version, passages: version === null ? [] : passagesOf(page.text) });
    const waiting = pause();
    if (waiting) await waiting;
  }
  const { state, by, now } = publication;
  await insertDocuments(tx, accountId, added, state.change);
  await insertVersionsOfPages(tx, accountId, runId, versions, by, now);
  await updateDocuments(tx, accountId, changed, state.change);
  await replacePassages(tx, accountId, passages);
  await wakeEmbedding(tx, accountId);
  await deleteOldVersions(tx, accountId, changed, limits.knowledgeVersionsKept);
  return added;
}

function newDocument({ website, by, now, language }: Publication, page: StagedPage): StoredDocument {
  return {
    id: newId(now),
    sourceId: website.id,
    title: page.title,
    url: page.url,
    language: page.language ?? language,
    state: 'published',
    version: 1,
    publishedVersion: 1,
    characters: page.text.length,
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
  page: StagedPage,
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
    characters: page.text.length,
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
  const none = removed.map(({ id }) => ({ documentId: id, version: null, passages: [] }));
  await replacePassages(tx, accountId, none);
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
