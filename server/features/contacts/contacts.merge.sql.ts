import type { MergeDone } from '../../../contract/contacts.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ContactRow } from './contacts.sql.ts';

/** A contact as it was before a merge. */
export interface ContactBefore extends ContactRow {
  /** The entry of the block list; null: not blocked. */
  blockedBy: string | null;
}

export interface Merge {
  id: string;
  /** The contact that stayed. */
  contactId: string;
  /** The one that was merged into it. */
  mergedId: string;
  at: number;
  undoneAt: number | null;
  before: { contact: ContactBefore; merged: ContactBefore; keys: string[] };
  /** Of the merged contact. */
  identifierKeys: string[];
  sessionIds: string[];
  /** Of the contact that stayed. */
  keptSessionIds: string[];
}

export async function insertMerge(tx: Tx, accountId: string, merge: Merge): Promise<void> {
  await tx.query(sql`
    insert into contact_merges (account_id, id, contact_id, merged_id, at, before, identifier_keys, session_ids,
      kept_session_ids)
    values (${accountId}, ${merge.id}, ${merge.contactId}, ${merge.mergedId}, ${merge.at},
      ${JSON.stringify(merge.before)}, ${merge.identifierKeys}, ${merge.sessionIds}, ${merge.keptSessionIds})`);
}

export async function findMerge(db: Reader, accountId: string, id: string): Promise<Merge | null> {
  const [row] = await db.query<Merge>(sql`
    select id, contact_id as "contactId", merged_id as "mergedId", at, undone_at as "undoneAt", before,
      identifier_keys as "identifierKeys", session_ids as "sessionIds", kept_session_ids as "keptSessionIds"
    from contact_merges where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

/** Later merges of the contact that stayed, the last first: they must be undone before. */
export async function selectMergesOnTop(db: Reader, accountId: string, merge: Merge): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from contact_merges
    where account_id = ${accountId} and undone_at is null and (at, id) > (${merge.at}, ${merge.id}::uuid)
      and (contact_id = ${merge.contactId} or merged_id = ${merge.contactId})
    order by at desc, id desc`);
  return rows.map(({ id }) => id);
}

/** Merges into a contact that are not older than that and were not undone, the last first. */
export async function selectMerges(
  db: Reader,
  accountId: string,
  contactId: string,
  withinMs: number,
): Promise<MergeDone[]> {
  return db.query<MergeDone>(sql`
    select m.id as "mergeId", m.merged_id as "contactId", m.before -> 'merged' ->> 'name' as name,
      (select coalesce(json_agg(json_build_object('kind', i.kind, 'value', i.value) order by i.added_at, i.key), '[]')
        from contact_identifiers i
        where i.account_id = m.account_id and i.contact_id = m.contact_id and i.key = any(m.identifier_keys)) as identifiers,
      m.at
    from contact_merges m
    where m.account_id = ${accountId} and m.contact_id = ${contactId} and m.undone_at is null
      and m.at >= (extract(epoch from now()) * 1000)::bigint - ${withinMs}
    order by m.at desc, m.id desc`);
}

export async function markUndone(tx: Tx, accountId: string, id: string, now: number): Promise<void> {
  await tx.query(sql`
    update contact_merges set undone_at = ${now} where account_id = ${accountId} and id = ${id}`);
}

/** Whether one of these conversations is on one of the boards. */
export async function isAnyVisible(
  db: Reader,
  accountId: string,
  contactIds: readonly string[],
  visible: string[],
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from sessions
    where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])
      and kanban_id = any(${visible}::uuid[]) limit 1`);
  return rows.length > 0;
}
