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

/**
 * Those of them that have no conversation left, with the contacts that were merged with them. Blocked ones stay: people
 * have decided about them. Returns the ids of all that are gone.
 */
export async function eraseUnusedContacts(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    with recursive merged (root, id) as (
      select c.id, c.id from contacts c where c.account_id = ${accountId} and c.id = any(${ids}::uuid[])
      union
      select g.root, case when m.contact_id = g.id then m.merged_id else m.contact_id end
      from merged g join contact_merges m
        on m.account_id = ${accountId} and m.undone_at is null and (m.contact_id = g.id or m.merged_id = g.id)
    ), used as (
      select g.root from merged g
      where exists (select from sessions s where s.account_id = ${accountId} and s.contact_id = g.id)
        or exists (select from contact_blocks b where b.account_id = ${accountId} and b.contact_id = g.id)
    )
    select distinct id from merged where root not in (select root from used)`);
  const unused = rows.map(({ id }) => id);
  await tx.query(sql`
    delete from contact_merges where account_id = ${accountId}
      and (contact_id = any(${unused}::uuid[]) or merged_id = any(${unused}::uuid[]))`);
  await tx.query(sql`
    with gone as (
      delete from contact_identifiers where account_id = ${accountId} and contact_id = any(${unused}::uuid[])
      returning key
    )
    delete from contact_merge_offers o using gone
    where o.account_id = ${accountId} and gone.key in (o.key_a, o.key_b)`);
  await tx.query(sql`delete from contacts where account_id = ${accountId} and id = any(${unused}::uuid[])`);
  return unused;
}
