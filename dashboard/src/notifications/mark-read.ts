import type { Notification } from '../../../contract/realtime.ts';
import { api } from '../data/api.ts';
import { notificationsQuery, updateNotifications } from '../data/notifications.ts';
import { queryClient } from '../data/query-client.ts';

const { queryKey } = notificationsQuery;

async function markRead(which: (one: Notification) => boolean, body: object): Promise<void> {
  const before = queryClient.getQueryData(queryKey);
  const readAt = Date.now();
  updateNotifications(({ items, unread, ...rest }) => ({
    ...rest,
    items: items.map((one) => (one.readAt === null && which(one) ? { ...one, readAt } : one)),
    unread: Math.max(0, unread - items.filter((one) => one.readAt === null && which(one)).length),
  }));
  try {
    const { unread } = await api<{ unread: number }>('POST', '/notifications/read', { body });
    updateNotifications((notifications) => ({ ...notifications, unread }));
  } catch (error) {
    if (before) queryClient.setQueryData(queryKey, before);
    throw error;
  }
}

export const markNotificationRead = ({ id }: Notification) => markRead((one) => one.id === id, { ids: [id] });
export const markAllNotificationsRead = () => markRead(() => true, { all: true });

/** Opening a record marks the notifications of its tasks and comments. */
export function markRecordNotificationsRead(recordId: string): void {
  const isOne = (one: Notification) => one.recordId === recordId;
  if (queryClient.getQueryData(queryKey)?.items.some((one) => one.readAt === null && isOne(one))) {
    void markRead(isOne, { recordId }).catch(() => {});
  }
}

/** Reading a chat marks its notifications as read. Failures are ignored: the user did not request it. */
export function markSessionNotificationsRead(sessionId: string): void {
  const isOne = (one: Notification) => one.sessionId === sessionId;
  if (queryClient.getQueryData(queryKey)?.items.some((one) => one.readAt === null && isOne(one))) {
    void markRead(isOne, { sessionId }).catch(() => {});
  }
}
