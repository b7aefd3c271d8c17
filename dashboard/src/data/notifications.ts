/** This person's notifications: the list behind the bell. */
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { NotificationsPage } from '../../../contract/realtime.ts';
import { api } from './api.ts';
import { queryClient } from './query-client.ts';

type Told = Static<typeof NotificationsPage>;

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: ({ signal }) => api<Told>('GET', '/notifications', { query: { limit: 50 }, signal }),
});
const { queryKey } = notificationsQuery;

export const changeTold = (to: (told: Told) => Told) =>
  queryClient.setQueryData(queryKey, (old) => old && to(old));
