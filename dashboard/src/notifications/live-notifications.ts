/** Keeps the list of notifications current and shows new ones. */

import { onLive } from '../data/live.ts';
import { notificationsQuery, updateNotifications } from '../data/notifications.ts';
import { queryClient } from '../data/query-client.ts';
import { readAgainIfUnderWay, refresh } from '../data/refresh.ts';
import { withTexts } from '../texts/texts.ts';
import type { Navigate } from './notification-words.tsx';

const loadNotify = withTexts('notifications', () => import('./notify.ts'));
const { queryKey } = notificationsQuery;

export function keepNotificationsCurrent(navigate: Navigate): void {
  onLive('notification.updated', ({ notification, unread }) => {
    updateNotifications(({ items, ...rest }) => ({
      ...rest,
      items: [notification, ...items.filter(({ id }) => id !== notification.id)],
      unread,
    }));
    readAgainIfUnderWay(queryKey);
    // Texts and sound are loaded with the first notification.
    void loadNotify().then(({ notify }) => notify(notification, navigate));
  });
  onLive('notifications.read', ({ unread }) => {
    const known = queryClient.getQueryData(queryKey);
    if (known && known.unread !== unread) void refresh(queryKey);
  });
}
