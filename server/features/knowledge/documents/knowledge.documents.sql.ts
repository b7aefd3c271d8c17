import type {
  KnowledgeDocument,
  KnowledgeDocumentsQuery,
  KnowledgePassage,
  KnowledgeVersion,
} from '../../../../contract/knowledge.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** `characters` and `title` are those of the version in use, `bytes` those of the newest text. */
export interface StoredDocument extends KnowledgeDocument {
  bytes: number;
  createdAt: number;
  /** Of a document that was uploaded. */
  fileKey: string | null;
}

export interface StoredVersion {
  documentId: string;
  version: number;
  title: string;
  text: string;
  createdAt: number;
  createdBy: string;
}

const columns = sql`id, source_id as "sourceId", title, url, language, state, version,
  published_version as "publishedVersion", characters, problem, updated_at as "updatedAt", updated_by as "updatedBy",
  audience, collection_id as "collectionId", translation_of as "translationOf"`;

/** Newest first. */
export async function selectDocuments(
  db: Reader,
  accountId: string,
  { sourceId, state, q }: Pick<KnowledgeDocumentsQuery, 'sourceId' | 'state' | 'q'>,
  before: string | null,
  limit: number,
): Promise<KnowledgeDocument[]> {
  return db.query<KnowledgeDocument>(sql`
    select ${columns} from knowledge_documents
    where account_id = ${accountId} and (${sourceId ?? null}::uuid is null or source_id = ${sourceId ?? null})
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${q ?? null}::text is null or position(lower(${q ?? null}) in lower(title)) > 0)
      and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`);
}

export async function findDocument(
  db: Reader,
  accountId: string,
  id: string,
): Promise<StoredDocument | null> {
  const [row] = await db.query<StoredDocument>(sql`
    select ${columns}, bytes, created_at as "createdAt", file_key as "fileKey" from knowledge_documents
    where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export async function insertDocument(
  tx: Tx,
  accountId: string,
  document: StoredDocument,
  change: number,
): Promise<void> {
  const { id, sourceId, title, url, language, state, version, publishedVersion, characters } = document;
  const { problem, updatedAt, updatedBy, audience, bytes, createdAt, fileKey } = document;
  const { collectionId, translationOf } = document;
  await tx.query(sql`
    insert into knowledge_documents (account_id, id, source_id, url, language, state, audience, version,
      published_version, title, characters, bytes, problem, created_at, updated_at, updated_by, change_number,
      file_key, collection_id, translation_of)
    values (${accountId}, ${id}, ${sourceId}, ${url}, ${language}, ${state}, ${audience}, ${version},
      ${publishedVersion}, ${title}, ${characters}, ${bytes}, ${problem}, ${createdAt}, ${updatedAt}, ${updatedBy},
      ${change}, ${fileKey}, ${collectionId}, ${translationOf})`);
}

export async function updateDocument(
  tx: Tx,
  accountId: string,
  document: StoredDocument,
  change: number,
): Promise<void> {
  const { id, title, language, state, version, publishedVersion, characters, bytes } = document;
  const { updatedAt, updatedBy, audience, problem, collectionId, translationOf } = document;
  await tx.query(sql`
    update knowledge_documents set title = ${title}, language = ${language}, state = ${state}, version = ${version},
      published_version = ${publishedVersion}, characters = ${characters}, bytes = ${bytes}, updated_at = ${updatedAt},
      updated_by = ${updatedBy}, audience = ${audience}, problem = ${problem}, change_number = ${change},
      collection_id = ${collectionId}, translation_of = ${translationOf}
    where account_id = ${accountId} and id = ${id}`);
}

const versionColumns = sql`document_id as "documentId", version, title, text, created_at as "createdAt",
  created_by as "createdBy"`;

export async function findVersion(
  db: Reader,
  accountId: string,
  documentId: string,
  version: number,
): Promise<StoredVersion | null> {
  const [row] = await db.query<StoredVersion>(sql`
    select ${versionColumns} from knowledge_versions
    where account_id = ${accountId} and document_id = ${documentId} and version = ${version}`);
  return row ?? null;
}

/** Newest first. */
export async function selectVersions(
  db: Reader,
  accountId: string,
  documentId: string,
  before: number | null,
  limit: number,
): Promise<Omit<KnowledgeVersion, 'isPublished'>[]> {
  return db.query(sql`
    select version, title, characters, created_at as "createdAt", created_by as "createdBy"
    from knowledge_versions
    where account_id = ${accountId} and document_id = ${documentId} and (${before}::int is null or version < ${before})
    order by version desc limit ${limit}`);
}

export async function insertVersion(tx: Tx, accountId: string, version: StoredVersion): Promise<void> {
  await tx.query(sql`
    insert into knowledge_versions (account_id, document_id, version, title, text, characters, created_at, created_by)
    values (${accountId}, ${version.documentId}, ${version.version}, ${version.title}, ${version.text},
      ${version.text.length}, ${version.createdAt}, ${version.createdBy})`);
}

/** All up to a version, except for the published one and those that replies cite. */
export async function deleteVersions(
  tx: Tx,
  accountId: string,
  documentId: string,
  upTo: number,
  publishedVersion: number | null,
): Promise<void> {
  // Locked before the next statement looks for citations: one that is being written has locked its version.
  const old = await tx.query<{ version: number }>(sql`
    select version from knowledge_versions
    where account_id = ${accountId} and document_id = ${documentId} and version <= ${upTo}
      and version is distinct from ${publishedVersion}::int
    order by version for update`);
  if (old.length === 0) return;
  await tx.query(sql`
    delete from knowledge_versions v
    where v.account_id = ${accountId} and v.document_id = ${documentId}
      and v.version = any(${old.map(({ version }) => version)}::int[]) and not exists (
        select from knowledge_citations c
        where c.account_id = v.account_id and c.document_id = v.document_id and c.version = v.version)`);
}

export type NewPassage = Omit<KnowledgePassage, 'version'>;

/** Instead of those of the version that was in use before. */
export async function replacePassages(
  tx: Tx,
  accountId: string,
  documentId: string,
  version: number | null,
  passages: readonly NewPassage[],
): Promise<void> {
  await tx.query(sql`
    delete from knowledge_passages where account_id = ${accountId} and document_id = ${documentId}`);
  if (version === null || passages.length === 0) return;
  await tx.query(sql`
    insert into knowledge_passages (account_id, document_id, number, version, heading, start_at, end_at, text)
    select ${accountId}, ${documentId}, p.number, ${version}, p.heading, p.start, p."end", p.excerpt
    from json_to_recordset(${JSON.stringify(passages)}::json)
      as p (number int, heading text, start int, "end" int, excerpt text)`);
}

export async function hasTranslations(db: Reader, accountId: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from knowledge_documents where account_id = ${accountId} and translation_of = ${id} limit 1`);
  return rows.length > 0;
}

