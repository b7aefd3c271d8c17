/** The query of business hours. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { BusinessHours } from '../../../../contract/business-hours.ts';
import { apiAll } from '../../data/api.ts';

export const hoursQuery = queryOptions({
  queryKey: ['business-hours'],
  queryFn: ({ signal }) => apiAll<BusinessHours>('/business-hours', {}, signal),
});

export const useHours = () => useQuery(hoursQuery).data ?? [];
