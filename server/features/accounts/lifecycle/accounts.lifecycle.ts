/** Suspending, resuming and deleting an account, by the administrator of the instance. */

import type { AccountSuspension } from '../../../../contract/accounts.ts';
import { isMoving } from '../../../platform/cells/move/moves.sql.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { refreshEndpointHealth } from '../../../platform/events/endpoints.ts';
import {
  accountSuspended,
  badRequest,
  conflict,
  notFound,
  unauthorized,
} from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue, instanceAccountId, wakeWorkers } from '../../../platform/jobs/jobs.ts';
import type { Actor } from '../accounts.actor.ts';
import { audit } from '../accounts.audit.ts';
import { lockInstanceAdmins, lockInstanceDeletions } from '../roles/accounts.roles.sql.ts';
import {
  type AccountState,
  findActivity,
  lockAccountState,
  saveSuspension,
  selectAccountStates,
} from './accounts.lifecycle.sql.ts';

export const accountDeletionJobKind = jobKind('account_deletion');

const shown = ({ suspendedAt, suspendedReason, deletingSince }: AccountSuspension): AccountSuspension => ({
  suspendedAt,
  suspendedReason,
  deletingSince,
});

/** Again: the reason changes, the time stays. */
export async function suspendAccount(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  reason: string | null,
): Promise<AccountSuspension> {
  const before = await requireOther(tx, actor, id, 'suspend');
  if (before.deletingSince !== null) throw conflict('the account is being deleted');
  const after = {
    ...before,
    suspendedAt: before.suspendedAt ?? now,
    suspendedReason: reason?.trim() || null,
  };
  await saveSuspension(tx, id, after);
  await audit(tx, { ...actor, accountId: id }, now, {
    action: 'account.suspended',
    target: { type: 'account', id },
    changes: after.suspendedReason === null ? {} : { reason: { from: null, to: after.suspendedReason } },
  });
  return shown(after);
}

/** What waited goes on at once. */
export async function resumeAccount(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
): Promise<AccountSuspension> {
  const before = await requireOther(tx, actor, id, 'resume');
  if (before.deletingSince !== null) throw conflict('the account is being deleted');
  const after = { ...before, suspendedAt: null, suspendedReason: null };
  if (before.suspendedAt === null) return shown(after);
  await saveSuspension(tx, id, after);
  await refreshEndpointHealth(tx, id, now);
  await audit(tx, { ...actor, accountId: id }, now, {
    action: 'account.resumed',
    target: { type: 'account', id },
  });
  wakeWorkers(tx);
  return shown(after);
}

/**
 * Before a deletion in any database, until `instance` ends: two administrators of the instance, whose accounts may be in
 * different databases, must not delete each other's. `own` is in the database of the caller.
 */
export async function lockDeletions(instance: Tx, own: Tx, actor: Actor): Promise<void> {
  await lockInstanceDeletions(instance);
  await requireOwnAccount(own, actor);
}

async function requireOwnAccount(tx: Tx, actor: Actor): Promise<void> {
  const [own] = await selectAccountStates(tx, [actor.accountId]);
  if (actor.kind !== 'system' && own?.deletingSince) throw conflict('your own account is being deleted');
}

/** `name` confirms it. From here on there is no way back: the job removes everything. */
export async function requestAccountDeletion(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  name: string,
): Promise<AccountSuspension> {
  // The same for accounts of one database, and for the removal of its administrators.
  await lockInstanceAdmins(tx);
  await requireOwnAccount(tx, actor);
  const before = await requireOther(tx, actor, id, 'delete');
  if (name !== before.name) throw badRequest('name must be the name of the account, as it is written');
  if (before.deletingSince === null && (await isMoving(tx, id)))
    throw conflict(
      'the account is moving to another cell: delete it when the move has ended, or cancel the move',
    );
  const after = {
    ...before,
    suspendedAt: before.suspendedAt ?? now,
    deletingSince: before.deletingSince ?? now,
  };
  if (before.deletingSince === null) await saveSuspension(tx, id, after);
  // Again too: the job is the same, unless it is gone.
  await enqueue(tx, {
    // The account's own jobs are removed with it.
    accountId: instanceAccountId,
    kind: accountDeletionJobKind,
    payload: { accountId: id },
    dedupeKey: id,
    maxAttempts: endlessAttempts,
  });
  return shown(after);
}

async function requireOther(tx: Tx, actor: Actor, id: string, verb: string): Promise<AccountState> {
  const found = isId(id) ? await lockAccountState(tx, id) : null;
  if (!found) throw notFound('account');
  if (actor.kind !== 'system' && actor.accountId === id)
    throw conflict(`you cannot ${verb} your own account`);
  return found;
}

/** For every way in. Until the transaction ends the account is neither suspended nor deleted. */
export async function requireActive(tx: Tx, accountId: string): Promise<void> {
  const isActive = await findActivity(tx, accountId);
  if (isActive === null) throw unauthorized('the account is gone');
  if (!isActive) throw accountSuspended();
}
