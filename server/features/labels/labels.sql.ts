import type { Label } from '../../../contract/labels.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, name, color, description, created_at as "createdAt", updated_at as "updatedAt"`;

export async function selectLabels(db: Reader, accountId: string): Promise<Label[]> {
  return db.query<Label>(sql`
    select ${columns} from labels where account_id = ${accountId} order by lower(name), id`);
}

export async function findLabel(db: Reader, accountId: string, id: string): Promise<Label | null> {
  const [row] = await db.query<Label>(sql`
    select ${columns} from labels where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

/** Until the transaction ends they cannot be deleted, so that the job of a deletion finds everything that has them. */
export async function lockLabels(tx: Tx, accountId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from labels where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for key share`);
  return new Set(rows.map((row) => row.id));
}

export async function countLabels(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from labels where account_id = ${accountId}`);
  return row!.count;
}

export async function insertLabel(tx: Tx, accountId: string, label: Label): Promise<void> {
  await tx.query(sql`
    insert into labels (account_id, id, name, color, description, created_at, updated_at)
    values (${accountId}, ${label.id}, ${label.name}, ${label.color}, ${label.description}, ${label.createdAt},
      ${label.updatedAt})`);
}

export async function updateLabel(tx: Tx, accountId: string, label: Label): Promise<void> {
  await tx.query(sql`
    update labels set name = ${label.name}, color = ${label.color}, description = ${label.description},
      updated_at = ${label.updatedAt}
    where account_id = ${accountId} and id = ${label.id}`);
}

export async function deleteLabels(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from labels where account_id = ${accountId} and id = any(${ids}::uuid[])`);
}
