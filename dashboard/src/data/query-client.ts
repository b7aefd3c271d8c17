import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';
import { onSession, sessionState } from './session.ts';

/** The live connection keeps what is shown current, so nothing is fetched again merely because time has passed. */
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

// Nothing of one user may be seen by the next.
onSession(() => {
  if (sessionState().kind === 'signedOut') queryClient.clear();
});
