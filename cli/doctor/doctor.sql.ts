import type { Reader } from '../../server/platform/db/db.ts';
import { sql } from '../../server/platform/db/sql.ts';

export async function selectServerVersion(db: Reader): Promise<{ text: string; major: number }> {
  const [row] = await db.query<{ text: string; number: string }>(
    sql`select current_setting('server_version') as text, current_setting('server_version_num') as number`,
  );
  return { text: row!.text, major: Math.floor(Number(row!.number) / 10_000) };
}
