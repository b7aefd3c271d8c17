/** Business hours, and the holidays that can be added to them. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { BusinessHours, Holidays } from '../../../../contract/business-hours.ts';
import { api, apiAll } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';

export const hoursQuery = queryOptions({
  queryKey: ['business-hours'],
  queryFn: ({ signal }) => apiAll<BusinessHours>('/business-hours', {}, signal),
});

export const useHours = () => useQuery(hoursQuery).data ?? [];

/** Those of channels are a part of them. */
export const reloadHours = () => Promise.all([refresh(hoursQuery.queryKey), refresh(keys.channels)]);

export const countriesQuery = queryOptions({
  queryKey: ['business-hours', 'countries'],
  queryFn: async ({ signal }) =>
    (await api<{ items: { code: string; name: string }[] }>('GET', '/business-hours/countries', { signal }))
      .items,
  staleTime: Number.POSITIVE_INFINITY,
});

export const readHolidays = async (country: string, year: number, language: string) =>
  (await api<Holidays>('GET', '/business-hours/holidays', { query: { country, year, language } })).items;
