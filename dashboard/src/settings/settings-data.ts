/** The queries of the settings. Small lists are read whole, logs page by page. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type {
  ApiToken,
  AuditEntry,
  CellOverview,
  ListedAccount,
  LoginSession,
} from '../../../contract/accounts.ts';
import type { BackupOverview, StoredBackup } from '../../../contract/instance/backups.ts';
import type { FailedJob, SystemOverview } from '../../../contract/instance/system.ts';
import type { AttachmentUsage } from '../../../contract/messaging/attachments.ts';
import type { BlockedContact } from '../../../contract/messaging/blocked-contacts.ts';
import type { Retention } from '../../../contract/retention.ts';
import type { Invitation } from '../../../contract/sign-in/sign-in.ts';
import type {
  Delivery,
  DeliveryStatus,
  EventAnswer,
  Webhook,
  WebhookSettings,
} from '../../../contract/webhooks.ts';
import type { WidgetSettings } from '../../../contract/widget/widget.ts';
import { accountQuery } from '../data/account.ts';
import { api, apiAll, type Page } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { refresh } from '../data/refresh.ts';

export const settingsKeys = {
  tokens: ['api-tokens'] as const,
  webhooks: ['webhooks'] as const,
  webhookSettings: ['webhook-settings'] as const,
  deliveries: (endpointId: string) => ['deliveries', endpointId] as const,
  blocked: ['blocked-contacts'] as const,
  audit: ['audit-log'] as const,
  account: accountQuery.queryKey,
  usage: ['attachments-usage'] as const,
  accounts: ['accounts'] as const,
  cells: ['cells'] as const,
  backups: ['backups'] as const,
  storedBackups: ['backups', 'stored'] as const,
  system: ['system'] as const,
  failedJobs: ['failed-jobs'] as const,
  retention: ['retention'] as const,
  loginSessions: ['login-sessions'] as const,
  invitations: ['invitations'] as const,
};

export const webhooksQuery = queryOptions({
  queryKey: settingsKeys.webhooks,
  queryFn: ({ signal }) => apiAll<Webhook>('/webhooks', {}, signal),
});
export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...settingsKeys.webhooks, id],
    queryFn: ({ signal }) => api<Webhook>('GET', `/webhooks/${id}`, { signal }),
  });
export const webhookSettingsQuery = queryOptions({
  queryKey: settingsKeys.webhookSettings,
  queryFn: ({ signal }) => api<WebhookSettings>('GET', '/webhook-settings', { signal }),
});

const isUnderWay = ({ status, nextAttemptAt }: Delivery) =>
  status === 'pending' ||
  (status === 'retrying' && nextAttemptAt !== null && nextAttemptAt < Date.now() + 10_000);

export const deliveriesQuery = (endpointId: string, status: DeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [...settingsKeys.deliveries(endpointId), status],
    queryFn: ({ pageParam, signal }) =>
      api<Page<Delivery>>('GET', `/webhooks/${endpointId}/deliveries`, {
        query: { limit: 50, nextToken: pageParam, status },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
    staleTime: 5_000,
    // Attempts are not sent over the live connection: the log is polled while one is expected.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isUnderWay)) ? 1_000 : false,
  });
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id],
    queryFn: ({ signal }) =>
      api<Static<typeof EventAnswer>>('GET', `/events/${encodeURIComponent(id)}`, { signal }),
    staleTime: 0,
  });

export const widgetQuery = (channelId: string) =>
  queryOptions({
    queryKey: [...keys.channels, channelId, 'widget'],
    queryFn: ({ signal }) => api<WidgetSettings>('GET', `/channels/${channelId}/widget`, { signal }),
  });

export const blockedQuery = infiniteQueryOptions({
  queryKey: settingsKeys.blocked,
  queryFn: ({ pageParam, signal }) =>
    api<Page<BlockedContact>>('GET', '/blocked-contacts', {
      query: { limit: 50, nextToken: pageParam },
      signal,
    }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextToken,
});

export interface AuditFilter {
  actorId?: string;
  action?: string;
  targetType?: string;
  from?: number;
  to?: number;
}
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...settingsKeys.audit, filter],
    queryFn: ({ pageParam, signal }) =>
      api<Page<AuditEntry>>('GET', '/audit-log', {
        query: { ...filter, limit: 50, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
    staleTime: 0,
  });

export const tokensOfUserQuery = (userId: string) =>
  queryOptions({
    queryKey: [...settingsKeys.tokens, userId],
    queryFn: ({ signal }) => apiAll<ApiToken>('/api-tokens', { userId }, signal),
    staleTime: 0,
  });
export const tokensQuery = queryOptions({
  queryKey: settingsKeys.tokens,
  queryFn: ({ signal }) => apiAll<ApiToken>('/api-tokens', {}, signal),
});
export const usageQuery = queryOptions({
  queryKey: settingsKeys.usage,
  queryFn: ({ signal }) => api<AttachmentUsage>('GET', '/attachments/usage', { signal }),
  staleTime: 0,
});
export const accountsQuery = queryOptions({
  queryKey: settingsKeys.accounts,
  queryFn: ({ signal }) => apiAll<ListedAccount>('/admin/accounts', {}, signal),
});
export const retentionQuery = queryOptions({
  queryKey: settingsKeys.retention,
  queryFn: ({ signal }) => api<Retention>('GET', '/account/retention', { signal }),
  staleTime: 0,
});
/** Again every two seconds while an account moves. */
export const cellsQuery = queryOptions({
  queryKey: settingsKeys.cells,
  queryFn: ({ signal }) => api<CellOverview>('GET', '/admin/cells', { signal }),
  refetchInterval: ({ state }) =>
    state.data?.moves.some(({ endedAt }) => endedAt === null) ? 2_000 : 10_000,
});
/** Again every second while one is made. */
export const backupsQuery = queryOptions({
  queryKey: settingsKeys.backups,
  queryFn: ({ signal }) => api<BackupOverview>('GET', '/admin/backups', { signal }),
  refetchInterval: ({ state }) =>
    state.data?.backups.some(({ endedAt }) => endedAt === null) ? 1_000 : 30_000,
});
export const systemQuery = queryOptions({
  queryKey: settingsKeys.system,
  queryFn: ({ signal }) => api<SystemOverview>('GET', '/admin/system', { signal }),
  refetchInterval: 10_000,
  staleTime: 0,
});
export const storedBackupsQuery = infiniteQueryOptions({
  queryKey: settingsKeys.storedBackups,
  queryFn: ({ pageParam, signal }) =>
    api<Page<StoredBackup>>('GET', '/admin/backups/stored', {
      query: { limit: 20, nextToken: pageParam },
      signal,
    }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextToken,
  staleTime: 0,
});
export const failedJobsQuery = infiniteQueryOptions({
  queryKey: settingsKeys.failedJobs,
  queryFn: ({ pageParam, signal }) =>
    api<Page<FailedJob>>('GET', '/admin/failed-jobs', { query: { limit: 20, nextToken: pageParam }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextToken,
  staleTime: 0,
});
export const invitationsQuery = queryOptions({
  queryKey: settingsKeys.invitations,
  queryFn: ({ signal }) => apiAll<Invitation>('/invitations', {}, signal),
  staleTime: 0,
  // What became of an e-mail shows without a reload.
  refetchInterval: ({ state: { data = [] } }) => {
    if (data.some(({ mailStatus }) => mailStatus === 'sending')) return 1_000;
    return data.some(({ mailStatus }) => mailStatus === 'delayed') && 10_000;
  },
});
export const loginSessionsQuery = queryOptions({
  queryKey: settingsKeys.loginSessions,
  queryFn: async ({ signal }) =>
    (await api<{ items: LoginSession[] }>('GET', '/auth/sessions', { signal })).items,
  staleTime: 0,
});

export const reload = refresh;
