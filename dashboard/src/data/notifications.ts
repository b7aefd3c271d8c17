/** What this person was told: the list behind the bell, kept current by what is heard live. */
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Notification, NotificationsPage } from '../../../contract/realtime.ts';
import { withTexts } from '../texts/texts.ts';
import { api } from './api.ts';
import { onLive } from './live.ts';
import { queryClient } from './query-client.ts';

const loadNotify = withTexts('notifications', () => import('../notifications/notify.ts'));
type Told = Static<typeof NotificationsPage>;

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: ({ signal }) => api<Told>('GET', '/notifications', { query: { limit: 50 }, signal }),
});
const { queryKey } = notificationsQuery;

const change = (to: (told: Told) => Told) => queryClient.setQueryData(queryKey, (old) => old && to(old));

export function keepNotificationsCurrent(): void {
  onLive('notification.updated', ({ notification, unread }) => {
    change(({ items, ...rest }) => ({
      ...rest,
      items: [notification, ...items.filter(({ id }) => id !== notification.id)],
      unread,
    }));
    // Its words and its sound come with the first one that is told.
    void loadNotify().then(({ notify }) => notify(notification));
  });
  onLive('notifications.read', ({ unread }) => {
    const known = queryClient.getQueryData(queryKey);
    if (known && known.unread !== unread) void queryClient.invalidateQueries({ queryKey });
  });
}

async function markRead(which: (one: Notification) => boolean, body: object): Promise<void> {
  const before = queryClient.getQueryData(queryKey);
  const readAt = Date.now();
  change(({ items, unread, ...rest }) => ({
    ...rest,
    items: items.map((one) => (one.readAt === null && which(one) ? { ...one, readAt } : one)),
    unread: Math.max(0, unread - items.filter((one) => one.readAt === null && which(one)).length),
  }));
  try {
    const { unread } = await api<{ unread: number }>('POST', '/notifications/read', { body });
    change((told) => ({ ...told, unread }));
  } catch (error) {
    if (before) queryClient.setQueryData(queryKey, before);
    throw error;
  }
}

export const markNotificationRead = ({ id }: Notification) => markRead((one) => one.id === id, { ids: [id] });
export const markAllNotificationsRead = () => markRead(() => true, { all: true });

/** Whoever reads the chat has read what was told of it. Quietly: nobody has asked for it. */
export function markSessionNotificationsRead(sessionId: string): void {
  const isOne = (one: Notification) => one.sessionId === sessionId;
  if (queryClient.getQueryData(queryKey)?.items.some((one) => one.readAt === null && isOne(one))) {
    void markRead(isOne, { sessionId }).catch(() => {});
  }
}
