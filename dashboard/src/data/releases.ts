/** What each release changed, and whether this person has read about the newest one. */
import { queryOptions } from '@tanstack/react-query';
import type { ReleaseList } from '../../../contract/releases.ts';
import { version } from '../../../contract/version.ts';
import { api } from './api.ts';
import { changeUser, useSignedIn } from './session.ts';

export const releasesQuery = queryOptions({
  queryKey: ['releases'] as const,
  queryFn: ({ signal }) => api<ReleaseList>('GET', '/releases', { signal }),
  // It only changes with a new release, which also replaces the dashboard.
  staleTime: Number.POSITIVE_INFINITY,
});

export const useHasNews = () => useSignedIn().user.seenRelease !== version;

export async function markReleaseSeen(): Promise<void> {
  await api('PATCH', '/auth/me', { body: { seenRelease: version } });
  changeUser({ seenRelease: version });
}
