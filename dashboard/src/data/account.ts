/** The user's own account: its name, limits and settings. */
import { queryOptions } from '@tanstack/react-query';
import type { OwnAccount } from '../../../contract/accounts.ts';
import { api } from './api.ts';

export const accountQuery = queryOptions({
  queryKey: ['account'] as const,
  queryFn: ({ signal }) => api<OwnAccount>('GET', '/account', { signal }),
});
