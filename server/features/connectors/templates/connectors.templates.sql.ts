/** Templates, as the provider of a channel listed them last. */
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { empty, sql } from '../../../platform/db/sql.ts';
import type { ProviderTemplate } from '../connectors.provider.ts';

const columns = sql`name, language, category, status, text, parameter_count as "parameterCount", placements, unsupported`;

export async function selectTemplates(
  db: Reader,
  accountId: string,
  channelId: string,
  after: { name: string; language: string } | null,
  limit: number,
): Promise<ProviderTemplate[]> {
  return db.query<ProviderTemplate>(sql`
    select ${columns} from connector_templates
    where account_id = ${accountId} and channel_id = ${channelId}
      ${after ? sql`and (name, language) > (${after.name}, ${after.language})` : empty}
    order by name, language limit ${limit}`);
}

export async function findTemplate(
  db: Reader,
  accountId: string,
  channelId: string,
  { name, language }: { name: string; language: string },
): Promise<ProviderTemplate | null> {
  const [row] = await db.query<ProviderTemplate>(sql`
    select ${columns} from connector_templates
    where account_id = ${accountId} and channel_id = ${channelId} and name = ${name} and language = ${language}`);
  return row ?? null;
}

/** Whether any channel of the account can send it with so many parameters. */
export async function hasApprovedTemplate(
  db: Reader,
  accountId: string,
  { name, language, parameters }: { name: string; language: string; parameters: readonly string[] },
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from connector_templates
    where account_id = ${accountId} and name = ${name} and language = ${language} and upper(status) = 'APPROVED'
      and unsupported is null and parameter_count = ${parameters.length}
    limit 1`);
  return rows.length > 0;
}

/** When they were read from the provider; null: never, or there is no connector. */
export async function findTemplatesTime(
  db: Reader,
  accountId: string,
  channelId: string,
): Promise<number | null> {
  const [row] = await db.query<{ at: number | null }>(sql`
    select templates_at as at from connectors where account_id = ${accountId} and channel_id = ${channelId}`);
  return row?.at ?? null;
}

/** True for one caller of all processes: the list is older than that, and no process has tried to read it since. */
export async function claimTemplatesRetry(
  db: Db,
  accountId: string,
  channelId: string,
  { now, olderThanMs }: { now: number; olderThanMs: number },
): Promise<boolean> {
  const before = now - olderThanMs;
  const rows = await db.autocommit(sql`
    update connectors set templates_retried_at = ${now}
    where account_id = ${accountId} and channel_id = ${channelId}
      and coalesce(templates_at, 0) <= ${before} and coalesce(templates_retried_at, 0) <= ${before}
    returning 1`);
  return rows.length > 0;
}

/** False: the connector has changed since. The row's lock lets one list after the other be written. */
export async function markTemplatesRead(
  tx: Tx,
  accountId: string,
  { channelId, version }: { channelId: string; version: number },
  readAt: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update connectors set templates_at = ${readAt}
    where account_id = ${accountId} and channel_id = ${channelId} and version = ${version}
      and (templates_at is null or templates_at <= ${readAt})
    returning 1`);
  return rows.length > 0;
}

export async function replaceTemplates(
  tx: Tx,
  accountId: string,
  channelId: string,
  templates: readonly ProviderTemplate[],
): Promise<void> {
  await deleteTemplates(tx, accountId, channelId);
  await tx.query(sql`
    insert into connector_templates (account_id, channel_id, name, language, category, status, text, parameter_count,
      placements, unsupported)
    select ${accountId}::uuid, ${channelId}::uuid, t.name, t.language, t.category, t.status, t.text, t.parameter_count,
      t.placements::jsonb, t.unsupported
    from unnest(${templates.map((one) => one.name)}::text[], ${templates.map((one) => one.language)}::text[],
      ${templates.map((one) => one.category)}::text[], ${templates.map((one) => one.status)}::text[],
      ${templates.map((one) => one.text)}::text[], ${templates.map((one) => one.parameterCount)}::int[],
      ${templates.map(({ placements }) => (placements ? JSON.stringify(placements) : null))}::text[],
      ${templates.map((one) => one.unsupported ?? null)}::text[])
      as t (name, language, category, status, text, parameter_count, placements, unsupported)
    on conflict do nothing`);
}

/** Another kind of connector has other templates. */
export async function deleteTemplates(tx: Tx, accountId: string, channelId: string): Promise<void> {
  await tx.query(sql`
    delete from connector_templates where account_id = ${accountId} and channel_id = ${channelId}`);
}
