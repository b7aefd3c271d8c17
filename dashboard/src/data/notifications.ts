/** This person's notifications: the list behind the bell. */
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { NotificationsPage } from '../../../contract/realtime.ts';
import { api } from './api.ts';
import { queryClient } from './query-client.ts';

type Notifications = Static<typeof NotificationsPage>;

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: ({ signal }) => api<Notifications>('GET', '/notifications', { query: { limit: 50 }, signal }),
});
const { queryKey } = notificationsQuery;

export const updateNotifications = (change: (notifications: Notifications) => Notifications) =>
  queryClient.setQueryData(queryKey, (old) => old && change(old));
