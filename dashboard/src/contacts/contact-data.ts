/** The queries of contacts. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { IdentifierKind } from '../../../contract/connectors.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import { api, type Page } from '../data/api.ts';
import { keys } from '../data/queries.ts';

export interface Identifier {
  kind: IdentifierKind;
  value: string;
  channelId: string | null;
  addedAt: number;
}
export interface Contact {
  id: string;
  name: string | null;
  identifiers: Identifier[];
  sessionCount: number;
  recordIds: string[];
  blocked: boolean;
  createdAt: number;
  updatedAt: number;
}
export interface MergeOffer {
  contactId: string;
  name: string | null;
  evidence: {
    channelId: string;
    messageId: string | null;
    identifiers: { kind: IdentifierKind; value: string }[];
  };
}
export interface WholeContact extends Contact {
  mergeOffers?: MergeOffer[];
}
export type ContactSession = Session & { contactId?: string | null };

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
    queryFn: ({ signal }) => api<WholeContact>('GET', `/contacts/${encodeURIComponent(id)}`, { signal }),
  });

export const contactSessionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.sessions, 'of-contact', id],
    queryFn: ({ pageParam, signal }) =>
      api<Page<ContactSession>>('GET', '/sessions', {
        query: { contactId: id, limit: 20, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
  });
