import { type SignInError, signInErrors } from '../../../contract/sign-in/sign-in-errors.ts';

export interface LoginSearch {
  next?: string;
  /** The provider has signed the person in: the cookie is set. */
  signedIn?: true;
  /** Why it did not. */
  error?: SignInError;
}

export function readLoginSearch(search: { [name: string]: unknown }): LoginSearch {
  const { next, signedIn, error } = search;
  return {
    // Only below the dashboard: an address of someone else's must not be followed after signing in.
    next: typeof next === 'string' && /^\/[^/\\]/.test(next) ? next : undefined,
    signedIn: signedIn === true ? true : undefined,
    error: signInErrors.find((one) => one === error),
  };
}
