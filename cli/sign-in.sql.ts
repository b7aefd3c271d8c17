import { isNotElsewhere } from '../server/platform/cells/move/served-here.ts';
import type { Reader } from '../server/platform/db/db.ts';
import { sql } from '../server/platform/db/sql.ts';

export async function findUserByEmail(
  db: Reader,
  email: string,
): Promise<{ accountId: string; id: string; name: string } | null> {
  const [user] = await db.query<{ accountId: string; id: string; name: string }>(
    sql`select account_id as "accountId", id, name from users
      where email = ${email} and ${isNotElsewhere(sql`users.account_id`)}`,
  );
  return user ?? null;
}
