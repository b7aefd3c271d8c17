import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';

export interface EndpointId {
  accountId: string;
  webhookId: string;
}

/**
 * Endpoints without a success since then that have exhausted an event after their last one. `next_attempt_at` of an
 * exhausted delivery is the moment of its last attempt.
 */
export async function selectFailingEndpoints(
  db: Reader,
  since: number,
  only?: EndpointId,
): Promise<EndpointId[]> {
  return db.query<EndpointId>(sql`
    select w.account_id as "accountId", w.id as "webhookId" from webhooks w
    where w.enabled and w.healthy_at <= ${since} and ${isServedHere(sql`w.account_id`)}
      ${only ? sql`and w.account_id = ${only.accountId} and w.id = ${only.webhookId}` : empty}
      and exists (
        select from webhook_deliveries d
        where d.account_id = w.account_id and d.webhook_id = w.id and d.status = 'exhausted'
          and d.next_attempt_at > to_timestamp(w.healthy_at / 1000.0))`);
}

/** False: it was already disabled, or has succeeded after all. */
export async function disableEndpoint(
  tx: Tx,
  { accountId, webhookId }: EndpointId,
  now: number,
  reason: string,
  healthyUntil: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update webhooks set enabled = false, disabled_reason = ${reason}, disabled_at = ${now}, updated_at = ${now}
    where account_id = ${accountId} and id = ${webhookId} and enabled and healthy_at <= ${healthyUntil}
    returning 1`);
  return rows.length > 0;
}

export interface Success extends EndpointId {
  at: number;
}

/** The time of the last success need not be exact: a minute is irrelevant in 120 hours, and saves row versions. */
export const healthyEveryMs = 60_000;

export async function noteSuccesses(db: Db, successes: readonly Success[]): Promise<void> {
  await db.autocommit(sql`
    update webhooks w set healthy_at = s.at
    from unnest(${successes.map((s) => s.accountId)}::uuid[], ${successes.map((s) => s.webhookId)}::uuid[],
      ${successes.map((s) => s.at)}::bigint[]) as s (account_id, webhook_id, at)
    where w.account_id = s.account_id and w.id = s.webhook_id and w.healthy_at < s.at - ${healthyEveryMs}`);
}
