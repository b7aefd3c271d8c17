/** The addresses outside the dashboard's frame. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { root } from '../app/root-route.tsx';
import { sessionState } from '../data/session.ts';
import { withTexts } from '../texts/texts.ts';
import { LoginPage } from './login-page.tsx';

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: { next?: unknown }): { next?: string } => ({
    // Only below the dashboard: an address of someone else's must not be followed after signing in.
    next: typeof search.next === 'string' && /^\/[^/\\]/.test(search.next) ? search.next : undefined,
  }),
  component: LoginPage,
});

export const setUpFactor = createRoute({
  getParentRoute: () => root,
  path: '/set-up-factor',
  beforeLoad: () => {
    if (sessionState().kind !== 'signedIn') throw redirect({ to: '/login' });
  },
  component: lazyRouteComponent(
    withTexts('security', () => import('../security/set-up-page.tsx')),
    'SetUpPage',
  ),
});
