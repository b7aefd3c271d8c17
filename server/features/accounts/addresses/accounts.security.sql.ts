import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasFactor } from '../factors/accounts.factors.sql.ts';

export interface SecurityRow {
  requireSecondFactor: boolean;
  adminAddresses: string[];
}

const columns = sql`requires_factor as "requireSecondFactor", admin_addresses as "adminAddresses"`;

export async function findSecurity(db: Reader, accountId: string): Promise<SecurityRow | null> {
  const [row] = await db.query<SecurityRow>(sql`select ${columns} from accounts where id = ${accountId}`);
  return row ?? null;
}

export async function lockSecurity(tx: Tx, accountId: string): Promise<SecurityRow | null> {
  const [row] = await tx.query<SecurityRow>(
    sql`select ${columns} from accounts where id = ${accountId} for update`,
  );
  return row ?? null;
}

export async function updateSecurity(tx: Tx, accountId: string, row: SecurityRow): Promise<void> {
  await tx.query(sql`
    update accounts set requires_factor = ${row.requireSecondFactor}, admin_addresses = ${row.adminAddresses}
    where id = ${accountId}`);
}

export async function deleteSessionsWithoutFactor(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`
    delete from user_sessions s using users u
    where s.account_id = ${accountId} and u.account_id = s.account_id and u.id = s.user_id and not ${hasFactor}`);
}

export async function selectAdminSessions(
  tx: Tx,
  accountId: string,
): Promise<{ id: string; address: string | null }[]> {
  return tx.query(sql`
    select s.id, s.address from user_sessions s
    join users u on u.account_id = s.account_id and u.id = s.user_id
    where s.account_id = ${accountId} and u.role = 'admin'`);
}

export async function deleteSessionsById(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from user_sessions where account_id = ${accountId} and id = any(${ids}::uuid[])`);
}
