import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';
import { onSession, sessionState } from './session.ts';

/** The live connection keeps the data current, so nothing is refetched on focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { retry: false },
  },
});

// The next user must not see the previous user's data. Once: the page for signing in has begun to load its own.
// Queued mutations stay: without their place in the queue they would never end (data/store/changes.ts).
let wasSignedOut = false;
onSession(() => {
  const isSignedOut = sessionState().kind === 'signedOut';
  if (isSignedOut && !wasSignedOut) queryClient.getQueryCache().clear();
  wasSignedOut = isSignedOut;
});
