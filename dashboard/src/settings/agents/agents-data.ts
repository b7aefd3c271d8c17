/** The queries of one agent: its draft and its versions. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AgentDraft, AgentVersion, AgentVersionEntry } from '../../../../contract/agent-versions.ts';
import type { Agent } from '../../../../contract/channels.ts';
import { api, type Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';

/** Its key is not among those of the agents: what is read again after a publication is no draft any more. */
export const draftQuery = ({ id, version }: Agent) =>
  queryOptions({
    queryKey: ['agent-draft', id, version],
    queryFn: ({ signal }) => api<AgentDraft>('GET', `/agents/${id}/draft`, { signal }),
  });

export const versionsQuery = (agentId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.agents, agentId, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      api<Page<AgentVersionEntry>>('GET', `/agents/${agentId}/versions`, {
        query: pageParam ? { nextToken: pageParam } : {},
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextToken }) => nextToken ?? undefined,
  });

/** With what differs from the version before. */
export const versionQuery = (agentId: string, version: number) =>
  queryOptions({
    queryKey: [...keys.agents, agentId, 'versions', version],
    queryFn: ({ signal }) =>
      api<AgentVersion>('GET', `/agents/${agentId}/versions/${version}`, {
        query: { compare: version - 1 },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
