/** The queries of message search. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Message, MessagesPage } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { findMessages } from '../../data/message-search.ts';
import { keys } from '../../data/queries.ts';
import { ofKind, selectPages } from '../../data/store/lists.ts';
import { readMessages } from '../data/message-data.ts';

export const searchesFrom = 2;

export interface HitFilter {
  author?: string;
  from?: number;
  to?: number;
  channelId?: string;
}

const pageSize = 20;

/** Best first, page by page. */
export const hitsQuery = (q: string, filter: HitFilter) =>
  infiniteQueryOptions({
    queryKey: ['message-search', q, filter],
    queryFn: ({ pageParam, signal }) => findMessages({ q, ...filter, page: pageParam, pageSize }, signal),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page < last.totalPages ? last.page + 1 : undefined),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

/** The hits of one conversation, oldest first. */
export const conversationHitsQuery = (sessionId: string, q: string) =>
  queryOptions({
    queryKey: ['message-search', 'conversation', sessionId, q],
    queryFn: async ({ signal }) => {
      const { items, total } = await findMessages({ q, sessionId, pageSize: 100 }, signal);
      return { total, items: items.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)) };
    },
    staleTime: 10_000,
  });

type Way = { order: 'asc' | 'desc'; token: string } | null;
interface PartPage {
  items: string[];
  older: string | null;
  newer: string | null;
}
const selectPart = selectPages<'message', PartPage, Way>('message');

/** The part of a conversation around a message, newest first; it grows in both directions. */
export const aroundQuery = (sessionId: string, messageId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.messages(sessionId), 'around', messageId],
    queryFn: async ({ pageParam, signal }): Promise<PartPage> => {
      const path = `/sessions/${encodeURIComponent(sessionId)}/messages`;
      if (pageParam === null) {
        const page = await api<MessagesPage>('GET', path, { query: { around: messageId }, signal });
        const items = readMessages(sessionId, page.items);
        return { items, older: page.nextToken, newer: page.previousToken ?? null };
      }
      const { order, token } = pageParam;
      const page = await api<MessagesPage>('GET', path, { query: { order, nextToken: token }, signal });
      const items = readMessages(sessionId, page.items);
      return order === 'desc'
        ? { items, older: page.nextToken, newer: null }
        : { items: items.reverse(), older: null, newer: page.nextToken };
    },
    select: selectPart,
    ...ofKind('message'),
    initialPageParam: null as Way,
    getNextPageParam: (last): Way => (last.older === null ? null : { order: 'desc', token: last.older }),
    getPreviousPageParam: (first): Way =>
      first.newer === null ? null : { order: 'asc', token: first.newer },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Each once, oldest first. */
export function inOrder(newestFirst: readonly Message[]): Message[] {
  return [...new Map(newestFirst.map((message) => [message.id, message])).values()].reverse();
}
