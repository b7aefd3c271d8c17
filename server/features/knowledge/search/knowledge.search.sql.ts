import type { Reader } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PassageDocument } from '../../../search-engine/passages/passage-index.ts';
import type { UsedEmbedding } from '../embeddings/knowledge.embeddings.ts';
import { hasSource } from '../knowledge.state.sql.ts';

export interface State {
  /** The number of the last change, and of the last one that removed documents. */
  changes: number;
  removals: number;
  /** Null: there are no vectors, or they are not to be used. */
  embedding: UsedEmbedding | null;
}

/** Null: nothing was ever written. */
export async function selectState(db: Reader, accountId: string): Promise<State | null> {
  const [row] = await db.query<State>(sql`
    select s.changes, s.removals, case when e.account_id is not null then json_build_object(
        'baseUrl', e.base_url, 'model', e.model, 'apiKey', e.api_key, 'generation', e.generation) end as embedding
    from knowledge_state s
    left join knowledge_embeddings e
      on e.account_id = s.account_id and e.enabled and e.dimensions is not null
    where s.account_id = ${accountId}`);
  return row ?? null;
}

export interface ChangedDocument extends PassageDocument {
  change: number;
}

/**
 * In the order of their changes, with the passages of published ones: in one statement, so that both fit together. At
 * least one, if there is one.
 */
export async function selectChanged(
  db: Reader,
  accountId: string,
  after: { change: number; id: string },
  most: { documents: number; bytes: number },
): Promise<ChangedDocument[]> {
  return db.query<ChangedDocument>(
    sql`
    select d.id, d.change_number as change, coalesce(d.published_version, 0) as version, d.source_id as "sourceId",
      d.audience, d.language, d.title, coalesce(
        (select json_agg(json_build_object('number', p.number, 'heading', p.heading, 'text', p.text) order by p.number)
          from knowledge_passages p
          where p.account_id = d.account_id and p.document_id = d.id and p.version = d.published_version), '[]') as passages
    from (
      select *, sum(bytes) over (order by change_number, id) - bytes as bytes_before from (
        select * from knowledge_documents
        where account_id = ${accountId} and ${hasSource(accountId)} and (change_number, id) > (${after.change}, ${after.id}::uuid)
        order by change_number, id limit ${most.documents}) as next) as d
    where d.bytes_before < ${most.bytes}
    order by d.change_number, d.id`,
    { timeoutMs: 30_000 },
  );
}

/**
 * The newest change that is too much for what a search waits for, together with the ones after it. The newest one is never
 * too much if it concerns one document.
 */
export async function selectLargeChange(
  db: Reader,
  accountId: string,
  after: number,
  most: { documents: number; bytes: number },
): Promise<number | null> {
  const [row] = await db.query<{ change: number }>(sql`
    select change_number as change from (
      select change_number, row_number() over newest as place, sum(bytes) over newest as bytes from (
        select change_number, id, bytes from knowledge_documents
        where account_id = ${accountId} and change_number > ${after}
        order by change_number desc, id desc limit ${most.documents + 1}) as changed
      window newest as (order by change_number desc, id desc)) as summed
    where place > ${most.documents} or (place > 1 and bytes > ${most.bytes})
    order by place limit 1`);
  return row?.change ?? null;
}

/** The number of the last change of each account. */
export async function selectChanges(
  db: Reader,
  accountIds: readonly string[],
): Promise<{ accountId: string; change: number }[]> {
  return db.query(sql`
    select account_id as "accountId", changes as change from knowledge_state
    where account_id = any(${accountIds}::uuid[])`);
}

/** Versions of documents that are in use in a newer one. */
export async function selectReplacedVersions(
  db: Reader,
  accountId: string,
  versions: readonly { documentId: string; version: number }[],
): Promise<(Omit<PassageRow, 'number' | 'heading' | 'start' | 'end' | 'excerpt'> & { text: string })[]> {
  return db.query(sql`
    select d.id as "documentId", v.version, v.title, v.text, d.url, d.source_id as "sourceId", d.audience, d.language
    from unnest(${versions.map(({ documentId }) => documentId)}::uuid[], ${versions.map(({ version }) => version)}::int[])
      as f (document_id, version)
    join knowledge_documents d on d.account_id = ${accountId} and d.id = f.document_id
      and d.published_version is not null and d.${hasSource(accountId)}
    join knowledge_versions v on v.account_id = d.account_id and v.document_id = d.id and v.version = f.version`);
}

export async function selectDocumentIds(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from knowledge_documents where account_id = ${accountId} and ${hasSource(accountId)}`);
  return rows.map(({ id }) => id);
}

export interface PassageRow {
  documentId: string;
  version: number;
  number: number;
  title: string;
  url: string | null;
  heading: string | null;
  start: number;
  end: number;
  excerpt: string;
  sourceId: string;
  audience: 'public' | 'internal';
  language: string;
}

export async function selectPassages(
  db: Reader,
  accountId: string,
  found: readonly { documentId: string; number: number }[],
): Promise<PassageRow[]> {
  const ids = found.map(({ documentId }) => documentId);
  const numbers = found.map(({ number }) => number);
  return db.query<PassageRow>(sql`
    select p.document_id as "documentId", p.version, p.number, d.title, d.url, p.heading, p.start_at as start,
      p.end_at as "end", p.text as excerpt, d.source_id as "sourceId", d.audience, d.language
    from unnest(${ids}::uuid[], ${numbers}::int[]) as f (document_id, number)
    join knowledge_documents d on d.account_id = ${accountId} and d.id = f.document_id and d.${hasSource(accountId)}
    join knowledge_passages p on p.account_id = d.account_id and p.document_id = d.id
      and p.version = d.published_version and p.number = f.number`);
}
