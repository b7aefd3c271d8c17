/**
 * Documents and their versions. A version's text never changes. Each change of a document takes the account's row of
 * `knowledge_state` first.
 */
import type {
  KnowledgeDocument,
  KnowledgeDocumentCreate,
  KnowledgeDocumentReplace,
  KnowledgeDocumentsQuery,
  KnowledgeDocumentUpdate,
  KnowledgeDocumentWithText,
  KnowledgePassage,
  KnowledgeSource,
  KnowledgeVersion,
} from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { imagesOf } from '../../../../contract/markdown/article.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, knowledgeQuota, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { PassageDocument } from '../../../search-engine/passages/passage-index.ts';
import { type Actor, audit, differences, findAccount } from '../../accounts/accounts.ts';
import { eraseFiles, type FileDeps, settleUploads, takePublicImages } from '../../attachments/attachments.ts';
import { findCollection } from '../collections/knowledge.collections.ts';
import { wakeEmbedding } from '../embeddings/knowledge.embeddings.ts';
import { reopenGaps } from '../gaps/knowledge.gaps.sql.ts';
import { countKnowledge, type KnowledgeState, lockKnowledge } from '../knowledge.state.sql.ts';
import { cutPassages } from '../passages/cut-passages.ts';
import { findSource, findSourceKind } from '../sources/knowledge.sources.sql.ts';
import {
  bytesOfVersion,
  countDocumentsOfSource,
  deleteDocuments,
  deleteOldVersions,
  findDocument,
  findVersion,
  hasTranslations,
  insertDocuments,
  insertImages,
  insertVersions,
  moveDocumentsOfOthers,
  type NewPassage,
  replacePassages,
  type StoredDocument,
  type StoredVersion,
  selectDocuments,
  selectImages,
  selectSomeOfSource,
  selectVersions,
  setAudienceOfSource,
  updateDocuments,
} from './knowledge.documents.sql.ts';

interface PageQuery {
  limit?: number;
  nextToken?: string;
}

export async function listDocuments(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  query: KnowledgeDocumentsQuery,
): Promise<Page<KnowledgeDocument>> {
  const size = pageSize(query.limit, limits.listPage);
  const { sourceId, state, collectionId, translationOf, q } = query;
  const scope = ['knowledge-documents', accountId, sourceId, state, collectionId, translationOf, q];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  if ([sourceId, translationOf].some((id) => id !== undefined && !isId(id)))
    return { items: [], nextToken: null };
  const rows = await selectDocuments(db, accountId, query, before, size + 1);
  return cutPage(rows, size, ({ id }) => tokens.issue([id], scope));
}

export async function readDocument(
  db: Reader,
  accountId: string,
  id: string,
  version: number | undefined,
): Promise<KnowledgeDocumentWithText> {
  const document = await requireDocument(db, accountId, id);
  const { title, text } = await requireVersion(db, accountId, document, version);
  return { ...shown(document), title, characters: text.length, text };
}

