import type { Reader } from '../server/platform/db/db.ts';
import { sql } from '../server/platform/db/sql.ts';

export interface AccountName {
  id: string;
  name: string;
}

export async function selectAccountNames(db: Reader, limit: number): Promise<AccountName[]> {
  return db.query<AccountName>(sql`select id, name from accounts order by created_at, id limit ${limit}`);
}

export async function selectAccountsNamed(db: Reader, idOrName: string): Promise<AccountName[]> {
  return db.query<AccountName>(
    sql`select id, name from accounts where id::text = ${idOrName} or name = ${idOrName} order by created_at, id`,
  );
}
