/**
 * Who is signed in. The JWT is kept in memory only; the HttpOnly refresh cookie renews it after a reload and before it
 * expires.
 */
import { useSyncExternalStore } from 'react';
import type { Static } from 'typebox';
import type { LoginAnswer } from '../../../contract/accounts.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
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
export const setSession = (next: SessionState) => {
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

export const post = (path: string, body?: object, token?: string) =>
  request(path, {
    method: 'POST',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Of a request that signs in. */
export async function enter(response: Response): Promise<void> {
  if (!response.ok) throw await responseError(response);
  setSession({ kind: 'signedIn', signedIn: await response.json() });
}

/** After the provider: the cookie is set, this page has no session yet. */
export const resumeSession = (): Promise<void> => renew();

/** When the rights have changed. An answer that is under way may have been read before that. */
export async function readRightsAgain(): Promise<void> {
  await renewing?.catch(() => {});
  if (state.kind === 'signedIn') await renew();
}

type SignOutStep = (timeIsOver: Promise<void>) => Promise<void>;
export const signOutSteps = new Set<SignOutStep>();
/** What is done while the session still counts. It ends soon after `timeIsOver`; if it rejects, the person stays signed in. */
export const beforeSignOut = (step: SignOutStep) => void signOutSteps.add(step);

let restoring: Promise<void> | null = null;

/** Once, when the page starts; later callers wait for the same result. */
export function restoreSession(): Promise<void> {
  const run = async () => {
    if (!localStorage.getItem(markKey)) return setSession({ kind: 'signedOut', ended: false });
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
      return setSession({ kind: 'signedOut', ended: state.kind === 'signedIn' });
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
  setSession({ kind: 'signedIn', signedIn });
}

/** The token for a request of `person` (null: nobody's), renewed first when it is about to expire. */
async function tokenOf(person: string | null): Promise<string | null> {
  if (state.kind === 'signedIn' && state.signedIn.expiresAt - Date.now() < renewBeforeMs) await renew();
  if (person !== currentPerson()) throw new OtherPersonError();
  return state.kind === 'signedIn' ? state.signedIn.token : null;
}

/** For a request that a closing page will send: there is no time to renew the session then. */
export const prepareToken = () => void tokenOf(currentPerson()).catch(() => {});

/**
 * Sends a request with the token of `person`. After a 401 the session is renewed and the request sent once more. If the
 * person is not the one who is signed in by then: OtherPersonError.
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
  setSession({
    kind: 'signedIn',
    signedIn: { ...state.signedIn, user: { ...state.signedIn.user, ...change } },
  });
}
export function changeAccountName(name: string): void {
  if (state.kind !== 'signedIn') return;
  setSession({
    kind: 'signedIn',
    signedIn: { ...state.signedIn, account: { ...state.signedIn.account, name } },
  });
}
