/** Rules by the token of their hook, and what a payload names. */
import type { HookSubject } from '../../../contract/automation/triggers.ts';
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface Hook {
  accountId: string;
  ruleId: string;
  subject: HookSubject | null;
}

export async function findHook(db: Reader, hash: Buffer): Promise<Hook | null> {
  const [row] = await db.query<Hook>(sql`
    select a.account_id as "accountId", a.id as "ruleId", a.trigger -> 'subject' as subject
    from automations a join accounts c on c.id = a.account_id
    where a.hook_hash = ${hash} and a.enabled and c.suspended_at is null and c.deleting_at is null`);
  return row ?? null;
}

export async function hasSession(db: Reader, accountId: string, sessionId: string): Promise<boolean> {
  const rows = await db.query(
    sql`select from sessions where account_id = ${accountId} and session_id = ${sessionId}`,
  );
  return rows.length > 0;
}

/** The newest record of the board with this value. */
export async function findHookRecord(
  db: Reader,
  accountId: string,
  kanbanId: string,
  fieldId: string,
  value: string,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from records
    where account_id = ${accountId} and kanban_id = ${kanbanId} and custom_fields ->> ${fieldId} = ${value}
    order by created_at desc, id desc limit 1`);
  return row?.id ?? null;
}
