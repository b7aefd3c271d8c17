/** An account's rules for signing in: whether a second factor is required, and where administrators may be. */
import type { AccountSecurity } from '../../../../contract/sign-in/second-factors.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { isAddressIn, parseRange } from '../../../platform/http/client-address.ts';
import { conflict, forbidden, notFound } from '../../../platform/http/errors.ts';
import type { Actor } from '../accounts.actor.ts';
import { audit, differences } from '../accounts.audit.ts';
import { selectFactorState } from '../factors/accounts.factors.sql.ts';
import { checkLockout, readAddressList } from './accounts.addresses.ts';
import {
  deleteSessionsById,
  deleteSessionsWithoutFactor,
  findSecurity,
  lockSecurity,
  type SecurityRow,
  selectAdminSessions,
  updateSecurity,
} from './accounts.security.sql.ts';

export async function describeSecurity(
  db: Reader,
  accountId: string,
  address: string,
): Promise<AccountSecurity> {
  const row = await findSecurity(db, accountId);
  if (!row) throw notFound('account');
  return { ...row, yourAddress: address };
}

export interface SecurityChange {
  requireSecondFactor?: boolean;
  adminAddresses?: readonly string[];
  confirmLockout?: boolean;
}

/** Sessions that the new rules do not allow end at once, live connections included. */
export async function changeSecurity(
  tx: Tx,
  actor: Actor,
  now: number,
  change: SecurityChange,
): Promise<SecurityRow> {
  const { accountId } = actor;
  const before = await lockSecurity(tx, accountId);
  if (!before) throw notFound('account');
  if (change.requireSecondFactor === undefined && change.adminAddresses === undefined) return before;
  if (actor.kind === 'token') {
    throw forbidden('a token cannot change the rules for signing in: sign in to do this');
  }
  // Otherwise a user with a role of the account could lock out every administrator.
  if (change.adminAddresses !== undefined && actor.kind === 'user' && actor.role !== 'admin') {
    throw forbidden('only an administrator may change adminAddresses');
  }
  const after = {
    requireSecondFactor: change.requireSecondFactor ?? before.requireSecondFactor,
    adminAddresses: change.adminAddresses
      ? readAddressList(change.adminAddresses, 'adminAddresses')
      : before.adminAddresses,
  };
  if (change.adminAddresses) {
    const confirmed = change.confirmLockout ?? false;
    checkLockout(after.adminAddresses, actor.address, { field: 'adminAddresses', confirmed });
  }
  const becomesRequired = after.requireSecondFactor && !before.requireSecondFactor;
  if (becomesRequired && actor.kind === 'user') {
    const own = await selectFactorState(tx, accountId, actor.id);
    if (!own?.hasTotp && !own?.passkeys) {
      throw conflict('set up a second factor for yourself before you require it of everyone');
    }
  }
  await updateSecurity(tx, accountId, after);
  if (becomesRequired) await deleteSessionsWithoutFactor(tx, accountId);
  if (change.adminAddresses && after.adminAddresses.length > 0) {
    const ranges = after.adminAddresses.map(parseRange);
    const sessions = await selectAdminSessions(tx, accountId);
    // Of the caller's own session the address of this request counts: the stored one may be older.
    const own = actor.kind === 'user' ? actor.sessionId : null;
    const elsewhere = sessions.filter(({ id, address: stored }) => {
      const address = id === own ? actor.address : stored;
      return address && !isAddressIn(address, ranges);
    });
    await deleteSessionsById(
      tx,
      accountId,
      elsewhere.map(({ id }) => id),
    );
  }
  const changes = differences(before, after);
  if (Object.keys(changes).length > 0) {
    await audit(tx, actor, now, {
      action: 'account.security_changed',
      target: { type: 'account', id: accountId },
      changes,
    });
  }
  return after;
}
