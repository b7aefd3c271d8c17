/** The queries of an agent's tests. */
import { queryOptions } from '@tanstack/react-query';
import type { AgentTestCase } from '../../../../../contract/agent-tests.ts';
import { apiAll } from '../../../data/api.ts';
import { keys } from '../../../data/queries.ts';

export const casesQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...keys.agents, agentId, 'test-cases'],
    queryFn: ({ signal }) => apiAll<AgentTestCase>(`/agents/${agentId}/test-cases`, {}, signal),
  });
