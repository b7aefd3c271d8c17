import type {
  KnowledgeDocument,
  KnowledgeDocumentsQuery,
  KnowledgePassage,
  KnowledgeVersion,
} from '../../../../contract/knowledge.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasSource } from '../knowledge.state.sql.ts';

/** `characters` and `title` are those of the version in use, `bytes` those of the newest and of it. */
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
  { sourceId, state, collectionId, translationOf, q }: Omit<KnowledgeDocumentsQuery, 'limit' | 'nextToken'>,
  before: string | null,
  limit: number,
): Promise<KnowledgeDocument[]> {
  return db.query<KnowledgeDocument>(sql`
    select ${columns} from knowledge_documents
    where account_id = ${accountId} and ${hasSource(accountId)}
      and (${sourceId ?? null}::uuid is null or source_id = ${sourceId ?? null})
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${collectionId ?? null}::text is null or coalesce(collection_id::text, 'none') = ${collectionId ?? null})
      and (${translationOf ?? null}::uuid is null or translation_of = ${translationOf ?? null})
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
    where account_id = ${accountId} and id = ${id} and ${hasSource(accountId)}`);
  return row ?? null;
}

/** What differs between the documents of a statement. */
const documentRows = (documents: readonly StoredDocument[]) => sql`
  json_to_recordset(${JSON.stringify(documents)}::json) as n (id uuid, "sourceId" uuid, url text, language text,
    state text, audience text, version int, "publishedVersion" int, title text, characters int, bytes int, problem text,
    "createdAt" bigint, "updatedAt" bigint, "updatedBy" text, "fileKey" uuid,
    "collectionId" uuid, "translationOf" uuid)`;

/** Of a run these may be thousands. */
const long = { timeoutMs: 60_000 };

export async function insertDocuments(
  tx: Tx,
  accountId: string,
  documents: readonly StoredDocument[],
  change: number,
): Promise<void> {
  if (documents.length === 0) return;
  await tx.query(
    sql`
    insert into knowledge_documents (account_id, id, source_id, url, language, state, audience, version,
      published_version, title, characters, bytes, problem, created_at, updated_at, updated_by, change_number,
      file_key, collection_id, translation_of)
    select ${accountId}, n.id, n."sourceId", n.url, n.language, n.state, n.audience, n.version, n."publishedVersion",
      n.title, n.characters, n.bytes, n.problem, n."createdAt", n."updatedAt", n."updatedBy", ${change}::bigint,
      n."fileKey", n."collectionId", n."translationOf"
    from ${documentRows(documents)}`,
    long,
  );
}

export async function updateDocuments(
  tx: Tx,
  accountId: string,
  documents: readonly StoredDocument[],
  change: number,
): Promise<void> {
  if (documents.length === 0) return;
  await tx.query(
    sql`
    update knowledge_documents d set title = n.title, language = n.language, state = n.state, version = n.version,
      published_version = n."publishedVersion", characters = n.characters, bytes = n.bytes, problem = n.problem,
      updated_at = n."updatedAt", updated_by = n."updatedBy", audience = n.audience, change_number = ${change}::bigint,
      collection_id = n."collectionId", translation_of = n."translationOf"
    from ${documentRows(documents)}
    where d.account_id = ${accountId} and d.id = n.id`,
    long,
  );
}

/** Those of a website. */
export async function selectDocumentsOfSource(
  db: Reader,
  accountId: string,
  sourceId: string,
): Promise<StoredDocument[]> {
  return db.query<StoredDocument>(
    sql`
    select ${columns}, bytes, created_at as "createdAt", file_key as "fileKey" from knowledge_documents
    where account_id = ${accountId} and source_id = ${sourceId}`,
    long,
  );
}

export async function selectPlaces(
  db: Reader,
  accountId: string,
  sourceId: string,
): Promise<Pick<StoredDocument, 'id' | 'version' | 'publishedVersion'>[]> {
  return db.query(
    sql`
    select id, version, published_version as "publishedVersion" from knowledge_documents
    where account_id = ${accountId} and source_id = ${sourceId} order by id`,
    long,
  );
}

