/** The queries of an agent's tests. */
import { queryOptions } from '@tanstack/react-query';
import type { AgentTestCase, AgentTestResult, AgentTestRun } from '../../../../../contract/agent-tests.ts';
import { api, apiAll } from '../../../data/api.ts';
import { keys } from '../../../data/queries.ts';

export const casesQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...keys.agents, agentId, 'test-cases'],
    queryFn: ({ signal }) => apiAll<AgentTestCase>(`/agents/${agentId}/test-cases`, {}, signal),
  });

const pollMs = 1_500;

export const isUnderWay = ({ state }: AgentTestRun): boolean => state === 'waiting' || state === 'running';

/** A job does the work, which sends nothing over the live connection. */
export const runsQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...keys.agents, agentId, 'test-runs'],
    queryFn: ({ signal }) => apiAll<AgentTestRun>(`/agents/${agentId}/test-runs`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? pollMs : false),
    staleTime: 0,
  });

export type RunWithResults = AgentTestRun & { results: AgentTestResult[] };

export const runQuery = (agentId: string, runId: string) =>
  queryOptions({
    queryKey: [...keys.agents, agentId, 'test-runs', runId],
    queryFn: ({ signal }) => api<RunWithResults>('GET', `/agents/${agentId}/test-runs/${runId}`, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? pollMs : false),
    staleTime: 0,
  });
