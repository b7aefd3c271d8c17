import { queryOptions } from '@tanstack/react-query';
import type { WebhookInbox } from '../../../contract/webhook-inbox.ts';
import { api } from '../data/api.ts';

const pollMs = 1_500;

export const webhookInboxQuery = queryOptions({
  queryKey: ['webhook-inbox'],
  queryFn: ({ signal }) => api<{ inbox: WebhookInbox | null }>('GET', '/webhook-inbox', { signal }),
  refetchInterval: ({ state }) => (state.data?.inbox ? pollMs : false),
});