/** Some that are gone since before `before`, and that no reply cites. */
export async function selectForgotten(
  db: Reader,
  accountId: string,
  sourceId: string,
  before: number,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`
    select d.id from knowledge_documents d
    where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.state = 'gone' and d.updated_at < ${before}
      and not exists (
        select from knowledge_citations c where c.account_id = d.account_id and c.document_id = d.id)
    limit ${limit}`,
    long,
  );
  return rows.map(({ id }) => id);
}

export async function setAudienceOfSource(
  tx: Tx,
  accountId: string,
  sourceId: string,
  audience: KnowledgeDocument['audience'],
  change: number,
): Promise<void> {
  await tx.query(sql`
    update knowledge_documents set audience = ${audience}, change_number = ${change}
    where account_id = ${accountId} and source_id = ${sourceId} and audience <> ${audience}`);
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
  before: number,
  limit: number,
): Promise<Omit<KnowledgeVersion, 'isPublished'>[]> {
  return db.query(sql`
    select version, title, characters, created_at as "createdAt", created_by as "createdBy"
    from knowledge_versions
    where account_id = ${accountId} and document_id = ${documentId} and version < ${before}
    order by version desc limit ${limit}`);
}

export async function insertVersions(
  tx: Tx,
  accountId: string,
  versions: readonly StoredVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  await tx.query(
    sql`
    insert into knowledge_versions (account_id, document_id, version, title, text, characters, created_at, created_by)
    select ${accountId}, n."documentId", n.version, n.title, n.text, n.characters, n."createdAt", n."createdBy"
    from json_to_recordset(${JSON.stringify(versions.map((one) => ({ ...one, characters: one.text.length })))}::json)
      as n ("documentId" uuid, version int, title text, text text, characters int, "createdAt" bigint,
        "createdBy" text)`,
    long,
  );
}

/** Those that are older than the newest `kept`, except for the published ones and those that replies cite. */
export async function deleteOldVersions(
  tx: Tx,
  accountId: string,
  documents: readonly Pick<StoredDocument, 'id' | 'version' | 'publishedVersion'>[],
  kept: number,
): Promise<void> {
  const candidates = documents.filter(({ version }) => version > kept);
  if (candidates.length === 0) return;
  // Locked before the next statement looks for citations: one that is being written has locked its version.
  const old = await tx.query<{ id: string; version: number }>(
    sql`
    select v.document_id as id, v.version from knowledge_versions v
    join json_to_recordset(${JSON.stringify(candidates)}::json) as n (id uuid, version int, "publishedVersion" int)
      on v.document_id = n.id and v.version <= n.version - ${kept}::int and v.version is distinct from n."publishedVersion"
    where v.account_id = ${accountId}
    order by v.document_id, v.version for update of v`,
    long,
  );
  if (old.length === 0) return;
  await tx.query(
    sql`
    delete from knowledge_versions v
    using json_to_recordset(${JSON.stringify(old)}::json) as n (id uuid, version int)
    where v.account_id = ${accountId} and v.document_id = n.id and v.version = n.version and not exists (
      select from knowledge_citations c
      where c.account_id = v.account_id and c.document_id = v.document_id and c.version = v.version)`,
    long,
  );
}

export type NewPassage = Omit<KnowledgePassage, 'version'>;

/** Of a document as it is now; none if no version is published. */
export interface DocumentPassages {
  documentId: string;
  /** The newest one. */
  version: number;
  passages: readonly NewPassage[];
}

