/** Contacts that go with their conversations. */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export async function selectContactsOfSessions(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct contact_id as id from sessions
    where account_id = ${accountId} and session_id = any(${sessionIds}::text[]) and contact_id is not null`);
  return rows.map(({ id }) => id);
}

/** Those of them that have no conversation left. Blocked and merged ones stay: people have decided about them. */
export async function eraseUnusedContacts(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  const rows = await tx.query<{ id: string }>(sql`
    select c.id from contacts c
    where c.account_id = ${accountId} and c.id = any(${ids}::uuid[])
      and not exists (select from sessions s where s.account_id = c.account_id and s.contact_id = c.id)
      and not exists (select from contact_blocks b where b.account_id = c.account_id and b.contact_id = c.id)
      and not exists (select from contact_merges m
        where m.account_id = c.account_id and (m.contact_id = c.id or m.merged_id = c.id))`);
  const unused = rows.map(({ id }) => id);
  await tx.query(sql`
    delete from contact_identifiers where account_id = ${accountId} and contact_id = any(${unused}::uuid[])`);
  await tx.query(sql`delete from contacts where account_id = ${accountId} and id = any(${unused}::uuid[])`);
}
