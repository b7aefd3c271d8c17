/** What this person was told: the list behind the bell, kept current by what is heard live. */
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { NotificationsPage } from '../../../contract/realtime.ts';
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

export const changeTold = (to: (told: Told) => Told) =>
  queryClient.setQueryData(queryKey, (old) => old && to(old));

export function keepNotificationsCurrent(): void {
  onLive('notification.updated', ({ notification, unread }) => {
    changeTold(({ items, ...rest }) => ({
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
