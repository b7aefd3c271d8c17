import type { Webhook } from '../../../contract/webhooks.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Filters } from './webhooks.filters.ts';

/** For statements over all deliveries of a webhook: a log of 200,000 took 20 s on a busy machine. */
const long = { timeoutMs: 60_000 };

interface WebhookRow {
  id: string;
  url: string;
  description: string;
  events: string[];
  kanban_ids: string[];
  field_ids: string[];
  enabled: boolean;
  disabled_reason: string | null;
  disabled_at: number | null;
  created_at: number;
  updated_at: number;
}

const columns = sql`id, url, description, events, kanban_ids::text[], field_ids, enabled, disabled_reason, disabled_at,
  created_at, updated_at`;

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    kanbanIds: row.kanban_ids,
    fieldIds: row.field_ids,
    description: row.description,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function insertWebhook(
  tx: Tx,
  accountId: string,
  webhook: Webhook,
  sealedSecret: string,
): Promise<void> {
  await tx.query(sql`
    insert into webhooks (account_id, id, kind, url, description, events, kanban_ids, field_ids, enabled,
      disabled_reason, disabled_at, secret, healthy_at, created_at, updated_at)
    values (${accountId}, ${webhook.id}, 'webhook', ${webhook.url}, ${webhook.description}, ${webhook.events},
      ${webhook.kanbanIds}::uuid[], ${webhook.fieldIds}, ${webhook.enabled}, ${webhook.disabledReason},
      ${webhook.disabledAt}, ${sealedSecret}, ${webhook.createdAt}, ${webhook.createdAt}, ${webhook.createdAt})`);
}

export async function insertFilters(
  tx: Tx,
  accountId: string,
  webhookId: string,
  filters: Filters,
  since: number,
): Promise<void> {
  await tx.query(sql`
    insert into webhook_filters (account_id, webhook_id, since, events, kanban_ids, field_ids)
    values (${accountId}, ${webhookId}, ${since}, ${filters.events}, ${filters.kanbanIds}::uuid[], ${filters.fieldIds})
    on conflict (account_id, webhook_id, since) do update
      set events = excluded.events, kanban_ids = excluded.kanban_ids, field_ids = excluded.field_ids`);
}

export async function findWebhook(db: Reader, accountId: string, id: string): Promise<Webhook | null> {
  const [row] = await db.query<WebhookRow>(sql`
    select ${columns} from webhooks where account_id = ${accountId} and id = ${id} and kind = 'webhook'`);
  return row ? toWebhook(row) : null;
}

/** Creates of records continue meanwhile: their deliveries refer to the row's key, which never changes. */
export async function lockWebhook(tx: Tx, accountId: string, id: string): Promise<Webhook | null> {
  const [row] = await tx.query<WebhookRow>(sql`
    select ${columns} from webhooks where account_id = ${accountId} and id = ${id} and kind = 'webhook'
    for no key update`);
  return row ? toWebhook(row) : null;
}

export async function selectWebhooks(
  db: Reader,
  accountId: string,
  before: string | null,
  limit: number,
): Promise<Webhook[]> {
  const rows = await db.query<WebhookRow>(sql`
    select ${columns} from webhooks
    where account_id = ${accountId} and kind = 'webhook' and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`);
  return rows.map(toWebhook);
}

export async function updateWebhook(
  tx: Tx,
  accountId: string,
  webhook: Webhook,
  healthyAt: number | null,
): Promise<void> {
  await tx.query(sql`
    update webhooks set url = ${webhook.url}, description = ${webhook.description}, events = ${webhook.events},
      kanban_ids = ${webhook.kanbanIds}::uuid[], field_ids = ${webhook.fieldIds}, enabled = ${webhook.enabled},
      disabled_reason = ${webhook.disabledReason}, disabled_at = ${webhook.disabledAt},
      healthy_at = coalesce(${healthyAt}, healthy_at), updated_at = ${webhook.updatedAt}
    where account_id = ${accountId} and id = ${webhook.id}`);
}

export async function deleteWebhook(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from webhooks where account_id = ${accountId} and id = ${id}`, long);
}

/** Waiting deliveries are held for a replay. A claimed delivery is held when its attempt is over. */
export async function holdDeliveries(tx: Tx, accountId: string, webhookId: string): Promise<void> {
  await tx.query(
    sql`
    update webhook_deliveries set status = 'held'
    where account_id = ${accountId} and webhook_id = ${webhookId} and status in ('pending', 'retrying')
      and lease_token is null and not forced`,
    long,
  );
}
