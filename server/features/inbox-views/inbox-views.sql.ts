import type { InboxView } from '../../../contract/inbox-views.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

/** No other advisory lock has this number. */
const lockKey = 7231037;
const columns = sql`id, name, shared, owner_id as "ownerId", filter, sort, place as "order",
  created_at as "createdAt", updated_at as "updatedAt"`;

export async function selectInboxViews(
  db: Reader,
  accountId: string,
  userId: string | null,
): Promise<InboxView[]> {
  return db.query<InboxView>(sql`
    select ${columns} from inbox_views
    where account_id = ${accountId} and (shared or owner_id = ${userId}::uuid) order by place, name, id`);
}

export async function lockInboxView(tx: Tx, accountId: string, id: string): Promise<InboxView | null> {
  const [row] = await tx.query<InboxView>(
    sql`select ${columns} from inbox_views where account_id = ${accountId} and id = ${id} for update`,
  );
  return row ?? null;
}

/** Creates of an account wait for each other until the transaction ends, so that none is counted too late. */
export async function countInboxViewsLocked(
  tx: Tx,
  accountId: string,
  ownerId: string,
): Promise<{ shared: number; own: number; last: number | null }> {
  await tx.query(sql`select pg_advisory_xact_lock(${lockKey}, hashtext(${accountId}::text))`);
  const [row] = await tx.query<{ shared: number; own: number; last: number | null }>(sql`
    select count(*) filter (where shared)::int as shared,
      count(*) filter (where not shared and owner_id = ${ownerId})::int as own,
      max(place) filter (where shared or owner_id = ${ownerId}) as last
    from inbox_views where account_id = ${accountId}`);
  return row!;
}

export async function insertInboxView(tx: Tx, accountId: string, view: InboxView): Promise<void> {
  await tx.query(sql`
    insert into inbox_views (account_id, id, owner_id, name, shared, filter, sort, place, created_at, updated_at)
    values (${accountId}, ${view.id}, ${view.ownerId}, ${view.name}, ${view.shared},
      ${view.filter && JSON.stringify(view.filter)}::jsonb, ${view.sort}, ${view.order}, ${view.createdAt},
      ${view.updatedAt})`);
}

export async function updateInboxView(tx: Tx, accountId: string, view: InboxView): Promise<void> {
  await tx.query(sql`
    update inbox_views set name = ${view.name}, shared = ${view.shared},
      filter = ${view.filter && JSON.stringify(view.filter)}::jsonb, sort = ${view.sort}, place = ${view.order},
      updated_at = ${view.updatedAt}
    where account_id = ${accountId} and id = ${view.id}`);
}

/** The names of shared views are unique in the account, across owners. */
export async function handOverInboxViews(
  tx: Tx,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query(sql`
    update inbox_views set owner_id = ${to} where account_id = ${accountId} and owner_id = ${from} and shared`);
}

export async function deleteInboxView(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from inbox_views where account_id = ${accountId} and id = ${id}`);
}
