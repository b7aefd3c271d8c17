/** The queries of contacts. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Contact, ContactDetails } from '../../../contract/contacts.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import { api, type Page } from '../data/api.ts';
import { keys } from '../data/queries.ts';

const pageSize = 50;

export const contactsQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.contacts, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      api<Page<Contact>>('GET', '/contacts', { query: { q, limit: pageSize, nextToken: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
    placeholderData: keepPreviousData,
  });

/** The first few, for lists to choose from. */
export const findContactsQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [...keys.contacts, 'found', q, limit],
    queryFn: ({ signal }) => api<Page<Contact>>('GET', '/contacts', { query: { q, limit }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const contactKey = (id: string) => [...keys.contacts, 'one', id];
export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: contactKey(id),
    queryFn: ({ signal }) => api<ContactDetails>('GET', `/contacts/${encodeURIComponent(id)}`, { signal }),
  });

export const contactSessionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.sessions, 'of-contact', id],
    queryFn: ({ pageParam, signal }) =>
      api<Page<Session>>('GET', '/sessions', {
        query: { contactId: id, limit: 20, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
  });
