import { queryOptions } from '@tanstack/react-query';
import type { NotificationSettings } from '../../../../contract/realtime.ts';
import { api } from '../../data/api.ts';
import { pushState } from './push.ts';

export const pushQuery = queryOptions({ queryKey: ['push-state'], queryFn: pushState, staleTime: 0 });
export const notificationSettingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: ({ signal }) => api<NotificationSettings>('GET', '/notifications/settings', { signal }),
});
