import type { AccountLimits, AccountWithSettings } from '../../../contract/accounts.ts';
import type { LanguageName } from '../../../contract/limits.ts';
import { isNotElsewhere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

interface AccountRow {
  id: string;
  name: string;
  language: LanguageName;
  reply_takes_over: boolean;
  crm_per_minute: number;
  crm_per_hour: number;
  messages_per_minute: number;
  max_storage_bytes: number;
  ai_replies_per_day: number;
  max_knowledge_documents: number;
  max_knowledge_bytes: number;
}

const columns = sql`id, name, language, reply_takes_over, crm_per_minute, crm_per_hour, messages_per_minute,
  max_storage_bytes, ai_replies_per_day, max_knowledge_documents, max_knowledge_bytes`;

function toAccount(row: AccountRow): AccountWithSettings {
  return {
    id: row.id,
    name: row.name,
    language: row.language,
    replyTakesOver: row.reply_takes_over,
    limits: {
      crmPerMinute: row.crm_per_minute,
      crmPerHour: row.crm_per_hour,
      messagesPerMinute: row.messages_per_minute,
      storageBytes: row.max_storage_bytes,
      aiRepliesPerDay: row.ai_replies_per_day,
      knowledgeDocuments: row.max_knowledge_documents,
      knowledgeBytes: row.max_knowledge_bytes,
    },
  };
}

export async function insertAccount(
  tx: Tx,
  account: { id: string; name: string; language: LanguageName; limits: AccountLimits; now: number },
): Promise<AccountWithSettings> {
  const { id, name, language, limits, now } = account;
  const [row] = await tx.query<AccountRow>(sql`
    insert into accounts (id, name, language, crm_per_minute, crm_per_hour, messages_per_minute, max_storage_bytes,
      ai_replies_per_day, max_knowledge_documents, max_knowledge_bytes, created_at)
    values (${id}, ${name}, ${language}, ${limits.crmPerMinute}, ${limits.crmPerHour}, ${limits.messagesPerMinute},
      ${limits.storageBytes}, ${limits.aiRepliesPerDay}, ${limits.knowledgeDocuments}, ${limits.knowledgeBytes}, ${now})
    returning ${columns}`);
  return toAccount(row!);
}

export async function findAccount(db: Reader, accountId: string): Promise<AccountWithSettings | null> {
  const [row] = await db.query<AccountRow>(sql`
    select ${columns} from accounts where id = ${accountId}`);
  return row ? toAccount(row) : null;
}

export async function selectAccounts(
  db: Reader,
  after: string | null,
  limit: number,
): Promise<AccountWithSettings[]> {
  const rows = await db.query<AccountRow>(sql`
    select ${columns} from accounts
    where (${after}::uuid is null or id > ${after}::uuid) and ${isNotElsewhere(sql`accounts.id`)} order by id limit ${limit}`);
  return rows.map(toAccount);
}

/** At most two: one is the account meant, two are too many. An empty name: any account. */
export async function selectAccountIdsNamed(db: Reader, name: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from accounts where (name = ${name} or ${name === ''}) and ${isNotElsewhere(sql`accounts.id`)} limit 2`,
  );
  return rows.map((row) => row.id);
}

export async function lockAccount(tx: Tx, accountId: string): Promise<AccountWithSettings | null> {
  const [row] = await tx.query<AccountRow>(sql`
    select ${columns} from accounts where id = ${accountId} for update`);
  return row ? toAccount(row) : null;
}

/** Through `lockAccountConfig` only. */
export async function lockDefinitions(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select lock_definitions(${accountId})`);
}

export async function updateAccount(tx: Tx, accountId: string, account: AccountWithSettings): Promise<void> {
  const { name, language, replyTakesOver, limits } = account;
  await tx.query(sql`
    update accounts set name = ${name}, language = ${language}, reply_takes_over = ${replyTakesOver},
      crm_per_minute = ${limits.crmPerMinute}, crm_per_hour = ${limits.crmPerHour},
      messages_per_minute = ${limits.messagesPerMinute}, max_storage_bytes = ${limits.storageBytes},
      ai_replies_per_day = ${limits.aiRepliesPerDay}, max_knowledge_documents = ${limits.knowledgeDocuments},
      max_knowledge_bytes = ${limits.knowledgeBytes}
    where id = ${accountId}`);
}

export async function hasAccounts(db: Reader): Promise<boolean> {
  return (await db.query(sql`select 1 from accounts limit 1`)).length > 0;
}

/** Of two processes that start on an empty database, one waits here until the other has created the first account. */
export async function lockFirstStart(tx: Tx): Promise<{ isFirst: boolean }> {
  await tx.query(sql`select pg_advisory_xact_lock(7231004)`);
  return { isFirst: !(await hasAccounts(tx)) };
}

export async function findWebhookLogDays(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ webhook_log_days: number }>(
    sql`select webhook_log_days from accounts where id = ${accountId}`,
  );
  return row!.webhook_log_days;
}

export async function setWebhookLogDays(tx: Tx, accountId: string, days: number): Promise<void> {
  await tx.query(sql`update accounts set webhook_log_days = ${days} where id = ${accountId}`);
}
