/** Service levels in the order in which they are tried. */
import { queryOptions } from '@tanstack/react-query';
import type { SlaPolicy } from '../../../../contract/service-levels.ts';
import { apiAll } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';

export const policiesQuery = queryOptions({
  queryKey: ['sla-policies'],
  queryFn: ({ signal }) => apiAll<SlaPolicy>('/sla-policies', {}, signal),
});
export const reloadPolicies = () => refresh(policiesQuery.queryKey);
