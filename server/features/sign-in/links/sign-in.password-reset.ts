/**
 * A forgotten password. The request only adds a job, for every address alike: neither the answer nor its time tells whether
 * there is such a user. The job looks for the user and sends the link.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { addressToCount } from '../../../platform/http/client-address.ts';
import { conflict, forbidden, rateLimited } from '../../../platform/http/errors.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { enqueue, instanceAccountId } from '../../../platform/jobs/jobs.ts';
import type { RateLimits } from '../../../platform/limits/rate-limit.ts';
import type { MailSettings } from '../../../platform/mail.ts';
import type { OidcSettings } from '../../../platform/oidc/oidc-settings.ts';
import { sha256, sha256Hex } from '../../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  checkPassword,
  findLinkUser,
  findUser,
  hashPassword,
  requireActive,
  requireUserToReset,
  resetPassword,
  takeLink,
} from '../../accounts/accounts.ts';
import { accountOfLink, createLink, linkAddress, linkEnded } from './sign-in.links.ts';

export const passwordResetJobKind = jobKind('password-reset');
export const resetLinkMs = 3_600_000;
/** About half an hour, less than the link is valid. */
export const resetMailAttempts = 11;
const hour = 3_600;
const perHour = { email: 3, address: 20 };

export interface ResetSettings {
  mail: MailSettings | null;
  oidc: OidcSettings | null;
}

export function requirePasswords({ oidc }: Pick<ResetSettings, 'oidc'>): void {
  if (oidc?.isOnlyWay) throw forbidden(`passwords are disabled: sign in with ${oidc.name}`);
}

/** The counts are of what was asked for, not of users. */
export async function requestPasswordReset(
  { db, rateLimits, config }: { db: Db; rateLimits: RateLimits; config: ResetSettings },
  { email, address }: { email: string; address: string },
): Promise<void> {
  requirePasswords(config);
  if (!config.mail) {
    throw conflict('this instance cannot send e-mail: ask an administrator for a link to set a new password');
  }
  const to = email.trim().toLowerCase();
  const buckets: [string, number][] = [
    [`reset-address:${sha256Hex(addressToCount(address))}`, perHour.address],
    [`reset-email:${sha256Hex(to)}`, perHour.email],
  ];
  for (const [bucket, limit] of buckets) {
    const verdict = await rateLimits.admit(instanceAccountId, bucket, [{ limit, seconds: hour }]);
    if (!verdict.admitted) throw rateLimited(429, verdict.retryAfterSeconds);
  }
  await db.transaction((tx) =>
    enqueue(tx, {
      accountId: instanceAccountId,
      kind: passwordResetJobKind,
      payload: { email: to, id: randomUUID() },
      maxAttempts: resetMailAttempts,
    }),
  );
}

/** For an administrator, to pass on. */
export async function createResetLink(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  config: ResetSettings & { publicUrl: string },
): Promise<{ link: string; expiresAt: number }> {
  requirePasswords(config);
  const user = await requireUserToReset(tx, actor, id);
  const owner = { accountId: actor.accountId, id: user.id };
  const { token, expiresAt } = await createLink(tx, owner, 'password_reset', {
    now,
    lifetimeMs: resetLinkMs,
  });
  await audit(tx, actor, now, {
    action: 'user.reset_link_created',
    target: { type: 'user', id: user.id },
  });
  return { link: linkAddress(config.publicUrl, 'password_reset', token), expiresAt };
}

export async function confirmPasswordReset(
  { db, clock, config }: { db: Db; clock: Clock; config: ResetSettings },
  { token, password, address }: { token: string; password: string; address: string },
): Promise<void> {
  requirePasswords(config);
  const accountId = accountOfLink(token);
  if (accountId === null) throw linkEnded();
  const link = { tokenHash: sha256(token), kind: 'password_reset' as const };
  // Hashing is slow: not for a link that is not valid, and not inside the transaction.
  const userId = await findLinkUser(db, accountId, { ...link, now: clock.now() });
  const user = userId === null ? null : await findUser(db, accountId, userId);
  if (!user) throw linkEnded();
  checkPassword(password, user.email, 'password');
  const passwordHash = await hashPassword(password);
  const now = clock.now();
  await db.transaction(async (tx) => {
    await requireActive(tx, accountId);
    if ((await takeLink(tx, accountId, { ...link, now })) !== user.id) throw linkEnded();
    await resetPassword(tx, now, { accountId, id: user.id }, passwordHash);
    const actor = { kind: 'user', accountId, id: user.id, name: user.name, address } as const;
    await audit(tx, actor, now, { action: 'user.password_reset', target: { type: 'user', id: user.id } });
  });
}
