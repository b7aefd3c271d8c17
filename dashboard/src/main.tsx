import './ui/nonce.ts';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startLanguage, useLanguage } from './app/language.ts';
import { reloadAfterUpdate } from './app/reload-after-update.ts';
import { startResuming } from './app/resume-changes.ts';
import { startShortcuts } from './app/shortcuts.tsx';
import { startTheme } from './app/theme.ts';
import { removeDraftsOnSignOut } from './data/draft-cleanup.ts';
import { startLive } from './data/live.ts';
import { keepCacheCurrent } from './data/live-cache.ts';
import { kanbansQuery } from './data/queries.ts';
import { queryClient } from './data/query-client.ts';
import { restoreSession, sessionState } from './data/session.ts';
import { keepNotificationsCurrent } from './notifications/live-notifications.ts';
import { router } from './router.tsx';
import { startOverlays } from './ui/overlays/late.ts';

startTheme();
startShortcuts();
startOverlays();
keepCacheCurrent();
keepNotificationsCurrent(router.navigate);
removeDraftsOnSignOut();
startResuming();
startLive();
reloadAfterUpdate();

// Load the session, the boards and the view's code in parallel: in sequence the first card would take twice as long.
const inBoard = location.pathname.startsWith('/app/boards/');
if (inBoard) void import('./board/board-page.tsx');
void restoreSession().then(
  () => {
    if (sessionState().kind === 'signedIn') void queryClient.prefetchQuery(kanbansQuery);
  },
  // The router tries again and shows the error.
  () => {},
);

/** A new language renders a new tree: memoized values may hold texts of the previous one. */
function App() {
  return <RouterProvider key={useLanguage()} router={router} />;
}

void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  ),
);
