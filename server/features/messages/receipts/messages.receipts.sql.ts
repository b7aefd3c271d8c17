import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';

export type EarlyReceipt =
  | { kind: 'status'; status: MessageStatus; reason?: string }
  | { kind: 'reaction'; action: 'add' | 'remove' | 'upsert'; emoji: string | null };

export async function insertEarlyReceipt(
  tx: Tx,
  accountId: string,
  sessionId: string,
  providerMsgId: string,
  receipt: EarlyReceipt,
  now: number,
): Promise<void> {
  await tx.query(sql`
    insert into early_receipts (account_id, id, session_id, provider_msg_id, receipt, created_at)
    values (${accountId}, ${newId(now)}, ${sessionId}, ${providerMsgId}, ${JSON.stringify(receipt)}, ${now})`);
}

/** In order of arrival; each is taken once. */
export async function takeEarlyReceipts(
  tx: Tx,
  accountId: string,
  sessionId: string,
  providerMsgId: string,
  since: number,
): Promise<EarlyReceipt[]> {
  const rows = await tx.query<{ id: string; receipt: EarlyReceipt; created_at: number }>(sql`
    delete from early_receipts
    where account_id = ${accountId} and session_id = ${sessionId} and provider_msg_id = ${providerMsgId}
    returning id, receipt, created_at`);
  return rows
    .filter((row) => row.created_at >= since)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((row) => row.receipt);
}

export async function pruneEarlyReceipts(db: Db, before: number): Promise<void> {
  await db.transaction((tx) => tx.query(sql`delete from early_receipts where created_at < ${before}`));
}

export async function eraseEarlyReceipts(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
): Promise<void> {
  await tx.query(
    sql`delete from early_receipts where account_id = ${accountId} and session_id = any(${sessionIds})`,
    { timeoutMs: 60_000 },
  );
}
