import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { InboxCounts } from '../../../contract/dashboard.ts';
import { api } from './api.ts';
import { useLive } from './live.ts';
import { keys } from './queries.ts';
import { refresh } from './refresh.ts';
import { useMay } from './session.ts';

const unreadQuery = queryOptions({
  queryKey: keys.unread,
  queryFn: ({ signal }) => api<InboxCounts>('GET', '/inbox/counts', { signal }),
});

/** The number of unread conversations, counted by the service: the list here is never complete. */
export function useUnreadCount(): number {
  const recount = useCallback(() => void refresh(keys.unread), []);
  useLive('message.created', recount);
  useLive('session.updated', recount);
  const enabled = useMay('conversations.view');
  return useQuery({ ...unreadQuery, enabled }).data?.unread ?? 0;
}
