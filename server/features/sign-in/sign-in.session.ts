/** How every sign-in without a password ends: an ordinary login session, and an entry in the audit log. */
import type { Tx } from '../../platform/db/db.ts';
import { unauthorized } from '../../platform/http/errors.ts';
import {
  audit,
  type Client,
  checkSignInAddress,
  findLoginById,
  type LoginUser,
  newSession,
  type RefreshCookie,
  requireActive,
  type SessionDeps,
  startSession,
} from '../accounts/accounts.ts';

export interface SignedInPerson {
  accountId: string;
  id: string;
}

export type BeginDeps = Pick<SessionDeps, 'secrets' | 'config'>;

/** Throws what a sign-in with a password would: for a suspended account, and from an address that is not allowed. */
export async function beginSession(
  tx: Tx,
  deps: BeginDeps,
  { accountId, id }: SignedInPerson,
  client: Client,
  { now, method }: { now: number; method: 'oidc' | 'login_link' },
): Promise<{ user: LoginUser; session: { id: string; cookie: RefreshCookie } }> {
  await requireActive(tx, accountId);
  const user = await findLoginById(tx, accountId, id);
  if (!user) throw unauthorized('the user was just removed');
  checkSignInAddress(deps, user, client.address);
  const session = newSession(deps, accountId, now);
  await startSession(tx, user, session, client, method);
  const actor = { kind: 'user', accountId, id, name: user.name, address: client.address } as const;
  await audit(tx, actor, now, { action: 'login', target: { type: 'user', id }, changes: { method } });
  return { user, session };
}
