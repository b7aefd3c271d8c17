/** Signing in and out. Not part of the first load. */
import type { FactorRequired } from '../../../contract/sign-in/second-factors.ts';
import { responseError } from './http.ts';
import { enter, post, sessionState, setSession, signOutSteps } from './session.ts';

/** What is asked for besides the password; null: signed in. */
export async function signIn(email: string, password: string): Promise<FactorRequired | null> {
  const response = await post('/auth/login', { email, password });
  if (response.status === 202) return response.json();
  await enter(response);
  return null;
}

/** The second step, or a passkey alone: `body` is what its path asks for. */
export async function signInBy(
  path: '/auth/login/factor' | '/auth/passkeys/sign-in',
  body: object,
): Promise<void> {
  await enter(await post(path, body));
}

export async function passkeySignInOptions(): Promise<object> {
  const response = await post('/auth/passkeys/options');
  if (!response.ok) throw await responseError(response);
  return (await response.json()).options;
}

/** With the token of a link from the command line. */
export async function signInWithLink(token: string): Promise<void> {
  await enter(await post('/auth/login-link', { token }));
}

/** The account required it. */
export function factorIsSetUp(): void {
  const state = sessionState();
  if (state.kind !== 'signedIn') return;
  const { mustSetUpFactor: _, ...signedIn } = state.signedIn;
  setSession({ kind: 'signedIn', signedIn });
}

/** False: a step has failed, and said why. */
export async function prepareSignOut(): Promise<boolean> {
  const waitMs = navigator.onLine ? 2_000 : 200;
  const timeIsOver = new Promise<void>((resolve) => setTimeout(resolve, waitMs));
  const results = await Promise.allSettled([...signOutSteps].map((step) => step(timeIsOver)));
  return results.every(({ status }) => status === 'fulfilled');
}

export async function signOut(): Promise<void> {
  const state = sessionState();
  const token = state.kind === 'signedIn' ? state.signedIn.token : undefined;
  setSession({ kind: 'signedOut', ended: false });
  await post('/auth/logout', undefined, token).catch(() => {});
}
