/** PostgreSQL's trigram index over the same texts, queried through the same driver as the service's statements. */
import type { Pool, PoolClient } from 'pg';
import type { QueryKind } from '../corpus/queries.ts';

export interface Trigrams {
  buildMs: number;
  bytes: number;
  find(q: string, kind: QueryKind, limit: number): Promise<number[]>;
  close(): void;
}

/** The default of 0.6 finds next to nothing with typos. */
const thresholds: Partial<Record<QueryKind, number>> = { typo1: 0.5, typo2: 0.4 };
const rowsAtATime = 5_000;

export async function buildTrigrams(pool: Pool, texts: readonly string[]): Promise<Trigrams> {
  await pool.query('create extension if not exists pg_trgm');
  await pool.query('create table trigram_records (number int primary key, text text not null)');
  for (let first = 0; first < texts.length; first += rowsAtATime) {
    const rows = texts.slice(first, first + rowsAtATime);
    await pool.query(
      'insert into trigram_records select $1 + place - 1, text from unnest($2::text[]) with ordinality as r (text, place)',
      [first, rows],
    );
  }
  const began = performance.now();
  await pool.query('create index trigram_index on trigram_records using gin (text gin_trgm_ops)');
  const buildMs = performance.now() - began;
  await pool.query('vacuum analyze trigram_records');
  const { rows } = await pool.query(`select pg_relation_size('trigram_index')::int as bytes`);
  const client: PoolClient = await pool.connect();
  return {
    buildMs,
    bytes: rows[0].bytes,
    async find(q, kind, limit) {
      const threshold = thresholds[kind];
      if (threshold === undefined) {
        const pattern = `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`;
        return numbers(client, 'text like $1', 'number desc', pattern, limit);
      }
      await client.query(`set pg_trgm.word_similarity_threshold = ${threshold}`);
      return numbers(client, '$1 <% text', 'word_similarity($1, text) desc', q, limit);
    },
    close: () => client.release(),
  };
}

/** With the total, as a search returns it. */
async function numbers(client: PoolClient, where: string, order: string, q: string, limit: number) {
  const { rows } = await client.query(
    `select number, count(*) over () as total from trigram_records where ${where} order by ${order} limit $2`,
    [q, limit],
  );
  return rows.map((row) => row.number as number);
}
