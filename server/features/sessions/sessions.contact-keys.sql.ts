import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';

/** Each statement may read the whole table. */
const long = { timeoutMs: 3_600_000 };

export async function lockContactKeyVersion(tx: Tx): Promise<number> {
  await tx.query(sql`lock table contact_key_version in exclusive mode`, long);
  const [row] = await tx.query<{ version: number }>(
    sql`select coalesce(max(version), 1) as version from contact_key_version`,
  );
  return row!.version;
}

export async function saveContactKeyVersion(tx: Tx, version: number): Promise<void> {
  await tx.query(sql`delete from contact_key_version`);
  await tx.query(sql`insert into contact_key_version values (${version})`);
}

interface SessionPlace {
  accountId: string;
  sessionId: string;
}

/**
 * Conversations whose key version 2 of the rule may change: characters outside ASCII, `@lid`, a prefix, a leading 00.
 * Most conversations are not affected.
 */
export async function selectDoubtfulKeys(
  db: Reader,
  after: SessionPlace | null,
  limit: number,
): Promise<(SessionPlace & { identifier: string; key: string })[]> {
  return db.query(
    sql`
    select account_id as "accountId", session_id as "sessionId", contact_key as key,
      coalesce(external_user_id, session_id) as identifier
    from sessions
    where (contact_key like '00%' or coalesce(external_user_id, session_id) ~ '[^\\x01-\\x7f]'
        or coalesce(external_user_id, session_id) ~* '@lid|^\\s*(tel|sms|mailto|whatsapp):')
      ${after ? sql`and (account_id, session_id) > (${after.accountId}::uuid, ${after.sessionId}::text)` : empty}
    order by account_id, session_id limit ${limit}`,
    long,
  );
}

export async function updateContactKeys(
  tx: Tx,
  changes: readonly (SessionPlace & { newKey: string })[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    sql`
    update sessions s set contact_key = c.new_key
    from unnest(${changes.map((c) => c.accountId)}::uuid[], ${changes.map((c) => c.sessionId)}::text[],
      ${changes.map((c) => c.newKey)}::text[]) as c (account_id, session_id, new_key)
    where s.account_id = c.account_id and s.session_id = c.session_id`,
    long,
  );
}
