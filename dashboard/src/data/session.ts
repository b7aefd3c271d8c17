/**
 * Who is signed in. The JWT is kept in memory only; the HttpOnly refresh cookie renews it after a reload and before it
 * expires.
 */
import { useSyncExternalStore } from 'react';
import type { Static } from 'typebox';
import type { LoginAnswer } from '../../../contract/accounts.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { FactorRequired } from '../../../contract/sign-in/second-factors.ts';
import { ApiError, OtherPersonError } from './errors.ts';
import { request, responseError } from './http.ts';

export type SignedIn = Static<typeof LoginAnswer>;
export type SessionState =
  | { kind: 'unknown' }
  | { kind: 'signedOut'; ended: boolean }
  | { kind: 'signedIn'; signedIn: SignedIn };

/** Only marks that there was a session: refreshing without one would log an error in the console. */
const markKey = 'talkboard.signed-in';
const renewBeforeMs = 60_000;

let state: SessionState = { kind: 'unknown' };
const listeners = new Set<() => void>();
const set = (next: SessionState) => {
  state = next;
  if (next.kind === 'signedIn') localStorage.setItem(markKey, next.signedIn.account.id);
  if (next.kind === 'signedOut') localStorage.removeItem(markKey);
  for (const listener of listeners) listener();
};

export const sessionState = () => state;
/** Who is signed in, by account and user; null: nobody. */
export const currentPerson = (): string | null =>
  state.kind === 'signedIn' ? personOf(state.signedIn) : null;
const personOf = ({ account, user }: SignedIn) => `${account.id}.${user.id}`;
export const onSession = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const useSessionState = () => useSyncExternalStore(onSession, sessionState);

/** For views that only a signed-in user sees. */
export function useSignedIn(): SignedIn {
  const current = useSessionState();
  if (current.kind !== 'signedIn') throw new Error('nobody is signed in');
  return current.signedIn;
}
export const useIsAdmin = () => useSignedIn().user.role === 'admin';
/** Controls of what the person may not do are left out; the API rejects it anyway. */
export const useMay = (permission: Permission) => useSignedIn().user.permissions.includes(permission);
/** Outside of components. */
export const mayNow = (permission: Permission) =>
  state.kind === 'signedIn' && state.signedIn.user.permissions.includes(permission);

const post = (path: string, body?: object, token?: string) =>
  request(path, {
    method: 'POST',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

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

async function enter(response: Response): Promise<void> {
  if (!response.ok) throw await responseError(response);
  set({ kind: 'signedIn', signedIn: await response.json() });
}

/** With the token of a link from the command line. */
export async function signInWithLink(token: string): Promise<void> {
  const response = await post('/auth/login-link', { token });
  if (!response.ok) throw await responseError(response);
  set({ kind: 'signedIn', signedIn: await response.json() });
}

/** After the provider: the cookie is set, this page has no session yet. */
export const resumeSession = (): Promise<void> => renew();

/** When the rights have changed. An answer that is under way may have been read before that. */
export async function readRightsAgain(): Promise<void> {
  await renewing?.catch(() => {});
  if (state.kind === 'signedIn') await renew();
}

/** The account required it. */
export function factorIsSetUp(): void {
  if (state.kind !== 'signedIn') return;
  const { mustSetUpFactor: _, ...signedIn } = state.signedIn;
  set({ kind: 'signedIn', signedIn });
}

const signOutSteps = new Set<() => Promise<void>>();
/** What is done while the session still counts. */
export const beforeSignOut = (step: () => Promise<void>) => void signOutSteps.add(step);

/** Waits for these steps, but not for long. False: one has failed, and said why. */
export async function prepareSignOut(): Promise<boolean> {
  const steps = Promise.allSettled([...signOutSteps].map((step) => step()));
  const waitMs = navigator.onLine ? 2_000 : 200;
  const late = new Promise<[]>((resolve) => setTimeout(() => resolve([]), waitMs));
  const results = await Promise.race([steps, late]);
  return results.every(({ status }) => status === 'fulfilled');
}

export async function signOut(): Promise<void> {
  const token = state.kind === 'signedIn' ? state.signedIn.token : undefined;
  set({ kind: 'signedOut', ended: false });
  await post('/auth/logout', undefined, token).catch(() => {});
}

let restoring: Promise<void> | null = null;

/** Once, when the page starts; later callers wait for the same result. */
export function restoreSession(): Promise<void> {
  const run = async () => {
    if (!localStorage.getItem(markKey)) return set({ kind: 'signedOut', ended: false });
    await renew();
  };
  restoring ??= run().finally(() => {
    restoring = null;
  });
  return restoring;
}

declare global {
  interface Window {
    /** Of public/early.js, until it is taken. */
    talkboardRenewal?: Promise<Response>;
  }
}

/** The answer that was asked for before this code was loaded; null: there is none. */
async function earlyRenewal(): Promise<Response | null> {
  const early = window.talkboardRenewal;
  delete window.talkboardRenewal;
  return (await early?.catch(() => null)) ?? null;
}

let renewing: Promise<void> | null = null;

/** One refresh at a time, also across windows where the browser supports locks. */
function renew(): Promise<void> {
  const run = async () => {
    const response = (await earlyRenewal()) ?? (await post('/auth/refresh'));
    if (response.ok) return renewedAs(await response.json());
    // 403: the account is suspended. Signing in says so.
    if (response.status === 401 || response.status === 403)
      return set({ kind: 'signedOut', ended: state.kind === 'signedIn' });
    throw new ApiError(response.status, 'UNAVAILABLE', 'the session could not be renewed', '');
  };
  renewing ??= (navigator.locks ? navigator.locks.request('talkboard.renew', run) : run()).finally(() => {
    renewing = null;
  });
  return renewing;
}

function renewedAs(signedIn: SignedIn): void {
  const before = currentPerson();
  if (before !== null && before !== personOf(signedIn)) {
    // What this page shows, and still has to send, is not theirs.
    location.reload();
    throw new OtherPersonError();
  }
  set({ kind: 'signedIn', signedIn });
}

/** The token for a request of `person`, renewed first when it is about to expire. */
async function tokenOf(person: string | null): Promise<string | null> {
  if (state.kind === 'signedIn' && state.signedIn.expiresAt - Date.now() < renewBeforeMs) await renew();
  if (state.kind !== 'signedIn') return null;
  if (person !== null && person !== currentPerson()) throw new OtherPersonError();
  return state.signedIn.token;
}

/** For a request that a closing page will send: there is no time to renew the session then. */
export const prepareToken = () => void tokenOf(null).catch(() => {});

/**
 * Sends a request with the token of `person`. After a 401 the session is renewed and the request sent once more. The
 * cookie may be another person's by then: OtherPersonError.
 */
export async function withSession<Response extends { status: number }>(
  send: (token: string | null) => Promise<Response>,
  person = currentPerson(),
): Promise<Response> {
  const first = await send(await tokenOf(person));
  if (first.status !== 401) return first;
  await renew();
  return send(await tokenOf(person));
}

export function changeUser(change: Partial<SignedIn['user']>): void {
  if (state.kind !== 'signedIn') return;
  set({ kind: 'signedIn', signedIn: { ...state.signedIn, user: { ...state.signedIn.user, ...change } } });
}
export function changeAccountName(name: string): void {
  if (state.kind !== 'signedIn') return;
  set({ kind: 'signedIn', signedIn: { ...state.signedIn, account: { ...state.signedIn.account, name } } });
}