/** Of those that are images of the account, in any article. */
export async function selectImages(
  db: Reader,
  accountId: string,
  fileKeys: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ fileKey: string }>(sql`
    select distinct file_key as "fileKey" from knowledge_images
    where account_id = ${accountId} and file_key = any(${fileKeys}::uuid[])`);
  return new Set(rows.map(({ fileKey }) => fileKey));
}

export async function insertImages(
  tx: Tx,
  accountId: string,
  documentId: string,
  fileKeys: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_images (account_id, document_id, file_key)
    select ${accountId}, ${documentId}, key from unnest(${fileKeys}::uuid[]) as k (key)
    on conflict do nothing`);
}

/** How many documents went, their bytes, and their files that no other document has. */
export async function deleteDocuments(
  tx: Tx,
  accountId: string,
  { sourceId, id }: { sourceId: string | null; id: string | null },
): Promise<{ documents: number; bytes: number; fileKeys: string[] }> {
  const ofThese = sql`account_id = ${accountId} and document_id in (
    select d.id from knowledge_documents d where d.account_id = ${accountId}
      and (${sourceId}::uuid is null or d.source_id = ${sourceId}) and (${id}::uuid is null or d.id = ${id}))`;
  const long = { timeoutMs: 60_000 };
  await tx.query(sql`delete from knowledge_passages where ${ofThese}`, long);
  await tx.query(sql`delete from knowledge_versions where ${ofThese}`, long);
  await tx.query(sql`
    update knowledge_documents set translation_of = null
    where account_id = ${accountId} and translation_of in (
      select d.id from knowledge_documents d where d.account_id = ${accountId}
        and (${sourceId}::uuid is null or d.source_id = ${sourceId}) and (${id}::uuid is null or d.id = ${id}))`);
  const images = await tx.query<{ fileKey: string }>(sql`
    delete from knowledge_images where ${ofThese} returning file_key as "fileKey"`);
  const imageKeys = [...new Set(images.map(({ fileKey }) => fileKey))];
  const kept = await selectImages(tx, accountId, imageKeys);
  const [row] = await tx.query<{ documents: number; bytes: number; fileKeys: string[] }>(
    sql`
    with gone as (
      delete from knowledge_documents where account_id = ${accountId}
        and (${sourceId}::uuid is null or source_id = ${sourceId}) and (${id}::uuid is null or id = ${id})
      returning bytes, file_key)
    select count(*)::int as documents, coalesce(sum(bytes), 0)::bigint as bytes,
      coalesce(array_agg(file_key::text) filter (where file_key is not null), '{}') as "fileKeys" from gone`,
    long,
  );
  const { fileKeys, ...counts } = row!;
  return { ...counts, fileKeys: [...fileKeys, ...imageKeys.filter((key) => !kept.has(key))] };
}
