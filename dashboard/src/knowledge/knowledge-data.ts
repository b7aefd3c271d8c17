/** The queries of knowledge. Small lists are read whole, documents and the pages of a run page by page. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { HelpCenter } from '../../../contract/help-center.ts';
import type {
  KnowledgeDocument,
  KnowledgeDocumentWithText,
  KnowledgePassage,
  KnowledgeRun,
  KnowledgeRunPage,
  KnowledgeSearchAnswer,
  KnowledgeSource,
  KnowledgeVersion,
} from '../../../contract/knowledge.ts';
import type { KnowledgeCollection } from '../../../contract/knowledge-collections.ts';
import type { KnowledgeGap } from '../../../contract/knowledge-gaps.ts';
import type { KnowledgeUsage } from '../../../contract/knowledge-usage.ts';
import { downloadUrlMinutes } from '../../../contract/limits.ts';
import type { DownloadAnswer } from '../../../contract/messaging/attachments.ts';
import { api, apiAll, type Page } from '../data/api.ts';

export const knowledgeKeys = {
  all: ['knowledge'] as const,
  sources: ['knowledge', 'sources'] as const,
  runs: ['knowledge', 'runs'] as const,
  documents: ['knowledge', 'documents'] as const,
  collections: ['knowledge', 'collections'] as const,
  document: (id: string) => ['knowledge', 'document', id] as const,
};

const pollMs = 1_500;
const one = (id: string) => encodeURIComponent(id);

/** Other people change knowledge too, and only runs are live: a view that is opened reads again. */
const fresh = { staleTime: 0 } as const;
const paged = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: { nextToken: string | null }) => page.nextToken,
};

export const sourcesQuery = queryOptions({
  queryKey: knowledgeKeys.sources,
  queryFn: ({ signal }) => apiAll<KnowledgeSource>('/knowledge/sources', {}, signal),
  ...fresh,
});

/** A file without a version is being read. */
const isBeingRead = ({ state, version }: KnowledgeDocument) => state === 'draft' && version === 0;

export interface DocumentFilter {
  sourceId?: string;
  /** `none`: in no collection. */
  collectionId?: string;
  /** The original. */
  translationOf?: string;
  state?: KnowledgeDocument['state'];
  q?: string;
}
export const documentsQuery = (filter: DocumentFilter) =>
  infiniteQueryOptions({
    queryKey: [...knowledgeKeys.documents, filter],
    queryFn: ({ pageParam, signal }) =>
      api<Page<KnowledgeDocument>>('GET', '/knowledge/documents', {
        query: { ...filter, limit: 50, nextToken: pageParam },
        signal,
      }),
    ...paged,
    ...fresh,
    placeholderData: keepPreviousData,
    // Files are read by a job, which sends nothing over the live connection.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isBeingRead)) ? pollMs : false,
  });

/** Without a version: the published one, or the newest one if none is. */
export const documentQuery = (id: string, version?: number) =>
  queryOptions({
    queryKey: [...knowledgeKeys.document(id), 'text', version ?? null],
    queryFn: ({ signal }) =>
      api<KnowledgeDocumentWithText>('GET', `/knowledge/documents/${one(id)}`, {
        query: { version },
        signal,
      }),
    ...fresh,
    refetchInterval: ({ state }) => (state.data && isBeingRead(state.data) ? pollMs : false),
  });

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...knowledgeKeys.document(id), 'versions'],
    queryFn: ({ pageParam, signal }) =>
      api<Page<KnowledgeVersion>>('GET', `/knowledge/documents/${one(id)}/versions`, {
        query: { limit: 50, nextToken: pageParam },
        signal,
      }),
    ...paged,
    ...fresh,
  });

export const passagesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...knowledgeKeys.document(id), 'passages'],
    queryFn: ({ pageParam, signal }) =>
      api<Page<KnowledgePassage>>('GET', `/knowledge/documents/${one(id)}/passages`, {
        query: { limit: 50, nextToken: pageParam },
        signal,
      }),
    ...paged,
    ...fresh,
  });

export const runsQuery = (sourceId: string) =>
  infiniteQueryOptions({
    queryKey: [...knowledgeKeys.runs, 'of', sourceId],
    queryFn: ({ pageParam, signal }) =>
      api<Page<KnowledgeRun>>('GET', `/knowledge/sources/${one(sourceId)}/runs`, {
        query: { limit: 20, nextToken: pageParam },
        signal,
      }),
    ...paged,
    ...fresh,
  });

export const runKey = (id: string) => [...knowledgeKeys.runs, 'one', id];
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: runKey(id),
    queryFn: ({ signal }) => api<KnowledgeRun>('GET', `/knowledge/runs/${one(id)}`, { signal }),
    ...fresh,
  });

export const runPagesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...runKey(id), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      api<Page<KnowledgeRunPage>>('GET', `/knowledge/runs/${one(id)}/pages`, {
        query: { limit: 100, nextToken: pageParam },
        signal,
      }),
    ...paged,
    ...fresh,
  });

export const openGapsQuery = infiniteQueryOptions({
  queryKey: [...knowledgeKeys.all, 'gaps'],
  queryFn: ({ pageParam, signal }) =>
    api<Page<KnowledgeGap>>('GET', '/knowledge/gaps', {
      query: { state: 'open', limit: 20, nextToken: pageParam },
      signal,
    }),
  ...paged,
  ...fresh,
});

export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: [...knowledgeKeys.document(id), 'usage'],
    queryFn: ({ signal }) => api<KnowledgeUsage>('GET', `/knowledge/documents/${one(id)}/usage`, { signal }),
    ...fresh,
  });

/** The addresses of images are valid for longer. */
const imageStaleMs = (downloadUrlMinutes - 5) * 60_000;

export const imageQuery = (fileKey: string) =>
  queryOptions({
    queryKey: [...knowledgeKeys.all, 'image', fileKey],
    queryFn: ({ signal }) => api<DownloadAnswer>('GET', `/knowledge/images/${one(fileKey)}`, { signal }),
    staleTime: imageStaleMs,
  });

export const collectionsQuery = queryOptions({
  queryKey: knowledgeKeys.collections,
  queryFn: ({ signal }) => apiAll<KnowledgeCollection>('/knowledge/collections', {}, signal),
  ...fresh,
});

export const helpCenterQuery = queryOptions({
  queryKey: [...knowledgeKeys.all, 'help-center'],
  queryFn: ({ signal }) => api<HelpCenter>('GET', '/help-center', { signal }),
  ...fresh,
});

export const logoQuery = (fileKey: string) =>
  queryOptions({
    queryKey: [...knowledgeKeys.all, 'logo', fileKey],
    queryFn: ({ signal }) => api<DownloadAnswer>('GET', '/help-center/logo', { signal }),
    staleTime: imageStaleMs,
  });

export const foundQuery = (q: string) =>
  queryOptions({
    queryKey: [...knowledgeKeys.all, 'found', q],
    queryFn: ({ signal }) =>
      api<KnowledgeSearchAnswer>('POST', '/knowledge/search', { body: { q, limit: 20 }, signal }),
    enabled: q !== '',
    ...fresh,
    placeholderData: keepPreviousData,
  });
