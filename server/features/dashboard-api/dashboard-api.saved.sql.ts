import type { SavedReply, SavedView } from '../../../contract/dashboard.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

const viewColumns = sql`id, kanban_id as "kanbanId", name, shared, owner_id as "ownerId", settings,
  created_at as "createdAt", updated_at as "updatedAt"`;

export async function selectViews(
  db: Reader,
  accountId: string,
  kanbanId: string,
  userId: string,
): Promise<SavedView[]> {
  return db.query<SavedView>(sql`
    select ${viewColumns} from saved_views
    where account_id = ${accountId} and kanban_id = ${kanbanId} and (shared or owner_id = ${userId})
    order by created_at, id`);
}

export async function lockView(tx: Tx, accountId: string, id: string): Promise<SavedView | null> {
  const [row] = await tx.query<SavedView>(
    sql`select ${viewColumns} from saved_views where account_id = ${accountId} and id = ${id} for update`,
  );
  return row ?? null;
}

export async function insertView(tx: Tx, accountId: string, view: SavedView): Promise<void> {
  await tx.query(sql`
    insert into saved_views (account_id, id, kanban_id, owner_id, name, shared, settings, created_at, updated_at)
    values (${accountId}, ${view.id}, ${view.kanbanId}, ${view.ownerId}, ${view.name}, ${view.shared},
      ${JSON.stringify(view.settings)}, ${view.createdAt}, ${view.updatedAt})`);
}

export async function updateView(tx: Tx, accountId: string, view: SavedView): Promise<void> {
  await tx.query(sql`
    update saved_views set name = ${view.name}, shared = ${view.shared}, settings = ${JSON.stringify(view.settings)},
      updated_at = ${view.updatedAt}
    where account_id = ${accountId} and id = ${view.id}`);
}

export async function deleteView(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from saved_views where account_id = ${accountId} and id = ${id}`);
}

/** What was shared with everyone. */
export async function handOverSaved(
  tx: Tx,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query(sql`
    update saved_views set owner_id = ${to}
    where account_id = ${accountId} and owner_id = ${from} and shared`);
  await tx.query(sql`
    update saved_replies set owner_id = ${to}
    where account_id = ${accountId} and owner_id = ${from} and shared`);
}

const replyColumns = sql`id, name, text, shared, owner_id as "ownerId", created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function selectReplies(db: Reader, accountId: string, userId: string): Promise<SavedReply[]> {
  return db.query<SavedReply>(sql`
    select ${replyColumns} from saved_replies
    where account_id = ${accountId} and (shared or owner_id = ${userId}) order by name, id`);
}

export async function lockReply(tx: Tx, accountId: string, id: string): Promise<SavedReply | null> {
  const [row] = await tx.query<SavedReply>(
    sql`select ${replyColumns} from saved_replies where account_id = ${accountId} and id = ${id} for update`,
  );
  return row ?? null;
}

export async function insertReply(tx: Tx, accountId: string, reply: SavedReply): Promise<void> {
  await tx.query(sql`
    insert into saved_replies (account_id, id, owner_id, name, text, shared, created_at, updated_at)
    values (${accountId}, ${reply.id}, ${reply.ownerId}, ${reply.name}, ${reply.text}, ${reply.shared},
      ${reply.createdAt}, ${reply.updatedAt})`);
}

export async function updateReply(tx: Tx, accountId: string, reply: SavedReply): Promise<void> {
  await tx.query(sql`
    update saved_replies set name = ${reply.name}, text = ${reply.text}, shared = ${reply.shared},
      updated_at = ${reply.updatedAt}
    where account_id = ${accountId} and id = ${reply.id}`);
}

export async function deleteReply(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from saved_replies where account_id = ${accountId} and id = ${id}`);
}
