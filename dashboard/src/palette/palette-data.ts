import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SearchAnswer } from '../../../contract/crm/search.ts';
import type { InboxSearchAnswer } from '../../../contract/dashboard.ts';
import { findContactsQuery } from '../contacts/contact-data.ts';
import { api } from '../data/api.ts';
import { findMessages } from '../data/message-search.ts';

const limit = 8;

export const foundRecordsQuery = (q: string) =>
  queryOptions({
    queryKey: ['palette', 'records', q],
    queryFn: ({ signal }) =>
      api<SearchAnswer>('GET', '/crm/search', { query: { q, pageSize: limit }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const foundSessionsQuery = (q: string) =>
  queryOptions({
    queryKey: ['palette', 'sessions', q],
    queryFn: ({ signal }) => api<InboxSearchAnswer>('GET', '/inbox/search', { query: { q, limit }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const foundMessagesQuery = (q: string) =>
  queryOptions({
    queryKey: ['palette', 'messages', q],
    queryFn: ({ signal }) => findMessages({ q, pageSize: limit }, signal),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const foundContactsQuery = (q: string) => findContactsQuery(q, limit);
