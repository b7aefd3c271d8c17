/**
 * The messages that a chat shows: the newest ones, or the part around a message that is not among them. That part becomes
 * the whole again when it has grown to the newest message.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useLiveStatus } from '../../data/live.ts';
import { messagesQuery } from '../data/message-data.ts';
import { aroundQuery, inOrder } from './hit-data.ts';

export interface ChatPages {
  isPending: boolean;
  error: unknown;
  retry(): void;
  messages: Message[];
  older: Direction;
  /** Null: the newest message is shown. */
  newer: Direction | null;
}

interface Direction {
  isThere: boolean;
  isLoading: boolean;
  load(): void;
}

export function useChatPages(sessionId: string, messageId: string | undefined): ChatPages {
  const live = useLiveStatus();
  const newest = useInfiniteQuery({
    ...messagesQuery(sessionId),
    refetchInterval: live === 'open' ? false : 20_000,
  });
  const latest = useMemo(
    () => inOrder(newest.data?.pages.flatMap((page) => page.items) ?? []),
    [newest.data],
  );
  const isApart =
    messageId !== undefined && newest.isSuccess && !latest.some((message) => message.id === messageId);
  const part = useInfiniteQuery({
    ...aroundQuery(sessionId, messageId ?? ''),
    enabled: isApart,
  });
  const around = useMemo(() => inOrder(part.data?.pages.flatMap((page) => page.items) ?? []), [part.data]);
  const messages = useMemo(() => {
    if (!isApart || around.length === 0) return latest;
    // Newer messages that arrived since are in the list of the newest.
    return part.hasPreviousPage ? around : inOrder([...around, ...latest].reverse());
  }, [isApart, around, latest, part.hasPreviousPage]);
  const shown = isApart && around.length > 0 ? part : newest;
  return {
    isPending: newest.isPending || (isApart && part.isPending),
    error: newest.isError && latest.length === 0 ? newest.error : null,
    retry: () => void newest.refetch(),
    messages,
    older: {
      isThere: shown.hasNextPage,
      isLoading: shown.isFetchingNextPage,
      load: () => void shown.fetchNextPage(),
    },
    newer:
      isApart && part.hasPreviousPage
        ? { isThere: true, isLoading: part.isFetchingPreviousPage, load: () => void part.fetchPreviousPage() }
        : null,
  };
}
