import type { Macro } from '../../../contract/macros.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

/** No other advisory lock has this number. */
const lockKey = 7231011;
const columns = sql`id, name, shared, owner_id as "ownerId", steps, created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function selectMacros(db: Reader, accountId: string, userId: string): Promise<Macro[]> {
  return db.query<Macro>(sql`
    select ${columns} from macros
    where account_id = ${accountId} and (shared or owner_id = ${userId}) order by name, id`);
}

export async function findMacro(db: Reader, accountId: string, id: string): Promise<Macro | null> {
  const [row] = await db.query<Macro>(
    sql`select ${columns} from macros where account_id = ${accountId} and id = ${id}`,
  );
  return row ?? null;
}

export async function lockMacro(tx: Tx, accountId: string, id: string): Promise<Macro | null> {
  const [row] = await tx.query<Macro>(
    sql`select ${columns} from macros where account_id = ${accountId} and id = ${id} for update`,
  );
  return row ?? null;
}

/** Creates of an account wait for each other until the transaction ends, so that none is counted too late. */
export async function countMacrosLocked(tx: Tx, accountId: string): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(${lockKey}, hashtext(${accountId}::text))`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from macros where account_id = ${accountId}`);
  return row!.count;
}

export async function insertMacro(tx: Tx, accountId: string, macro: Macro): Promise<void> {
  await tx.query(sql`
    insert into macros (account_id, id, owner_id, name, shared, steps, created_at, updated_at)
    values (${accountId}, ${macro.id}, ${macro.ownerId}, ${macro.name}, ${macro.shared},
      ${JSON.stringify(macro.steps)}, ${macro.createdAt}, ${macro.updatedAt})`);
}

export async function updateMacro(tx: Tx, accountId: string, macro: Macro): Promise<void> {
  await tx.query(sql`
    update macros set name = ${macro.name}, shared = ${macro.shared}, steps = ${JSON.stringify(macro.steps)},
      updated_at = ${macro.updatedAt}
    where account_id = ${accountId} and id = ${macro.id}`);
}

/** The names of shared macros are unique in the account, across owners. */
export async function handOverMacros(
  tx: Tx,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query(sql`
    update macros set owner_id = ${to} where account_id = ${accountId} and owner_id = ${from} and shared`);
}

export async function deleteMacro(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from macros where account_id = ${accountId} and id = ${id}`);
}
