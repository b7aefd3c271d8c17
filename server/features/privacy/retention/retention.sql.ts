/** How long each account keeps its data, and what is older. */
import type { RetentionPreview } from '../../../../contract/retention.ts';
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface RetentionRow {
  messageDays: number | null;
  fileDays: number | null;
  auditDays: number | null;
  replyLogDays: number | null;
  lastRunAt: number | null;
  removed: Record<string, number>;
}

const columns = sql`message_days as "messageDays", file_days as "fileDays", audit_days as "auditDays",
  reply_log_days as "replyLogDays", ran_at as "lastRunAt", removed`;

export async function findRetention(db: Reader, accountId: string): Promise<RetentionRow | null> {
  const [row] = await db.query<RetentionRow>(
    sql`select ${columns} from retention where account_id = ${accountId}`,
  );
  return row ?? null;
}

export async function saveRetention(
  tx: Tx,
  accountId: string,
  { messageDays, fileDays, auditDays, replyLogDays }: Omit<RetentionRow, 'lastRunAt' | 'removed'>,
): Promise<void> {
  await tx.query(sql`
    insert into retention (account_id, message_days, file_days, audit_days, reply_log_days)
    values (${accountId}, ${messageDays}, ${fileDays}, ${auditDays}, ${replyLogDays})
    on conflict (account_id) do update set message_days = excluded.message_days, file_days = excluded.file_days,
      audit_days = excluded.audit_days, reply_log_days = excluded.reply_log_days`);
}

export async function saveRun(
  tx: Tx,
  accountId: string,
  now: number,
  removed: Readonly<Record<string, number>>,
): Promise<void> {
  await tx.query(sql`
    update retention set ran_at = ${now}, removed = ${JSON.stringify(removed)}::jsonb where account_id = ${accountId}`);
}

/** Accounts whose last run is older. */
export async function selectDue(db: Reader, before: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select account_id as id from retention
    where (ran_at is null or ran_at < ${before})
      and coalesce(message_days, file_days, audit_days, reply_log_days) is not null
      and ${isServedHere(sql`retention.account_id`)}`);
  return rows.map(({ id }) => id);
}

/** What is older than each of these; null: nothing of it. Ids are in the order of time. */
export interface Bounds {
  messages: string | null;
  files: string | null;
  events: number;
  audit: string | null;
  replyLog: string | null;
}

/** Each count stops at `cap`. */
export async function countOlder(
  db: Reader,
  accountId: string,
  bounds: Bounds,
  cap: number,
): Promise<Omit<RetentionPreview, 'countedUpTo'>> {
  const { messages, files, events, audit, replyLog } = bounds;
  const [row] = await db.query<Omit<RetentionPreview, 'countedUpTo'>>(
    sql`
    select
      (select count(*)::int from (select from messages
        where account_id = ${accountId} and id < ${messages}::uuid limit ${cap}) m) as messages,
      (select count(*)::int from (select from sessions s
        where s.account_id = ${accountId}
          and exists (select from messages m where m.account_id = s.account_id and m.session_id = s.session_id
            and m.id < ${messages}::uuid)
          and not exists (select from messages m where m.account_id = s.account_id and m.session_id = s.session_id
            and m.id >= ${messages}::uuid) limit ${cap}) s) as conversations,
      (select count(*)::int from (select from attachments
        where account_id = ${accountId} and derived_from is null and used_at is not null and state = 'stored'
          and file_key < greatest(${files}::uuid, ${messages}::uuid) limit ${cap}) f) as files,
      (select count(*)::int from (select from events
        where account_id = ${accountId} and created_at < ${events} limit ${cap}) e) as events,
      (select count(*)::int from (select from audit_log
        where account_id = ${accountId} and id < ${audit}::uuid limit ${cap}) a) as "auditEntries",
      (select count(*)::int from (select from reply_log
        where account_id = ${accountId} and id < ${replyLog}::uuid limit ${cap}) r) as "replyLogs"`,
    { timeoutMs: 60_000 },
  );
  return row!;
}
