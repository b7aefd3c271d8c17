/**
 * A sign-in that is under way at the provider. State, nonce and PKCE verifier are in a sealed cookie: only the browser that
 * began can finish. Beginning writes nothing; finishing is noted, so that the same cookie cannot finish again.
 */
import type { Db } from '../../../platform/db/db.ts';
import type { OidcAttempt } from '../../../platform/oidc/oidc-client.ts';
import { type Secrets, sha256 } from '../../../platform/secrets/secrets.ts';
import { SignInRefused } from './sign-in.claims.ts';
import { useState } from './sign-in.oidc.sql.ts';

export interface BrowserAttempt extends OidcAttempt {
  next: string | null;
  invitation: string | null;
}

export interface OpenAttempt extends BrowserAttempt {
  expiresAt: number;
}

const lifetimeMs = 10 * 60_000;
const purpose = 'oidc-attempt';

export function sealAttempt(
  secrets: Secrets,
  now: number,
  attempt: BrowserAttempt,
): { value: string; maxAgeSeconds: number } {
  const open: OpenAttempt = { ...attempt, expiresAt: now + lifetimeMs };
  return { value: secrets.seal(JSON.stringify(open), purpose), maxAgeSeconds: lifetimeMs / 1000 };
}

/** Null: there is none, it is not ours, or it is too old. */
export function openAttempt(secrets: Secrets, now: number, sealed: string | undefined): OpenAttempt | null {
  if (!sealed) return null;
  try {
    const attempt = JSON.parse(secrets.open(sealed, purpose)) as OpenAttempt;
    return attempt.expiresAt > now ? attempt : null;
  } catch {
    return null;
  }
}

export async function takeAttempt(instanceDb: Db, { state, expiresAt }: OpenAttempt): Promise<void> {
  const isFirst = await instanceDb.transaction((tx) => useState(tx, sha256(state), expiresAt));
  if (!isFirst) throw new SignInRefused('expired', 'this sign-in has ended already');
}
