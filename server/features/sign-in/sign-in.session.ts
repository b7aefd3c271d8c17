/** How every sign-in without a password ends: an ordinary login session, and an entry in the audit log. */
import type { Tx } from '../../platform/db/db.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { audit, type Client, newSession, type RefreshCookie, startSession } from '../accounts/accounts.ts';

export interface SignedInPerson {
  accountId: string;
  id: string;
  name: string;
}

export async function beginSession(
  tx: Tx,
  deps: { secrets: Secrets },
  person: SignedInPerson,
  client: Client,
  { now, method }: { now: number; method: 'oidc' | 'login_link' },
): Promise<{ id: string; cookie: RefreshCookie }> {
  const { accountId, id, name } = person;
  const session = newSession(deps, accountId, now);
  await startSession(tx, person, session, client);
  const actor = { kind: 'user', accountId, id, name, address: client.address } as const;
  await audit(tx, actor, now, { action: 'login', target: { type: 'user', id }, changes: { method } });
  return { id: session.id, cookie: session.cookie };
}
