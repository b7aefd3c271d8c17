/** Pages of conversations that conditions find. */
import type { Reader } from '../../platform/db/db.ts';
import { empty, sql, unnamed } from '../../platform/db/sql.ts';
import type { ConversationsWhere } from './conditions.where.sql.ts';

export interface PossibleSession {
  sessionId: string;
  isCertain: boolean;
}

/** In the order of their ids, which messages do not change. `visible`: boards; null: all. */
export async function selectPossible(
  db: Reader,
  accountId: string,
  visible: readonly string[] | null,
  { possible, certain, isExact }: ConversationsWhere,
  after: string,
  limit: number,
): Promise<PossibleSession[]> {
  return db.query<PossibleSession>(
    unnamed(sql`
      select s.session_id as "sessionId", ${isExact ? sql`true` : sql`(${certain}) is true`} as "isCertain"
      from sessions s
      where s.account_id = ${accountId} and s.session_id > ${after} and ${possible}
        ${visible === null ? empty : sql`and s.kanban_id = any(${visible}::uuid[])`}
      order by s.session_id limit ${limit}`),
    { timeoutMs: 30_000 },
  );
}
