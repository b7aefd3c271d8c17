/** The settings of search by meaning, and the vectors of passages. */
import type { Embedding } from '../../../../contract/knowledge-settings.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasSource } from '../knowledge.state.sql.ts';

export interface StoredEmbedding extends Pick<Embedding, 'enabled' | 'provider' | 'baseUrl' | 'model'> {
  /** Sealed. */
  apiKey: string | null;
  generation: number;
  dimensions: number | null;
  problem: string | null;
  updatedAt: number;
}

export async function findEmbedding(db: Reader, accountId: string): Promise<StoredEmbedding | null> {
  const [row] = await db.query<StoredEmbedding>(sql`
    select enabled, provider, base_url as "baseUrl", model, api_key as "apiKey", generation, dimensions, problem,
      updated_at as "updatedAt"
    from knowledge_embeddings where account_id = ${accountId}`);
  return row ?? null;
}

export async function saveEmbedding(
  tx: Tx,
  accountId: string,
  { enabled, provider, baseUrl, model, apiKey, generation, dimensions, problem, updatedAt }: StoredEmbedding,
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_embeddings (account_id, enabled, provider, base_url, model, api_key, generation, dimensions,
      problem, updated_at)
    values (${accountId}, ${enabled}, ${provider}, ${baseUrl}, ${model}, ${apiKey}, ${generation}, ${dimensions},
      ${problem}, ${updatedAt})
    on conflict (account_id) do update set enabled = excluded.enabled, provider = excluded.provider,
      base_url = excluded.base_url, model = excluded.model, api_key = excluded.api_key,
      generation = excluded.generation, dimensions = excluded.dimensions, problem = excluded.problem,
      updated_at = excluded.updated_at`);
}

export async function deleteEmbedding(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from knowledge_embeddings where account_id = ${accountId}`);
  await tx.query(sql`delete from knowledge_vectors where account_id = ${accountId}`, { timeoutMs: 60_000 });
}

export async function countVectors(
  db: Reader,
  accountId: string,
  generation: number,
): Promise<Pick<Embedding, 'passages' | 'embedded' | 'refused'>> {
  const [row] = await db.query<Pick<Embedding, 'passages' | 'embedded' | 'refused'>>(sql`
    select count(*)::int as passages, count(v.vector)::int as embedded,
      (count(v.document_id) - count(v.vector))::int as refused
    from knowledge_documents d
    join knowledge_passages p on p.account_id = d.account_id and p.document_id = d.id and p.version = d.published_version
    left join knowledge_vectors v on v.account_id = p.account_id and v.document_id = p.document_id
      and v.number = p.number and v.version = p.version and v.generation = ${generation}
    where d.account_id = ${accountId} and d.${hasSource(accountId)}`);
  return row!;
}

export interface UnembeddedPassage {
  documentId: string;
  number: number;
  version: number;
  title: string;
  heading: string | null;
  text: string;
}

/** Those without a vector of the generation, by document and place. */
export async function selectUnembedded(
  db: Reader,
  accountId: string,
  generation: number,
  after: Pick<UnembeddedPassage, 'documentId' | 'number'> | null,
  limit: number,
): Promise<UnembeddedPassage[]> {
  const { documentId, number } = after ?? { documentId: '00000000-0000-0000-0000-000000000000', number: -1 };
  return db.query<UnembeddedPassage>(
    sql`
    select p.document_id as "documentId", p.number, p.version, d.title, p.heading, p.text
    from knowledge_passages p
    join knowledge_documents d
      on d.account_id = p.account_id and d.id = p.document_id and p.version = d.published_version
        and d.${hasSource(accountId)}
    left join knowledge_vectors v on v.account_id = p.account_id and v.document_id = p.document_id
      and v.number = p.number and v.version = p.version and v.generation = ${generation}
    where p.account_id = ${accountId} and (p.document_id, p.number) > (${documentId}::uuid, ${number}::int)
      and v.account_id is null
    order by p.document_id, p.number limit ${limit}`,
    { timeoutMs: 30_000 },
  );
}

export interface NewVector extends Pick<UnembeddedPassage, 'documentId' | 'number' | 'version'> {
  vector: Buffer | null;
}

/** Of passages and settings that are still the same. */
export async function saveVectors(
  tx: Tx,
  accountId: string,
  generation: number,
  vectors: readonly NewVector[],
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_vectors (account_id, document_id, number, version, generation, vector)
    select p.account_id, p.document_id, p.number, p.version, e.generation, n.vector
    from unnest(${vectors.map(({ documentId }) => documentId)}::uuid[], ${vectors.map(({ number }) => number)}::int[],
      ${vectors.map(({ version }) => version)}::int[], ${vectors.map(({ vector }) => vector)}::bytea[])
      as n (document_id, number, version, vector)
    join knowledge_passages p on p.account_id = ${accountId} and p.document_id = n.document_id
      and p.number = n.number and p.version = n.version
    join knowledge_embeddings e on e.account_id = p.account_id and e.generation = ${generation}
    on conflict (account_id, document_id, number)
      do update set version = excluded.version, generation = excluded.generation, vector = excluded.vector`);
}

/** The provider has answered. */
export async function noteAnswer(
  db: Tx,
  accountId: string,
  generation: number,
  dimensions: number | null,
): Promise<void> {
  await db.query(sql`
    update knowledge_embeddings set problem = null, dimensions = coalesce(dimensions, ${dimensions})
    where account_id = ${accountId} and generation = ${generation}
      and (problem is not null or (dimensions is null and ${dimensions}::int is not null))`);
}

/** False: the settings have changed since they were read. */
export async function noteProblem(
  db: Db,
  accountId: string,
  { updatedAt }: StoredEmbedding,
  problem: string,
): Promise<boolean> {
  const rows = await db.autocommit(sql`
    update knowledge_embeddings set problem = ${problem}
    where account_id = ${accountId} and updated_at = ${updatedAt} returning 1`);
  return rows.length > 0;
}

/** The vectors of the passages, in their order; null: there is none. */
export async function selectVectors(
  db: Reader,
  accountId: string,
  generation: number,
  passages: readonly { documentId: string; version: number; number: number }[],
): Promise<(Buffer | null)[]> {
  const rows = await db.query<{ vector: Buffer | null }>(sql`
    select v.vector
    from unnest(${passages.map(({ documentId }) => documentId)}::uuid[], ${passages.map(({ version }) => version)}::int[],
      ${passages.map(({ number }) => number)}::int[]) with ordinality as n (document_id, version, number, place)
    left join knowledge_vectors v on v.account_id = ${accountId} and v.document_id = n.document_id
      and v.number = n.number and v.version = n.version and v.generation = ${generation}
    order by n.place`);
  return rows.map(({ vector }) => vector);
}
