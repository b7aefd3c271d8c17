/** The settings of search by meaning. */
import type { Embedding } from '../../../../contract/knowledge-settings.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface StoredEmbedding extends Pick<Embedding, 'enabled' | 'provider' | 'baseUrl' | 'model'> {
  /** Sealed. */
  apiKey: string | null;
  generation: number;
  dimensions: number | null;
  problem: string | null;
}

export async function findEmbedding(db: Reader, accountId: string): Promise<StoredEmbedding | null> {
  const [row] = await db.query<StoredEmbedding>(sql`
    select enabled, provider, base_url as "baseUrl", model, api_key as "apiKey", generation, dimensions, problem
    from knowledge_embeddings where account_id = ${accountId}`);
  return row ?? null;
}

export async function saveEmbedding(
  tx: Tx,
  accountId: string,
  { enabled, provider, baseUrl, model, apiKey, generation, dimensions, problem }: StoredEmbedding,
  now: number,
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_embeddings (account_id, enabled, provider, base_url, model, api_key, generation, dimensions,
      problem, updated_at)
    values (${accountId}, ${enabled}, ${provider}, ${baseUrl}, ${model}, ${apiKey}, ${generation}, ${dimensions},
      ${problem}, ${now})
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
    select (select count(*)::int from knowledge_passages where account_id = ${accountId}) as passages,
      count(vector)::int as embedded, (count(*) - count(vector))::int as refused
    from knowledge_vectors where account_id = ${accountId} and generation = ${generation}`);
  return row!;
}