/** Instead of those of the versions that were in use before. A run may have prepared those of the next version. */
export async function replacePassages(
  tx: Tx,
  accountId: string,
  { documentId, version, passages }: DocumentPassages,
): Promise<void> {
  await tx.query(
    sql`
    delete from knowledge_passages
    where account_id = ${accountId} and document_id = ${documentId} and version <= ${version}`,
    long,
  );
  if (passages.length === 0) return;
  await tx.query(
    sql`
    insert into knowledge_passages (account_id, document_id, number, version, heading, start_at, end_at, text)
    select ${accountId}, ${documentId}, p.number, ${version}::int, p.heading, p.start, p."end", p.excerpt
    from json_to_recordset(${JSON.stringify(passages)}::json)
      as p (number int, heading text, start int, "end" int, excerpt text)`,
    long,
  );
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
    select distinct i.file_key as "fileKey" from knowledge_images i
    join knowledge_documents d on d.account_id = i.account_id and d.id = i.document_id
    where i.account_id = ${accountId} and i.file_key = any(${fileKeys}::uuid[]) and d.${hasSource(accountId)}`);
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

export async function bytesOfVersion(
  db: Reader,
  accountId: string,
  documentId: string,
  version: number,
): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select octet_length(text) as bytes from knowledge_versions
    where account_id = ${accountId} and document_id = ${documentId} and version = ${version}`);
  return row?.bytes ?? 0;
}

export async function moveDocumentsOfOthers(
  tx: Tx,
  accountId: string,
  { sourceId, actorId, change }: { sourceId: string; actorId: string; change: number },
): Promise<void> {
  await tx.query(sql`
    update knowledge_documents d set source_id = s.id, change_number = ${change}
    from (
      select id from knowledge_sources
      where account_id = ${accountId} and kind = 'articles' and id <> ${sourceId} order by id limit 1) s
    where d.account_id = ${accountId} and d.source_id = ${sourceId} and not exists (
      select from knowledge_versions v
      where v.account_id = d.account_id and v.document_id = d.id and v.created_by = ${actorId})`);
}

export async function countDocumentsOfSource(
  db: Reader,
  accountId: string,
  sourceId: string,
): Promise<{ documents: number; bytes: number }> {
  const [row] = await db.query<{ documents: number; bytes: number }>(
    sql`
    select count(*)::int as documents, coalesce(sum(bytes), 0)::bigint as bytes from knowledge_documents
    where account_id = ${accountId} and source_id = ${sourceId}`,
    long,
  );
  return row!;
}

export async function selectSomeOfSource(
  db: Reader,
  accountId: string,
  sourceId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from knowledge_documents where account_id = ${accountId} and source_id = ${sourceId} limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** How many documents went, their bytes, and their files that no other document has. */
export async function deleteDocuments(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<{ documents: number; bytes: number; fileKeys: string[] }> {
  const ofThese = sql`account_id = ${accountId} and document_id = any(${ids}::uuid[])`;
  await tx.query(
    sql`
    insert into knowledge_deleted_documents (account_id, document_id)
    select d.account_id, d.id from knowledge_documents d
    where d.account_id = ${accountId} and d.id = any(${ids}::uuid[]) and d.audience = 'public' and d.state <> 'draft'
      and exists (
        select from knowledge_citations c where c.account_id = d.account_id and c.document_id = d.id)`,
    long,
  );
  await tx.query(sql`delete from knowledge_vectors where ${ofThese}`, long);
  await tx.query(sql`delete from knowledge_passages where ${ofThese}`, long);
  await tx.query(sql`delete from knowledge_web_pages where ${ofThese}`, long);
  await tx.query(sql`delete from knowledge_versions where ${ofThese}`, long);
  await tx.query(sql`
    update knowledge_documents set translation_of = null
    where account_id = ${accountId} and translation_of = any(${ids}::uuid[])`);
  const images = await tx.query<{ fileKey: string }>(sql`
    delete from knowledge_images where ${ofThese} returning file_key as "fileKey"`);
  const imageKeys = [...new Set(images.map(({ fileKey }) => fileKey))];
  const kept = await selectImages(tx, accountId, imageKeys);
  const [row] = await tx.query<{ documents: number; bytes: number; fileKeys: string[] }>(
    sql`
    with gone as (
      delete from knowledge_documents where account_id = ${accountId} and id = any(${ids}::uuid[])
      returning bytes, file_key)
    select count(*)::int as documents, coalesce(sum(bytes), 0)::bigint as bytes,
      coalesce(array_agg(file_key::text) filter (where file_key is not null), '{}') as "fileKeys" from gone`,
    long,
  );
  const { fileKeys, ...counts } = row!;
  return { ...counts, fileKeys: [...fileKeys, ...imageKeys.filter((key) => !kept.has(key))] };
}
