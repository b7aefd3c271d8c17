import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { useLiveStatus } from '../../data/live.ts';
import { useAgents, useChannels, usePersonOf } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { VirtualList } from '../../ui/lists/virtual-list.tsx';
import type { InboxFilter } from '../data/inbox-filter.ts';
import { inboxQuery } from '../data/session-data.ts';
import { setListed } from '../lifecycle/selection.ts';
import { useListKeys } from './list-keys.ts';
import { NoSessions } from './no-sessions.tsx';
import { SessionRow } from './session-row.tsx';

export interface SessionListProps {
  filter: InboxFilter;
  openId: string | null;
  onClear(): void;
  /** Looks in every status. */
  onAll(): void;
}

const rowHeight = 76;

export function SessionList({ filter, openId, onClear, onAll }: SessionListProps) {
  const live = useLiveStatus();
  const query = useInfiniteQuery({
    ...inboxQuery(filter),
    // Polls while there is no live connection.
    refetchInterval: live === 'open' ? false : 20_000,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const sessions = useMemo(() => {
    const all = query.data?.pages.flatMap((page) => page.items) ?? [];
    return [...new Map(all.map((session) => [session.sessionId, session])).values()];
  }, [query.data]);
  const onEndNear = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const channels = useChannels();
  const agents = useAgents();
  const personOf = usePersonOf();
  const names = useMemo(
    () => new Map([...channels, ...agents].map(({ id, name }) => [id, name])),
    [channels, agents],
  );
  const ids = useMemo(() => sessions.map(({ sessionId }) => sessionId), [sessions]);
  const { tabStop, active, pinned, onRowFocus, onRowKeyDown } = useListKeys(ids, openId);
  useEffect(() => setListed(ids), [ids]);
  useEffect(() => () => setListed([]), []);

  if (query.isPending) return <Rows />;
  if (query.isError && sessions.length === 0) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (sessions.length === 0) return <NoSessions filter={filter} onClear={onClear} onAll={onAll} />;
  return (
    <VirtualList
      key={JSON.stringify(filter)}
      label={t('inbox.list')}
      items={sessions}
      itemKey={(session) => session.sessionId}
      estimate={rowHeight}
      remember={`inbox ${JSON.stringify(filter)}`}
      onEndNear={onEndNear}
      active={active}
      pinned={pinned}
      render={(session) => (
        <SessionRow
          session={session}
          isOpen={session.sessionId === openId}
          isTabStop={session.sessionId === tabStop}
          owner={session.assignedUserId === null ? null : personOf(session.assignedUserId)}
          onFocus={onRowFocus}
          onKeyDown={onRowKeyDown}
          channelName={names.get(session.channelId) ?? session.channelType}
          agentName={names.get(session.agentId) ?? t('inbox.ai.formerAgent')}
        />
      )}
    />
  );
}

function Rows() {
  return (
    <div role="status" aria-label={t('ui.loading')} className="flex flex-col">
      {[70, 45, 60, 80, 50, 65, 40].map((share) => (
        <div key={share} className="flex h-[76px] gap-2.5 border-b border-line px-3 py-3">
          <Skeleton className="size-8 rounded-full" />
          <div className="flex flex-1 flex-col gap-2 pt-0.5">
            <Skeleton className="h-3 w-2/5" />
            <Skeleton className="h-3 w-4/5" />
            <Skeleton className="h-3 w-1/4" />
          </div>
        </div>
      ))}
    </div>
  );
}
