/** Asked of each cell: what names no account. Answers with the account that it belongs to there. */
import type { Reader } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { isNotElsewhere } from './move/served-here.ts';

export interface Found {
  accountId: string;
  /** Of several cells the one with the least counts: the same name of a website channel was used there first. */
  since: number;
}

export type LookUp = (value: string) => Sql;

const withinMs = 2_000;

/** `lookUp`: reads the account and `since` of the value. */
export async function findAccount(db: Reader, value: string, lookUp: LookUp): Promise<Found | null> {
  if (value.includes('\0') || !value.isWellFormed()) return null;
  const [row] = await db.query<Found>(lookUp(value), { timeoutMs: withinMs });
  return row ?? null;
}

export async function hasAccount(db: Reader, accountId: string): Promise<boolean> {
  const rows = await db.query(
    sql`select from accounts where id = ${accountId} and ${isNotElsewhere(sql`accounts.id`)}`,
    { timeoutMs: withinMs },
  );
  return rows.length > 0;
}

export async function hasUser(db: Reader, accountId: string, email: string): Promise<boolean> {
  const rows = await db.query(sql`select from users where account_id = ${accountId} and email = ${email}`, {
    timeoutMs: withinMs,
  });
  return rows.length > 0;
}

export async function hasAnyAccount(db: Reader): Promise<boolean> {
  return (await db.query(sql`select from accounts limit 1`)).length > 0;
}

export async function selectChannelIds(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from channels where account_id = ${accountId}`);
  return rows.map(({ id }) => id);
}

export async function databaseSize(db: Reader): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`);
  return row!.bytes;
}

/** Whether the cell is open and its database answers soon, however long its connections take to fail. */
export async function answers(db: Reader | null): Promise<boolean> {
  if (!db) return false;
  const asked = db.query(sql`select`, { timeoutMs: withinMs }).then(
    () => true,
    () => false,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
