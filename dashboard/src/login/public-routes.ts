/** The addresses outside the dashboard's frame. */
import { createRoute, redirect } from '@tanstack/react-router';
import { type SignInError, signInErrors } from '../../../contract/sign-in/sign-in-errors.ts';
import { lazyView } from '../app/lazy-view.tsx';
import { root } from '../app/root-route.tsx';
import { sessionState } from '../data/session.ts';
import { withTexts } from '../texts/texts.ts';

interface LoginSearch {
  next?: string;
  /** The provider has signed the person in: the cookie is set. */
  signedIn?: true;
  /** Why it did not. */
  error?: SignInError;
}

function readLoginSearch(search: { [name: string]: unknown }): LoginSearch {
  const { next, signedIn, error } = search;
  return {
    // Only below the dashboard: an address of someone else's must not be followed after signing in.
    next: typeof next === 'string' && /^\/[^/\\]/.test(next) ? next : undefined,
    signedIn: signedIn === true ? true : undefined,
    error: signInErrors.find((one) => one === error),
  };
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readLoginSearch,
  component: lazyView(
    withTexts('signIn', () => import('./login-page.tsx')),
    'LoginPage',
  ),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyView(
    withTexts('signIn', () => import('./forgot-password-page.tsx')),
    'ForgotPasswordPage',
  ),
});
/** The pages of links: their token is behind the #. */
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyView(
    withTexts('signIn', () => import('./reset-password-page.tsx')),
    'ResetPasswordPage',
  ),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyView(
    withTexts('signIn', () => import('./invitation-page.tsx')),
    'InvitationPage',
  ),
});
const loginLink = createRoute({
  getParentRoute: () => root,
  path: '/login-link',
  component: lazyView(
    withTexts('signIn', () => import('./login-link-page.tsx')),
    'LoginLinkPage',
  ),
});
/** The account requires a factor that the user does not have yet. */
const setUpFactor = createRoute({
  getParentRoute: () => root,
  path: '/set-up-factor',
  beforeLoad: () => {
    if (sessionState().kind !== 'signedIn') throw redirect({ to: '/login' });
  },
  component: lazyView(
    withTexts('security', () => import('../security/set-up-page.tsx')),
    'SetUpPage',
  ),
});

export const publicRoutes = [
  login,
  forgotPassword,
  resetPassword,
  invitation,
  loginLink,
  setUpFactor,
] as const;
