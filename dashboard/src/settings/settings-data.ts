/** What the settings read. Lists that are small by nature are read whole; logs are paged where they are shown. */
import { queryOptions } from '@tanstack/react-query';
import type { Account, ApiToken, LoginSession } from '../../../contract/accounts.ts';
import type { AttachmentUsage } from '../../../contract/attachments.ts';
import type { Agent, Channel } from '../../../contract/channels.ts';
import type { SavedReply } from '../../../contract/dashboard.ts';
import type { Webhook } from '../../../contract/webhooks.ts';
import { accountQuery } from '../data/account.ts';
import { api, apiAll } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';

export { accountQuery };

export const settingsKeys = {
  tokens: ['api-tokens'] as const,
  webhooks: ['webhooks'] as const,
  deliveries: (endpointId: string) => ['deliveries', endpointId] as const,
  blocked: ['blocked-contacts'] as const,
  replies: ['saved-replies'] as const,
  audit: ['audit-log'] as const,
  account: accountQuery.queryKey,
  usage: ['attachments-usage'] as const,
  accounts: ['accounts'] as const,
  loginSessions: ['login-sessions'] as const,
};

export const channelsQuery = queryOptions({
  queryKey: keys.channels,
  queryFn: ({ signal }) => apiAll<Channel>('/channels', {}, signal),
});
export const agentsQuery = queryOptions({
  queryKey: keys.agents,
  queryFn: ({ signal }) => apiAll<Agent>('/agents', {}, signal),
});
export const webhooksQuery = queryOptions({
  queryKey: settingsKeys.webhooks,
  queryFn: ({ signal }) => apiAll<Webhook>('/webhooks', {}, signal),
});
export const tokensQuery = queryOptions({
  queryKey: settingsKeys.tokens,
  queryFn: ({ signal }) => apiAll<ApiToken>('/api-tokens', {}, signal),
});
export const repliesQuery = queryOptions({
  queryKey: settingsKeys.replies,
  queryFn: ({ signal }) => apiAll<SavedReply>('/saved-replies', {}, signal),
});
export const usageQuery = queryOptions({
  queryKey: settingsKeys.usage,
  queryFn: ({ signal }) => api<AttachmentUsage>('GET', '/attachments/usage', { signal }),
  staleTime: 0,
});
export const accountsQuery = queryOptions({
  queryKey: settingsKeys.accounts,
  queryFn: ({ signal }) => apiAll<Account>('/admin/accounts', {}, signal),
});
export const loginSessionsQuery = queryOptions({
  queryKey: settingsKeys.loginSessions,
  queryFn: async ({ signal }) =>
    (await api<{ items: LoginSession[] }>('GET', '/auth/sessions', { signal })).items,
  staleTime: 0,
});

export const reload = (queryKey: readonly unknown[]) => queryClient.invalidateQueries({ queryKey });
