/** Asked of each cell: what names no account. Answers with the account that it belongs to there. */
import type { Reader } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { isId } from '../ids.ts';
import { sha256 } from '../secrets/secrets.ts';
import { isNotElsewhere } from './move/served-here.ts';
import type { LookedUp } from './request-place.ts';

export interface Found {
  accountId: string;
  /** Of several cells the one with the least counts: the same name of a website channel was used there first. */
  since: number;
}

const withinMs = 2_000;

export async function findAccount(db: Reader, kind: LookedUp, value: string): Promise<Found | null> {
  if (value.includes('\0') || !value.isWellFormed()) return null;
  const [row] = await db.query<Found>(statements[kind](value), { timeoutMs: withinMs });
  return row ?? null;
}

const statements: { [kind in LookedUp]: (value: string) => Sql } = {
  token: (value) => sql`
    select account_id as "accountId", 0 as since from api_tokens where token_hash = ${sha256(value)}`,
  cookie: (value) => sql`
    select account_id as "accountId", 0 as since from user_sessions
    where family_hash = ${sha256(value.split('.', 1)[0]!)} or refresh_hash = ${sha256(value)}
      or previous_refresh_hash = ${sha256(value)}`,
  ticket: (value) => sql`
    select account_id as "accountId", 0 as since from live_tickets where ticket_hash = ${sha256(value)}`,
  inbox: (value) => sql`
    select account_id as "accountId", 0 as since from webhook_inboxes where key = ${value}`,
  channel: (value) =>
    isId(value)
      ? sql`select account_id as "accountId", 0 as since from channels where id = ${value}`
      : sql`select account_id as "accountId", first_used_at as since from web_identifiers where identifier = ${value}`,
};

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
