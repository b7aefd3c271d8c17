import type { HelpCenter } from '../../../contract/help-center.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { isActive } from '../../platform/jobs/suspended.ts';

const columns = sql`h.enabled, h.slug, h.name, h.color, h.logo_file_key as "logoFileKey", h.languages,
  h.home_text as "homeText", h.home_texts as "homeTexts",
  (select c.id from channels c where c.account_id = h.account_id and c.id = h.contact_channel_id) as "contactChannelId"`;

/** A help center as everyone may see it. */
export interface Site extends HelpCenter {
  accountId: string;
  slug: string;
}

/** Null: nothing was ever set. */
export async function findHelpCenter(db: Reader, accountId: string): Promise<HelpCenter | null> {
  const [row] = await db.query<HelpCenter>(sql`
    select ${columns} from help_centers h where h.account_id = ${accountId}`);
  return row ?? null;
}

export async function findSite(db: Reader, slug: string): Promise<Site | null> {
  const [row] = await db.query<Site>(sql`
    select h.account_id as "accountId", ${columns}
    from help_slugs s join help_centers h on h.account_id = s.account_id and h.slug = s.slug
    where s.slug = ${slug} and h.enabled and ${isActive(sql`h.account_id`)}`);
  return row ?? null;
}

/** Null: it is off. */
export async function findSiteOfAccount(db: Reader, accountId: string): Promise<Site | null> {
  const [row] = await db.query<Site>(sql`
    select h.account_id as "accountId", ${columns} from help_centers h
    where h.account_id = ${accountId} and h.enabled and h.slug is not null`);
  return row ?? null;
}

export async function saveHelpCenter(
  tx: Tx,
  accountId: string,
  { enabled, slug, name, color, logoFileKey, languages, homeText, homeTexts, contactChannelId }: HelpCenter,
  now: number,
): Promise<void> {
  await tx.query(sql`
    insert into help_centers (account_id, enabled, slug, name, color, logo_file_key, languages, home_text,
      home_texts, contact_channel_id, updated_at)
    values (${accountId}, ${enabled}, ${slug}, ${name}, ${color}, ${logoFileKey}, ${languages}::text[], ${homeText},
      ${JSON.stringify(homeTexts)}::jsonb, ${contactChannelId}, ${now})
    on conflict (account_id) do update set enabled = excluded.enabled, slug = excluded.slug, name = excluded.name,
      color = excluded.color, logo_file_key = excluded.logo_file_key, languages = excluded.languages,
      home_text = excluded.home_text, home_texts = excluded.home_texts,
      contact_channel_id = excluded.contact_channel_id, updated_at = excluded.updated_at`);
}

/** Returns the key of its logo, if it has one. */
export async function deleteHelpCenter(tx: Tx, accountId: string, slug: string): Promise<string[]> {
  const rows = await tx.query<{ logoFileKey: string | null }>(sql`
    delete from help_centers where account_id = ${accountId} and slug = ${slug}
    returning logo_file_key as "logoFileKey"`);
  return rows.flatMap(({ logoFileKey }) => logoFileKey ?? []);
}

export async function countOtherSlugs(tx: Tx, accountId: string, slug: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from help_slugs where account_id = ${accountId} and slug <> ${slug}`);
  return row!.count;
}

/** False: another account has it, or had it. */
export async function takeSlug(tx: Tx, accountId: string, slug: string): Promise<boolean> {
  await tx.query(sql`
    insert into help_slugs (account_id, slug) values (${accountId}, ${slug}) on conflict do nothing`);
  const rows = await tx.query(sql`
    select from help_slugs where account_id = ${accountId} and slug = ${slug}`);
  return rows.length > 0;
}
