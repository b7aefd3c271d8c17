/** The queries that several views share, and the cache keys. A view's own queries are in its `*-data.ts`. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { User } from '../../../contract/accounts.ts';
import type { Agent, Channel } from '../../../contract/channels.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { SavedReply } from '../../../contract/dashboard.ts';
import type { Team } from '../../../contract/teams.ts';
import { apiAll } from './api.ts';
import { refresh } from './refresh.ts';

export const keys = {
  kanbans: ['kanbans'] as const,
  users: ['users'] as const,
  teams: ['teams'] as const,
  labels: ['labels'] as const,
  /** Everything about the cards of one board. */
  board: (kanbanId: string) => ['board', kanbanId] as const,
  record: (recordId: string) => ['record', recordId] as const,
  activity: (recordId: string) => ['record', recordId, 'activity'] as const,
  /** Lists of tasks: of a record, or those assigned to the user. */
  tasks: ['tasks'] as const,
  comments: (recordId: string) => ['comments', recordId] as const,
  fieldGroups: ['field-groups'] as const,
  sessions: ['sessions'] as const,
  session: (sessionId: string) => ['session', sessionId] as const,
  messages: (sessionId: string) => ['messages', sessionId] as const,
  contacts: ['contacts'] as const,
  channels: ['channels'] as const,
  agents: ['agents'] as const,
  savedReplies: ['saved-replies'] as const,
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

export const teamsQuery = queryOptions({
  queryKey: keys.teams,
  queryFn: ({ signal }) => apiAll<Team>('/teams', {}, signal),
  staleTime: 5 * 60_000,
});

export const channelsQuery = queryOptions({
  queryKey: keys.channels,
  queryFn: ({ signal }) => apiAll<Channel>('/channels', {}, signal),
});
export const agentsQuery = queryOptions({
  queryKey: keys.agents,
  queryFn: ({ signal }) => apiAll<Agent>('/agents', {}, signal),
});
export const savedRepliesQuery = queryOptions({
  queryKey: keys.savedReplies,
  queryFn: ({ signal }) => apiAll<SavedReply>('/saved-replies', {}, signal),
});

export const reloadBoards = () => refresh(keys.kanbans);

export const useKanbans = () => useQuery(kanbansQuery).data ?? [];
export const useUsers = () => useQuery(usersQuery).data ?? [];
export const useTeams = () => useQuery(teamsQuery).data ?? [];
export const useChannels = () => useQuery(channelsQuery).data ?? [];
export const useAgents = () => useQuery(agentsQuery).data ?? [];

const none: User[] = [];

/** People by ID. The function is stable while the people are, so that lists do not render again. */
export function usePersonOf(): (id: string) => { id: string; name: string } | null {
  const users = useQuery(usersQuery).data ?? none;
  return useMemo(() => {
    const byId = new Map(users.map((user) => [user.id, { id: user.id, name: user.name }]));
    return (id) => byId.get(id) ?? null;
  }, [users]);
}
