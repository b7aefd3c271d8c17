/** Ranks what was found by words by its meaning too. */
import type { Reader } from '../../../platform/db/db.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { FoundPassage } from '../../../search-engine/passages/passage-query.ts';
import { EmbeddingError, embedTexts } from './embed-texts.ts';
import { selectVectors } from './knowledge.embeddings.sql.ts';
import { openEmbedding, type UsedEmbedding } from './knowledge.embeddings.ts';
import { similarity } from './vectors.ts';

/** The best first, as it is given. */
export type Rerank = (
  accountId: string,
  embedding: UsedEmbedding,
  q: string,
  found: readonly FoundPassage[],
) => Promise<readonly FoundPassage[]>;

const timeoutMs = 1_000;

/** Without an answer of the provider in time, the order stays. */
export function createRerank({
  db,
  secrets,
  safeFetch,
}: {
  db: Reader;
  secrets: Secrets;
  safeFetch: SafeFetch;
}): Rerank {
  return async (accountId, embedding, q, found) => {
    // One passage has no order, and a question without a match is not worth a call.
    if (found.length < 2) return found;
    const ask = async () =>
      embedTexts(safeFetch, openEmbedding(secrets, accountId, embedding), [q], { timeoutMs });
    const [asked, vectors] = await Promise.all([
      ask().catch((error: unknown) => {
        if (error instanceof EmbeddingError) return null;
        throw error;
      }),
      selectVectors(db, accountId, embedding.generation, found),
    ]);
    if (!asked) return found;
    return ranked(
      found,
      vectors.map((vector) => vector && similarity(asked[0]!, vector)),
    );
  };
}

/**
 * Half of a score is that of the words, half is the similarity, from 0 for the least similar passage to the best score
 * of the words for the most similar one. So scores stay comparable with those without vectors. A passage without a
 * similarity keeps its score.
 */
export function ranked(
  found: readonly FoundPassage[],
  similarities: readonly (number | null)[],
): FoundPassage[] {
  const known = similarities.filter((one) => one !== null);
  const least = Math.min(...known);
  const range = Math.max(...known) - least;
  const best = found[0]?.score ?? 0;
  return found
    .map((passage, place) => {
      const similar = similarities[place] ?? null;
      if (similar === null || range === 0) return passage;
      return { ...passage, score: (passage.score + (best * (similar - least)) / range) / 2 };
    })
    .sort((one, other) => other.score - one.score);
}
