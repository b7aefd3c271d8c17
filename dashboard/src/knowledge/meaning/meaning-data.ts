/** The settings of search by meaning. */
import { queryOptions } from '@tanstack/react-query';
import type {
  Embedding,
  EmbeddingUpdate,
  KnowledgeSettings,
} from '../../../../contract/knowledge-settings.ts';
import { api } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { knowledgeKeys } from '../knowledge-data.ts';

const pollMs = 1_500;
const isMoving = ({ state }: Embedding) => state === 'working' || state === 'problem';

export const settingsQuery = queryOptions({
  queryKey: [...knowledgeKeys.all, 'settings'],
  queryFn: ({ signal }) => api<KnowledgeSettings>('GET', '/knowledge/settings', { signal }),
  staleTime: 0,
  // A job makes the vectors, which sends nothing over the live connection.
  refetchInterval: ({ state }) => (state.data?.embedding && isMoving(state.data.embedding) ? pollMs : false),
});

export async function saveEmbedding(embedding: EmbeddingUpdate | null): Promise<void> {
  const stored = await api<KnowledgeSettings>('PATCH', '/knowledge/settings', { body: { embedding } });
  queryClient.setQueryData(settingsQuery.queryKey, stored);
}
