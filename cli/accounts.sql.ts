import { isNotElsewhere } from '../server/platform/cells/move/served-here.ts';
import type { Reader } from '../server/platform/db/db.ts';
import { sql } from '../server/platform/db/sql.ts';

export interface AccountName {
  id: string;
  name: string;
}

export async function selectAccountNames(db: Reader, limit: number): Promise<AccountName[]> {
  return db.query<AccountName>(sql`
    select id, name from accounts where ${isNotElsewhere(sql`accounts.id`)} order by created_at, id limit ${limit}`);
}

export async function selectAccountsNamed(db: Reader, idOrName: string): Promise<AccountName[]> {
  return db.query<AccountName>(
    sql`
    select id, name from accounts
    where (id::text = ${idOrName} or name = ${idOrName}) and ${isNotElsewhere(sql`accounts.id`)} order by created_at, id`,
  );
}
