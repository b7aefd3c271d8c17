/** Whom a message goes to. */
import type { IdentifierKind } from '../../../../contract/connectors.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** The provider's id of the customer's latest message. */
export async function findLastReceived(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<string | null> {
  const [row] = await db.query<{ provider_msg_id: string }>(sql`
    select provider_msg_id from (
      select provider_msg_id, role, is_echo from messages
      where account_id = ${accountId} and session_id = ${sessionId} order by position desc limit 100) latest
    where role = 'user' and not is_echo and provider_msg_id is not null limit 1`);
  return row?.provider_msg_id ?? null;
}

interface Recipient {
  /** The oldest first, without phone numbers that the customer has given up. */
  identifiers: { kind: IdentifierKind; value: string }[];
  isBlocked: boolean;
}

export async function findRecipient(db: Reader, accountId: string, sessionId: string): Promise<Recipient> {
  const [row] = await db.query<Recipient>(sql`
    select is_session_blocked(${accountId}, ${sessionId}) as "isBlocked", coalesce((
      select json_agg(json_build_object('kind', i.kind, 'value', i.value) order by i.added_at) from (
        select i.kind, i.value, i.added_at from sessions s
        join contact_identifiers i on i.account_id = s.account_id and i.contact_id = s.contact_id
        where s.account_id = ${accountId} and s.session_id = ${sessionId} and i.ended_at is null
        order by i.added_at limit 50) i), '[]') as identifiers`);
  return row!;
}
