/** What several views read, and the keys under which everything is cached. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { User } from '../../../contract/accounts.ts';
import type { Kanban } from '../../../contract/kanbans.ts';
import { api, apiAll } from './api.ts';

export const keys = {
  kanbans: ['kanbans'] as const,
  users: ['users'] as const,
  /** Everything about the cards of one board. */
  board: (kanbanId: string) => ['board', kanbanId] as const,
  record: (recordId: string) => ['record', recordId] as const,
  sessions: ['sessions'] as const,
  session: (sessionId: string) => ['session', sessionId] as const,
  messages: (sessionId: string) => ['messages', sessionId] as const,
  channels: ['channels'] as const,
  agents: ['agents'] as const,
  unread: ['unread'] as const,
};

/** Only the boards that the user may open. */
export const kanbansQuery = queryOptions({
  queryKey: keys.kanbans,
  queryFn: ({ signal }) => apiAll<Kanban>('/kanbans', { accessible: true }, signal),
});
export const usersQuery = queryOptions({
  queryKey: keys.users,
  queryFn: ({ signal }) => apiAll<User>('/users', {}, signal),
  staleTime: 5 * 60_000,
});

export const useKanbans = () => useQuery(kanbansQuery).data ?? [];
export const useUsers = () => useQuery(usersQuery).data ?? [];

/** People by id; someone who has left is still named where the record has them. */
export function usePeople(): (id: string) => { id: string; name: string } | null {
  const users = useUsers();
  return (id) => users.find((user) => user.id === id) ?? null;
}

export const fetchAccount = () => api<{ id: string; name: string }>('GET', '/account');
