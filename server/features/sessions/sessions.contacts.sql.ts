/** The conversations of contacts. Callers hold the contacts' locks. */
import { isNotElsewhere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';

export async function selectSessionIdsOfContact(
  db: Reader,
  accountId: string,
  contactId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select session_id as id from sessions
    where account_id = ${accountId} and contact_id = ${contactId} order by session_id`);
  return rows.map(({ id }) => id);
}

/** Emits a live change for each. */
export async function moveSessionsToContact(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
  contactId: string,
): Promise<void> {
  await tx.query(
    sql`
    update sessions set contact_id = ${contactId}
    where account_id = ${accountId} and session_id = any(${sessionIds}::text[])`,
    { timeoutMs: 60_000 },
  );
}

export interface SessionOfContact {
  sessionId: string;
  externalUserId: string | null;
  channelId: string;
  channelType: string;
}

/** Those besides `known`. */
export async function selectOtherSessionsOfContact(
  db: Reader,
  accountId: string,
  contactId: string,
  known: readonly string[],
): Promise<SessionOfContact[]> {
  return db.query<SessionOfContact>(sql`
    select s.session_id as "sessionId", s.external_user_id as "externalUserId", c.id as "channelId",
      c.type as "channelType"
    from sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where s.account_id = ${accountId} and s.contact_id = ${contactId} and s.session_id <> all(${known}::text[])`);
}

/** The channel asked for, if it exists; otherwise that of the contact's latest conversation. Null: there is none. */
export async function findChannelOfContact(
  db: Reader,
  accountId: string,
  contactId: string,
  isWeb: boolean,
  channelId: string | null,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    channelId !== null
      ? sql`select id from channels
          where account_id = ${accountId} and id = ${channelId} and (type = 'web') = ${isWeb}::boolean`
      : sql`select c.id from sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id
          where s.account_id = ${accountId} and s.contact_id = ${contactId} and (c.type = 'web') = ${isWeb}::boolean
          order by s.last_message_at desc, s.session_id limit 1`,
  );
  return row?.id ?? null;
}

export interface SessionWithoutContact extends SessionOfContact {
  accountId: string;
  sessionName: string | null;
  createdAt: number;
}

/** Conversations with a customer, in the order of their keys; all that are looked at count, so that it ends. */
export async function selectSessionsWithoutContact(
  db: Reader,
  after: { accountId: string; sessionId: string } | null,
  limit: number,
  accountId: string | null = null,
): Promise<(SessionWithoutContact & { hasCustomer: boolean })[]> {
  return db.query<SessionWithoutContact & { hasCustomer: boolean }>(
    sql`
    select s.account_id as "accountId", s.session_id as "sessionId", s.session_name as "sessionName",
      s.external_user_id as "externalUserId", c.id as "channelId", c.type as "channelType",
      s.created_at as "createdAt",
      s.contact_id is null and (s.external_user_id is not null or c.type = 'web') as "hasCustomer"
    from (select * from sessions s
      where ${isNotElsewhere(sql`s.account_id`)}
        ${accountId === null ? empty : sql`and s.account_id = ${accountId}::uuid`}
        ${after ? sql`and (s.account_id, s.session_id) > (${after.accountId}::uuid, ${after.sessionId}::text)` : empty}
      order by s.account_id, s.session_id limit ${limit}) s
    join channels c on c.account_id = s.account_id and c.id = s.channel_id
    order by s.account_id, s.session_id`,
    { timeoutMs: 60_000 },
  );
}

/** A message may have given a conversation its contact meanwhile; it stays. */
export async function fillContacts(
  tx: Tx,
  accountId: string,
  rows: readonly { sessionId: string; contactId: string }[],
): Promise<void> {
  await tx.query(sql`
    update sessions s set contact_id = f.contact_id
    from unnest(${rows.map((one) => one.sessionId)}::text[], ${rows.map((one) => one.contactId)}::uuid[])
      as f (session_id, contact_id)
    where s.account_id = ${accountId} and s.session_id = f.session_id and s.contact_id is null`);
}
