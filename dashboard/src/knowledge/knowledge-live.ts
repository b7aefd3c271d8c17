/** Runs that read websites are live: their progress is shown where they are, and what they change is read again. */
import { useCallback } from 'react';
import type { KnowledgeRun } from '../../../contract/knowledge.ts';
import { useLive } from '../data/live.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh } from '../data/refresh.ts';
import { knowledgeKeys, runKey, runPagesQuery } from './knowledge-data.ts';

export function useKnowledgeLive(): void {
  useLive(
    'knowledge_run.updated',
    useCallback(({ run }: { run: KnowledgeRun }) => {
      queryClient.setQueryData(runKey(run.id), run);
      void refresh(knowledgeKeys.sources);
      void refresh([...knowledgeKeys.runs, 'of', run.sourceId]);
      const pages = runPagesQuery(run.id).queryKey;
      const loaded = queryClient.getQueryData(pages)?.pages.length ?? 0;
      // Each event would read all loaded pages again: of a long list only when the run has ended or waits.
      if (loaded <= 1 || run.state !== 'running') void refresh(pages);
      if (run.state === 'published') void refresh(knowledgeKeys.documents);
    }, []),
  );
}
