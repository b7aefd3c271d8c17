/** Mails of conversations: by their ids for threads, by their message for display and replies. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { MailHeaders } from '../connectors.provider.ts';

export interface MailRow {
  messageId: string;
  sessionId: string;
  isIncoming: boolean;
  headers: MailHeaders;
  originalKey: string | null;
}

const columns = sql`message_id as "messageId", session_id as "sessionId", is_incoming as "isIncoming", headers,
  original_key as "originalKey"`;

export interface NewMail {
  messageId: string;
  channelId: string;
  sessionId: string;
  idHash: string | null;
  isIncoming: boolean;
  headers: MailHeaders;
  originalKey: string | null;
  now: number;
}

/** A send that is tried again writes the same row. */
export async function insertMail(tx: Tx, accountId: string, mail: NewMail): Promise<void> {
  await tx.query(sql`
    insert into mail_messages (account_id, message_id, channel_id, session_id, id_hash, is_incoming, headers, original_key,
      created_at)
    values (${accountId}, ${mail.messageId}, ${mail.channelId}, ${mail.sessionId}, ${mail.idHash}, ${mail.isIncoming},
      ${JSON.stringify(mail.headers)}::jsonb, ${mail.originalKey}, ${mail.now})
    on conflict (account_id, message_id) do update set id_hash = excluded.id_hash, headers = excluded.headers`);
}

export async function findMail(db: Reader, accountId: string, messageId: string): Promise<MailRow | null> {
  const [row] = await db.query<MailRow>(
    sql`select ${columns} from mail_messages where account_id = ${accountId} and message_id = ${messageId}`,
  );
  return row ?? null;
}

/** The conversation of the first of the ids that is known on the channel, and the message. */
export async function findThread(
  db: Reader,
  accountId: string,
  channelId: string,
  idHashes: readonly string[],
): Promise<{ sessionId: string; messageId: string; externalUserId: string | null } | null> {
  if (idHashes.length === 0) return null;
  const [row] = await db.query<{ sessionId: string; messageId: string; externalUserId: string | null }>(sql`
    select m.session_id as "sessionId", m.message_id as "messageId", s.external_user_id as "externalUserId"
    from unnest(${idHashes}::text[]) with ordinality as wanted (id_hash, place)
    join mail_messages m on m.account_id = ${accountId} and m.channel_id = ${channelId} and m.id_hash = wanted.id_hash
    join sessions s on s.account_id = m.account_id and s.session_id = m.session_id
    order by wanted.place, m.created_at desc limit 1`);
  return row ?? null;
}

/** The customer's latest mail, or the conversation's first of ours where the customer has not written. */
export async function findLastMail(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<MailRow | null> {
  const [row] = await db.query<MailRow>(sql`
    select ${columns} from mail_messages
    where account_id = ${accountId} and session_id = ${sessionId}
    order by is_incoming desc, created_at desc, message_id desc limit 1`);
  return row ?? null;
}

/** How a mail of ours was addressed to somebody. Null: it was not. */
export async function findRecipientRole(
  db: Reader,
  accountId: string,
  { channelId, idHash, recipient }: { channelId: string; idHash: string; recipient: string },
): Promise<{ messageId: string; isCopy: boolean } | null> {
  const address = JSON.stringify([{ address: recipient }]);
  const [row] = await db.query<{ messageId: string; isCopy: boolean }>(sql`
    select message_id as "messageId", not headers->'to' @> ${address}::jsonb as "isCopy" from mail_messages
    where account_id = ${accountId} and channel_id = ${channelId} and id_hash = ${idHash} and not is_incoming
      and (headers->'to' @> ${address}::jsonb or headers->'cc' @> ${address}::jsonb)
    limit 1`);
  return row ?? null;
}
