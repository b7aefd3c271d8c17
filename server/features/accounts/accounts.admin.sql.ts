import type { Account, AccountLimits } from '../../../contract/accounts.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';

interface AccountRow {
  id: string;
  name: string;
  crm_per_minute: number;
  crm_per_hour: number;
  messages_per_minute: number;
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    limits: {
      crmPerMinute: row.crm_per_minute,
      crmPerHour: row.crm_per_hour,
      messagesPerMinute: row.messages_per_minute,
    },
  };
}

export async function insertAccount(
  tx: Tx,
  account: { id: string; name: string; limits: AccountLimits; now: number },
): Promise<Account> {
  const [row] = await tx.query<AccountRow>(sql`
    insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at)
    values (${account.id}, ${account.name}, ${account.limits.crmPerMinute}, ${account.limits.crmPerHour},
      ${account.limits.messagesPerMinute}, ${account.now})
    returning id, name, crm_per_minute, crm_per_hour, messages_per_minute`);
  return toAccount(row!);
}

export async function findAccount(db: Reader, accountId: string): Promise<Account | null> {
  const [row] = await db.query<AccountRow>(sql`
    select id, name, crm_per_minute, crm_per_hour, messages_per_minute from accounts where id = ${accountId}`);
  return row ? toAccount(row) : null;
}

export async function selectAccounts(db: Reader, after: string | null, limit: number): Promise<Account[]> {
  const rows = await db.query<AccountRow>(sql`
    select id, name, crm_per_minute, crm_per_hour, messages_per_minute from accounts
    where ${after}::uuid is null or id > ${after}::uuid order by id limit ${limit}`);
  return rows.map(toAccount);
}

export async function lockAccount(tx: Tx, accountId: string): Promise<Account | null> {
  const [row] = await tx.query<AccountRow>(sql`
    select id, name, crm_per_minute, crm_per_hour, messages_per_minute from accounts
    where id = ${accountId} for update`);
  return row ? toAccount(row) : null;
}

export async function updateAccount(tx: Tx, accountId: string, account: Account): Promise<void> {
  await tx.query(sql`
    update accounts set name = ${account.name}, crm_per_minute = ${account.limits.crmPerMinute},
      crm_per_hour = ${account.limits.crmPerHour}, messages_per_minute = ${account.limits.messagesPerMinute}
    where id = ${accountId}`);
}

export async function hasAccounts(db: Reader): Promise<boolean> {
  return (await db.query(sql`select 1 from accounts limit 1`)).length > 0;
}

/** Of two processes that start on an empty database, one waits here until the other has made the first account. */
export async function lockFirstStart(tx: Tx): Promise<{ isFirst: boolean }> {
  await tx.query(sql`select pg_advisory_xact_lock(7231004)`);
  return { isFirst: !(await hasAccounts(tx)) };
}
