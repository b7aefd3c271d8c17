import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Label, LabelChange, LabelUsage } from '../../../contract/labels.ts';
import { api, apiAll } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh } from '../data/refresh.ts';
import { hueOf } from '../ui/hues.ts';

export const labelsQuery = queryOptions({
  queryKey: keys.labels,
  queryFn: ({ signal }) => apiAll<Label>('/labels', {}, signal),
  staleTime: 5 * 60_000,
});

/** Asked again each time: it is shown before a deletion. */
export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: ['label-usage', id],
    queryFn: ({ signal }) => api<LabelUsage>('GET', `/labels/${id}/usage`, { signal }),
    gcTime: 0,
  });

const none: Label[] = [];
export const useLabels = () => useQuery(labelsQuery).data ?? none;

/** In the order of their names. A label that is being deleted is left out. */
export function useLabelsOf(ids: readonly string[]): Label[] {
  return useLabels().filter(({ id }) => ids.includes(id));
}

export async function createLabel(name: string): Promise<Label> {
  const label = await api<Label>('POST', '/labels', { body: { name: name.trim(), color: hueOf(name) } });
  queryClient.setQueryData<Label[]>(keys.labels, (old) => old && [...old, label]);
  void refresh(keys.labels);
  return label;
}

/** As the service applies it. */
export function labelsAfter(ids: string[], { labelIds, addLabelIds, removeLabelIds }: LabelChange): string[] {
  if (labelIds) return labelIds;
  if (!addLabelIds && !removeLabelIds) return ids;
  const kept = ids.filter((id) => !removeLabelIds?.includes(id));
  return [...new Set([...kept, ...(addLabelIds ?? [])])].sort();
}
