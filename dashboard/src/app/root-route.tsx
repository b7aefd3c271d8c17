/** The root of every address: the session is restored before anything is shown. */
import { createRootRoute, Outlet } from '@tanstack/react-router';
import { restoreSession, sessionState } from '../data/session.ts';
import { ErrorState } from '../ui/display/states.tsx';
import { Toaster } from '../ui/overlays/toast.tsx';
import { NoPage } from './no-page.tsx';

export const root = createRootRoute({
  beforeLoad: async () => {
    if (sessionState().kind === 'unknown') await restoreSession();
  },
  component: () => (
    <>
      <Outlet />
      <Toaster />
    </>
  ),
  errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} className="h-full" />,
  notFoundComponent: NoPage,
});
