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
          from knowledge_passages p where p.account_id = d.account_id and p.document_id = d.id), '[]') as passages
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
    join knowledge_passages p
      on p.account_id = ${accountId} and p.document_id = f.document_id and p.number = f.number
    join knowledge_documents d on d.account_id = p.account_id and d.id = p.document_id
      and d.${hasSource(accountId)}`);
}