export async function listVersions(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  id: string,
  query: PageQuery,
): Promise<Page<KnowledgeVersion>> {
  const { version, publishedVersion } = await requireDocument(db, accountId, id);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['knowledge-versions', accountId, id];
  // A run may have prepared the next one.
  const before = query.nextToken === undefined ? version + 1 : Number(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectVersions(db, accountId, id, before, size + 1);
  const items = rows.map((row) => ({ ...row, isPublished: row.version === publishedVersion }));
  return cutPage(items, size, (last) => tokens.issue([last.version], scope));
}

/** As an agent sees them, also those of a version that is not published. */
export async function listPassages(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  id: string,
  query: PageQuery & { version?: number },
): Promise<Page<KnowledgePassage>> {
  const document = await requireDocument(db, accountId, id);
  const { version, text } = await requireVersion(db, accountId, document, query.version);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['knowledge-passages', accountId, id, version];
  const from = query.nextToken === undefined ? 0 : Number(tokens.read(query.nextToken, scope)[0]) + 1;
  const passages = passagesOf(text).slice(from, from + size + 1);
  const items = passages.map((passage) => ({ ...passage, version }));
  return cutPage(items, size, (last) => tokens.issue([last.number], scope));
}

/** Also of an article that is not published. */
export async function requireImage(db: Reader, accountId: string, fileKey: string): Promise<void> {
  const isImage = isId(fileKey) && (await selectImages(db, accountId, [fileKey])).has(fileKey);
  if (!isImage) throw notFound('image');
}

/** Before the transaction: images in a bucket are fetched without holding a connection. */
export async function settleImages(deps: FileDeps, accountId: string, text: string): Promise<void> {
  const images = imagesOf(text);
  if (images.length > limits.articleImages) {
    throw badRequest(`an article can have at most ${limits.articleImages} images`);
  }
  const problems = await settleUploads(deps, accountId, images);
  for (const [fileKey, problem] of problems) throw badRequest(`the image file:${fileKey}: ${problem}`);
}

export async function createDocument(
  tx: Tx,
  actor: Actor,
  now: number,
  input: KnowledgeDocumentCreate,
): Promise<KnowledgeDocument> {
  const { accountId } = actor;
  const title = checkTitle(input.title);
  const state = await lockKnowledge(tx, accountId);
  const source = isId(input.sourceId) ? await findSource(tx, accountId, input.sourceId) : null;
  if (!source) throw badRequest('sourceId is not a knowledge source of this account');
  if (source.kind !== 'articles') throw badRequest('sourceId is not a source of articles');
  const bytes = bytesOf(input.text);
  checkQuota(state, 1, bytes);
  const language = input.language ?? source.language ?? (await findAccount(tx, accountId))!.language;
  const isPublished = input.state === 'published';
  const document: StoredDocument = {
    id: newId(now),
    sourceId: source.id,
    title,
    url: null,
    language,
    state: isPublished ? 'published' : 'draft',
    version: 1,
    publishedVersion: isPublished ? 1 : null,
    characters: input.text.length,
    problem: null,
    updatedAt: now,
    updatedBy: actor.id,
    audience: input.audience ?? 'public',
    bytes,
    createdAt: now,
    fileKey: null,
    ...(await placeFor(tx, accountId, null, input)),
  };
  await insertDocuments(tx, accountId, [document], state.change);
  await insertVersions(tx, accountId, [versionOf(document, title, input.text)]);
  await takeImages(tx, actor, now, document.id, input.text);
  if (isPublished) await putPassages(tx, accountId, document.id, 1, input.text);
  await countKnowledge(tx, accountId, { documents: 1, bytes, isRemoval: false });
  await auditCreated(tx, actor, now, document);
  return shown(document);
}

/**
 * A file that waits to be read: a draft without a version. The caller has locked the account's knowledge, and the file is
 * its own.
 */
export async function createFileDocument(
  tx: Tx,
  actor: Actor,
  now: number,
  state: KnowledgeState,
  { source, title, fileKey }: { source: KnowledgeSource; title: string; fileKey: string },
): Promise<KnowledgeDocument> {
  const { accountId } = actor;
  checkQuota(state, 1, 0);
  const document: StoredDocument = {
    id: newId(now),
    sourceId: source.id,
    title,
    url: null,
    language: source.language ?? (await findAccount(tx, accountId))!.language,
    state: 'draft',
    version: 0,
    publishedVersion: null,
    characters: 0,
    problem: null,
    updatedAt: now,
    updatedBy: actor.id,
    audience: 'public',
    bytes: 0,
    createdAt: now,
    fileKey,
    collectionId: null,
    translationOf: null,
  };
  await insertDocuments(tx, accountId, [document], state.change);
  await countKnowledge(tx, accountId, { documents: 1, bytes: 0, isRemoval: false });
  await auditCreated(tx, actor, now, document);
  return shown(document);
}

/** A file that waits to be read; null: it was read, or is gone. */
export async function findUnreadFile(
  db: Reader,
  accountId: string,
  id: string,
): Promise<(StoredDocument & { fileKey: string }) | null> {
  const document = await findDocument(db, accountId, id);
  if (!document || document.fileKey === null || document.version > 0 || document.state === 'failed')
    return null;
  return { ...document, fileKey: document.fileKey };
}

/** Publishes what was read, or says why nothing was. */
export async function finishFileDocument(
  tx: Tx,
  accountId: string,
  now: number,
  id: string,
  outcome: FileOutcome,
): Promise<void> {
  const state = await lockKnowledge(tx, accountId);
  const before = await findUnreadFile(tx, accountId, id);
  if (!before) return;
  const bytes = 'text' in outcome ? bytesOf(outcome.text) : 0;
  const problem = 'text' in outcome ? quotaProblem(state, 0, bytes) : outcome.problem;
  if (!('text' in outcome) || problem !== null) {
    await updateDocuments(
      tx,
      accountId,
      [{ ...before, state: 'failed', problem, updatedAt: now }],
      state.change,
    );
    return;
  }
  const document = { ...before, version: 1, bytes, updatedAt: now };
  const version = versionOf(document, outcome.title || before.title, outcome.text);
  await insertVersions(tx, accountId, [version]);
  const published = await publish(tx, accountId, document, version);
  await updateDocuments(
    tx,
    accountId,
    [await withLanguage(tx, accountId, published, before, outcome)],
    state.change,
  );
  await countKnowledge(tx, accountId, { documents: 0, bytes, isRemoval: false });
}

export type FileOutcome = { title: string; text: string; language: string | null } | { problem: string };

/** Of the file, unless its source has one, or somebody changed the document before it was read. */
async function withLanguage(
  tx: Tx,
  accountId: string,
  document: StoredDocument,
  before: StoredDocument,
  { language }: { language: string | null },
): Promise<StoredDocument> {
  if (language === null || before.updatedAt !== before.createdAt) return document;
  const source = await findSource(tx, accountId, document.sourceId);
  return source?.language === null ? { ...document, language } : document;
}

/** The next version. Without `published` the one in use stays. */
export async function replaceDocument(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  input: KnowledgeDocumentReplace,
): Promise<KnowledgeDocument> {
  const { accountId } = actor;
  const title = checkTitle(input.title);
  const state = await lockKnowledge(tx, accountId);
  const before = await requireDocument(tx, accountId, id);
  if ((await findSourceKind(tx, accountId, before.sourceId)) !== 'articles') {
    throw badRequest('only the text of an article can be written');
  }
  if (before.version !== input.expectedVersion) {
    throw conflict(`the document has version ${before.version}, not ${input.expectedVersion}`);
  }
  // A draft does not replace what is in use.
  const inUse = input.state === 'published' ? null : before.publishedVersion;
  const bytes = bytesOf(input.text) + (inUse === null ? 0 : await bytesOfVersion(tx, accountId, id, inUse));
  checkQuota(state, 0, bytes - before.bytes);
  const next = { ...before, version: before.version + 1, bytes, updatedAt: now, updatedBy: actor.id };
  const version = versionOf(next, title, input.text);
  await insertVersions(tx, accountId, [version]);
  await takeImages(tx, actor, now, id, input.text);
  const after =
    input.state === 'published' || before.publishedVersion === null
      ? { ...next, title, characters: input.text.length }
      : next;
  const stored = input.state === 'published' ? await publish(tx, accountId, after, version) : after;
  await updateDocuments(tx, accountId, [stored], state.change);
  await deleteOldVersions(tx, accountId, [stored], limits.knowledgeVersionsKept);
  await countKnowledge(tx, accountId, { documents: 0, bytes: bytes - before.bytes, isRemoval: false });
  await auditChange(tx, actor, now, before, stored);
  return shown(stored);
}

export async function changeDocument(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: KnowledgeDocumentUpdate,
): Promise<KnowledgeDocument> {
  const { accountId } = actor;
  const state = await lockKnowledge(tx, accountId);
  const before = await requireDocument(tx, accountId, id);
  const changed = {
    ...before,
    audience: change.audience ?? before.audience,
    language: change.language ?? before.language,
    ...(await placeFor(tx, accountId, before, change)),
    updatedAt: now,
    updatedBy: actor.id,
  };
  const after = change.state ? await withState(tx, accountId, changed, change.state) : changed;
  await updateDocuments(tx, accountId, [after], state.change);
  const bytes = after.bytes - before.bytes;
  if (bytes !== 0) await countKnowledge(tx, accountId, { documents: 0, bytes, isRemoval: false });
  await auditChange(tx, actor, now, before, after);
  return shown(after);
}

export async function removeDocument(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockKnowledge(tx, accountId);
  const { title } = await requireDocument(tx, accountId, id);
  const { bytes, fileKeys } = await deleteDocuments(tx, accountId, [id]);
  await eraseFiles(tx, accountId, fileKeys);
  await reopenGaps(tx, accountId);
  await countKnowledge(tx, accountId, { documents: -1, bytes: -bytes, isRemoval: true });
  await audit(tx, actor, now, {
    action: 'knowledge_document.deleted',
    target: { type: 'knowledge_document', id },
    changes: { title: { from: title, to: null } },
  });
}

/** Documents of the source without a text of the actor move to the oldest source of articles. */
export async function keepDocumentsOfOthers(
  tx: Tx,
  { accountId, id: actorId }: Actor,
  sourceId: string,
): Promise<void> {
  const { change } = await lockKnowledge(tx, accountId);
  await moveDocumentsOfOthers(tx, accountId, { sourceId, actorId, change });
}

/** Its source is gone, and the caller has locked the account's knowledge: they no longer count, and nobody finds them. */
export async function leaveDocumentsOfSource(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  const { documents, bytes } = await countDocumentsOfSource(tx, accountId, sourceId);
  await reopenGaps(tx, accountId);
  await countKnowledge(tx, accountId, { documents: -documents, bytes: -bytes, isRemoval: true });
}

/** Some of those that a source has left. False: there are no more. */
export async function deleteLeftDocuments(
  tx: Tx,
  accountId: string,
  sourceId: string,
  limit: number,
): Promise<boolean> {
  // An image that another article takes meanwhile stays.
  await lockKnowledge(tx, accountId);
  const ids = await selectSomeOfSource(tx, accountId, sourceId, limit);
  if (ids.length === 0) return false;
  const { fileKeys } = await deleteDocuments(tx, accountId, ids);
  await eraseFiles(tx, accountId, fileKeys);
  return true;
}

/** Those of a website, which has no files. The caller has locked the account's knowledge. */
export async function forgetDocuments(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  const { documents, bytes } = await deleteDocuments(tx, accountId, ids);
  await countKnowledge(tx, accountId, { documents: -documents, bytes: -bytes, isRemoval: true });
}

/** As the search would have it if its newest version was published. */
export async function newestVersion(db: Reader, accountId: string, id: string): Promise<PassageDocument> {
  const { version, sourceId, audience, language } = await requireDocument(db, accountId, id);
  const newest = await findVersion(db, accountId, id, version);
  if (!newest) throw conflict('the document has no text that could be published');
  const passages = searchedPassages(newest.text);
  return { id, version, sourceId, audience, language, title: newest.title, passages };
}

export const searchedPassages = (text: string): PassageDocument['passages'] =>
  passagesOf(text).map(({ number, heading, excerpt }) => ({ number, heading, text: excerpt }));

/** They may show what only those with the headers of the website may read. */
export async function hideDocumentsOfSource(
  tx: Tx,
  accountId: string,
  sourceId: string,
  change: number,
): Promise<void> {
  await setAudienceOfSource(tx, accountId, sourceId, 'internal', change);
}

async function requireDocument(db: Reader, accountId: string, id: string): Promise<StoredDocument> {
  const document = isId(id) ? await findDocument(db, accountId, id) : null;
  if (!document) throw notFound('knowledge document');
  return document;
}

/** The version that was asked for, else the one in use, else the newest. */
async function requireVersion(
  db: Reader,
  accountId: string,
  document: StoredDocument,
  asked: number | undefined,
): Promise<StoredVersion> {
  const { id, version, publishedVersion } = document;
  // A file that was not read.
  if (version === 0 && asked === undefined) return versionOf(document, document.title, '');
  const wanted = asked ?? publishedVersion ?? version;
  const found = wanted <= version ? await findVersion(db, accountId, id, wanted) : null;
  if (!found) throw notFound('version');
  return found;
}

/** `published` puts the newest version into use, `draft` takes the document out of use. */
async function withState(
  tx: Tx,
  accountId: string,
  document: StoredDocument,
  state: 'draft' | 'published',
): Promise<StoredDocument> {
  const isAlready =
    state === 'published' ? document.publishedVersion === document.version : document.version === 0;
  if (isAlready) return document;
  const newest = await findVersion(tx, accountId, document.id, document.version);
  if (!newest) throw conflict('the document has no text that could be published');
  const alone = { ...document, bytes: bytesOf(newest.text) };
  if (state === 'published') return publish(tx, accountId, alone, newest);
  await replacePassages(tx, accountId, { documentId: document.id, version: document.version, passages: [] });
  return {
    ...alone,
    state: 'draft',
    publishedVersion: null,
    title: newest.title,
    characters: newest.text.length,
  };
}

async function publish(
  tx: Tx,
  accountId: string,
  document: StoredDocument,
  { version, title, text }: StoredVersion,
): Promise<StoredDocument> {
  await putPassages(tx, accountId, document.id, version, text);
  return { ...document, state: 'published', publishedVersion: version, title, characters: text.length };
}

async function putPassages(
  tx: Tx,
  accountId: string,
  documentId: string,
  version: number,
  text: string,
): Promise<void> {
  await replacePassages(tx, accountId, { documentId, version, passages: passagesOf(text) });
  await wakeEmbedding(tx, accountId);
}

type Place = Pick<StoredDocument, 'collectionId' | 'translationOf'>;

/** Where the help center shows a document. `before` is null for a new one. */
async function placeFor(
  tx: Tx,
  accountId: string,
  before: StoredDocument | null,
  change: Partial<Place>,
): Promise<Place> {
  const { collectionId = before?.collectionId ?? null, translationOf } = change;
  const isMoved = collectionId !== null && collectionId !== before?.collectionId;
  if (isMoved && !(await findCollection(tx, accountId, collectionId))) {
    throw badRequest('collectionId is not a collection of this account');
  }
  if (translationOf === undefined || translationOf === null) {
    return { collectionId, translationOf: translationOf === null ? null : (before?.translationOf ?? null) };
  }
  const other = isId(translationOf) ? await findDocument(tx, accountId, translationOf) : null;
  if (!other) throw badRequest('translationOf is not a document of this account');
  const original = other.translationOf ?? other.id;
  if (original === before?.id) throw badRequest('translationOf must name another document');
  if (before && (await hasTranslations(tx, accountId, before.id))) {
    throw conflict('the document has translations, so it cannot be one');
  }
  return { collectionId, translationOf: original };
}

/**
 * The images of a text stay as long as the article. Those that the author has uploaded become the account's; a key that is
 * neither is left as it is, so that an old version with it can be restored.
 */
async function takeImages(
  tx: Tx,
  actor: Actor,
  now: number,
  documentId: string,
  text: string,
): Promise<void> {
  const { accountId } = actor;
  const keys = imagesOf(text).filter(isId);
  if (keys.length === 0) return;
  const known = await selectImages(tx, accountId, keys);
  const others = keys.filter((key) => !known.has(key));
  const taken = await takePublicImages(tx, accountId, others, actor.id, now);
  await insertImages(tx, accountId, documentId, [...known, ...taken]);
}

const versionOf = (
  { id, version, updatedAt, updatedBy }: StoredDocument,
  title: string,
  text: string,
): StoredVersion => ({ documentId: id, version, title, text, createdAt: updatedAt, createdBy: updatedBy });

export const passagesOf = (text: string): NewPassage[] =>
  cutPassages(text).map((cut, number) => ({ ...cut, number, excerpt: text.slice(cut.start, cut.end) }));

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');

export function checkQuota(state: Omit<KnowledgeState, 'change'>, documents: number, bytes: number): void {
  const problem = quotaProblem(state, documents, bytes);
  if (problem !== null) throw knowledgeQuota(problem);
}

function quotaProblem(
  state: Omit<KnowledgeState, 'change'>,
  documents: number,
  bytes: number,
): string | null {
  if (documents > 0 && state.documents + documents > state.maxDocuments) {
    return `the account can have at most ${state.maxDocuments} knowledge documents`;
  }
  if (bytes > 0 && state.bytes + bytes > state.maxBytes) {
    return `the account can have at most ${state.maxBytes} bytes of knowledge`;
  }
  return null;
}

function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw badRequest('title is required');
  return title;
}

function auditCreated(tx: Tx, actor: Actor, now: number, document: StoredDocument): Promise<void> {
  return audit(tx, actor, now, {
    action: 'knowledge_document.created',
    target: { type: 'knowledge_document', id: document.id },
    changes: differences({}, partsOf(document)),
  });
}

function auditChange(
  tx: Tx,
  actor: Actor,
  now: number,
  before: StoredDocument,
  after: StoredDocument,
): Promise<void> {
  return audit(tx, actor, now, {
    action: 'knowledge_document.updated',
    target: { type: 'knowledge_document', id: after.id },
    changes: differences(partsOf(before), partsOf(after)),
  });
}

const partsOf = (document: StoredDocument) => {
  const { title, state, audience, language, version, publishedVersion, collectionId, translationOf } =
    document;
  return { title, state, audience, language, version, publishedVersion, collectionId, translationOf };
};

const shown = ({
  bytes: _bytes,
  createdAt: _createdAt,
  fileKey: _fileKey,
  ...document
}: StoredDocument): KnowledgeDocument => document;
