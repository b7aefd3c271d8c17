/** Suspended accounts, and those that are being deleted. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface AccountState {
  name: string;
  suspendedAt: number | null;
  suspendedReason: string | null;
  deletingSince: number | null;
}

const columns = sql`name, suspended_at as "suspendedAt", suspended_reason as "suspendedReason",
  deleting_at as "deletingSince"`;

export async function lockAccountState(tx: Tx, accountId: string): Promise<AccountState | null> {
  const [row] = await tx.query<AccountState>(
    sql`select ${columns} from accounts where id = ${accountId} for update`,
  );
  return row ?? null;
}

export async function saveSuspension(
  tx: Tx,
  accountId: string,
  { suspendedAt, suspendedReason, deletingSince }: Omit<AccountState, 'name'>,
): Promise<void> {
  await tx.query(sql`
    update accounts set suspended_at = ${suspendedAt}, suspended_reason = ${suspendedReason},
      deleting_at = ${deletingSince}
    where id = ${accountId}`);
}

export async function selectAccountStates(
  db: Reader,
  ids: readonly string[],
): Promise<(Omit<AccountState, 'name'> & { id: string })[]> {
  return db.query(sql`select id, ${columns} from accounts where id = any(${ids}::uuid[])`);
}

/** Whether it exists and may be deleted. */
export async function findDeletion(db: Reader, accountId: string): Promise<'deleting' | 'gone' | 'kept'> {
  const [row] = await db.query<{ isDeleting: boolean }>(
    sql`select deleting_at is not null as "isDeleting" from accounts where id = ${accountId}`,
  );
  if (!row) return 'gone';
  return row.isDeleting ? 'deleting' : 'kept';
}

/** Last: everything that refers to it is gone. */
export async function deleteAccountRow(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from accounts where id = ${accountId} and deleting_at is not null`);
}

/** False: it is suspended or being deleted; null: it is gone. */
export async function findActivity(tx: Tx, accountId: string): Promise<boolean | null> {
  const [row] = await tx.query<{ isActive: boolean }>(sql`
    select suspended_at is null and deleting_at is null as "isActive" from accounts
    where id = ${accountId} for share`);
  return row?.isActive ?? null;
}
