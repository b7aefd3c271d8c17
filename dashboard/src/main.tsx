import './ui/nonce.ts';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startShortcuts } from './app/shortcuts.tsx';
import { startTheme } from './app/theme.ts';
import { startLive } from './data/live.ts';
import { keepCacheCurrent } from './data/live-cache.ts';
import { queryClient } from './data/query-client.ts';
import { router } from './router.tsx';

startTheme();
startShortcuts();
keepCacheCurrent();
startLive();

// The files of an earlier release are gone after an update: the page that still asks for them is loaded anew, once.
addEventListener('vite:preloadError', () => {
  if (sessionStorage.getItem('talkboard.reloaded') === location.href) return;
  sessionStorage.setItem('talkboard.reloaded', location.href);
  location.reload();
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
