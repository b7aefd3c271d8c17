/** Templates, as the provider of a channel listed them last. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { empty, sql } from '../../../platform/db/sql.ts';
import type { ProviderTemplate } from '../connectors.provider.ts';

const columns = sql`name, language, category, status, text, parameter_count as "parameterCount"`;

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
    insert into connector_templates (account_id, channel_id, name, language, category, status, text, parameter_count)
    select ${accountId}::uuid, ${channelId}::uuid, t.name, t.language, t.category, t.status, t.text, t.parameter_count
    from unnest(${templates.map((one) => one.name)}::text[], ${templates.map((one) => one.language)}::text[],
      ${templates.map((one) => one.category)}::text[], ${templates.map((one) => one.status)}::text[],
      ${templates.map((one) => one.text)}::text[], ${templates.map((one) => one.parameterCount)}::int[])
      as t (name, language, category, status, text, parameter_count)
    on conflict do nothing`);
}

/** Another kind of connector has other templates. */
export async function deleteTemplates(tx: Tx, accountId: string, channelId: string): Promise<void> {
  await tx.query(sql`
    delete from connector_templates where account_id = ${accountId} and channel_id = ${channelId}`);
}
