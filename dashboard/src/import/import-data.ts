/** Imports as stored by the service; a reload loses nothing. */
import { queryOptions } from '@tanstack/react-query';
import type { ImportJob, ImportPreview, ImportUpdate } from '../../../contract/crm/imports.ts';
import { limits } from '../../../contract/limits.ts';
import { api, type Page } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh } from '../data/refresh.ts';
import { uploadFile } from '../data/transfer.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { explained } from './import-reasons.ts';

const importKeys = {
  list: (kanbanId: string) => ['imports', kanbanId] as const,
  one: (importId: string) => ['import', importId] as const,
  preview: (importId: string) => ['import', importId, 'preview'] as const,
};

const pollMs = 700;

export const importsQuery = (kanbanId: string) =>
  queryOptions({
    queryKey: importKeys.list(kanbanId),
    queryFn: ({ signal }) => api<Page<ImportJob>>('GET', '/crm/imports', { query: { kanbanId }, signal }),
    select: (page) => page.items,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? 2_000 : false),
  });

/** Polled while it runs, also after a failure: the service may be restarting and continues the import. */
export const importQuery = (importId: string) =>
  queryOptions({
    queryKey: importKeys.one(importId),
    queryFn: ({ signal }) => api<ImportJob>('GET', `/crm/imports/${importId}`, { signal }),
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? pollMs : false),
  });

export const previewQuery = (importId: string) =>
  queryOptions({
    queryKey: importKeys.preview(importId),
    queryFn: async ({ signal }) => {
      await Promise.allSettled(underWay);
      return api<ImportPreview>('GET', `/crm/imports/${importId}/preview`, {
        query: { rows: limits.importPreviewRows },
        signal,
      });
    },
    // The board's records and the mapping may both have changed.
    staleTime: 0,
    gcTime: 0,
  });

export const isRunning = ({ state }: ImportJob) => state === 'running';

const keep = (answer: ImportJob) => queryClient.setQueryData(importKeys.one(answer.id), answer);

export async function uploadImport(
  kanbanId: string,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<ImportJob> {
  const query = new URLSearchParams({
    kanbanId,
    fileName: file.name.slice(-limits.fileNameLength) || 'import.csv',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const headers = { 'content-type': 'text/csv' };
  const answer = await uploadFile<ImportJob>(`/crm/imports?${query}`, file, headers, onProgress, signal);
  keep(answer);
  void refresh(importKeys.list(kanbanId));
  return answer;
}

/** One after the other: the service rejects concurrent changes of a draft. */
let sending: Promise<unknown> = Promise.resolve();
/** Changes that are not saved yet; a preview and a start wait for them. */
const underWay = new Set<Promise<ImportJob>>();

/**
 * Shows the expected result in the same tick as the click (a radio button would flip back otherwise), then the response,
 * unless a later change is still pending.
 */
export async function changeImport(
  current: Pick<ImportJob, 'id'>,
  update: ImportUpdate,
  expect: (before: ImportJob) => ImportJob = (before) => before,
): Promise<void> {
  const { id } = current;
  // A running fetch is older than this change and would revert it.
  void queryClient.cancelQueries({ queryKey: importKeys.one(id), exact: true }, { revert: false });
  queryClient.setQueryData<ImportJob>(importKeys.one(id), (before) => before && expect(before));
  const answer = sending.then(() => api<ImportJob>('PATCH', `/crm/imports/${id}`, { body: update }));
  underWay.add(answer);
  sending = answer.catch(() => {});
  try {
    const kept = await answer;
    underWay.delete(answer);
    if (underWay.size === 0) keep(kept);
  } catch (error) {
    underWay.delete(answer);
    toast.failed(
      t('import.changeFailed'),
      explained(error),
      () => void changeImport(current, update, expect),
    );
    await refresh(importKeys.one(id), { exact: true });
  }
}

/** Fails if a change could not be saved. */
export async function startImport(id: string): Promise<void> {
  await Promise.all(underWay);
  keep(await api('POST', `/crm/imports/${id}/start`));
}
export const resumeImport = async (id: string) => keep(await api('POST', `/crm/imports/${id}/resume`));

export async function cancelImport(id: string): Promise<void> {
  keep(await api('POST', `/crm/imports/${id}/cancel`));
}

/** Live updates report imported cards only to open boards; others must fetch again. */
export const forgetCards = (kanbanId: string) =>
  queryClient.invalidateQueries({ queryKey: keys.board(kanbanId), refetchType: 'none' });
