/** Reads of whole cells, page by page, for the repair of the directory. */
import type { Reader, Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { isNotElsewhere } from './move/served-here.ts';

const pageSize = 5_000;
/** A page of a large table on a busy server. */
const slow = { timeoutMs: 60_000 };
const lowest = '00000000-0000-0000-0000-000000000000';

export interface UserEmail {
  email: string;
  accountId: string;
}

export async function* accountPages(db: Reader): AsyncGenerator<string[]> {
  for (let after = lowest; ; ) {
    const rows = await db.query<{ id: string }>(
      sql`select id from accounts where id > ${after} and ${isNotElsewhere(sql`accounts.id`)} order by id limit ${pageSize}`,
      slow,
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.id;
  }
}

export async function* emailPages(db: Reader): AsyncGenerator<UserEmail[]> {
  for (let after = ''; ; ) {
    const rows = await db.query<UserEmail>(
      sql`select email, account_id as "accountId" from users where email > ${after} and ${isNotElsewhere(sql`users.account_id`)} order by email limit ${pageSize}`,
      slow,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.email;
  }
}

export async function* channelPages(db: Reader): AsyncGenerator<{ id: string; accountId: string }[]> {
  for (let after = lowest; ; ) {
    const rows = await db.query<{ id: string; accountId: string }>(
      sql`select id, account_id as "accountId" from channels where id > ${after} and ${isNotElsewhere(sql`channels.account_id`)} order by id limit ${pageSize}`,
      slow,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.id;
  }
}

export interface Slug {
  slug: string;
  accountId: string;
}

/** Of help centers. */
export async function* slugPages(db: Reader): AsyncGenerator<Slug[]> {
  for (let after = ''; ; ) {
    const rows = await db.query<Slug>(
      sql`select slug, account_id as "accountId" from help_slugs where slug > ${after} and ${isNotElsewhere(sql`help_slugs.account_id`)} order by slug limit ${pageSize}`,
      slow,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.slug;
  }
}

/** Entries that are not just being made. */
export async function* listedPages(
  home: Reader,
  olderThanSeconds: number,
): AsyncGenerator<{ accountId: string; cell: string }[]> {
  for (let after = lowest; ; ) {
    const rows = await home.query<{ accountId: string; cell: string }>(
      sql`
        select account_id as "accountId", cell from cell_accounts
        where account_id > ${after} and placed_at < now() - make_interval(secs => ${olderThanSeconds})
        order by account_id limit ${pageSize}`,
      slow,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.accountId;
  }
}

export async function selectListed(home: Reader, ids: string[]): Promise<Map<string, string>> {
  const rows = await home.query<{ id: string; cell: string }>(
    sql`select account_id as id, cell from cell_accounts where account_id = any(${ids}::uuid[])`,
    slow,
  );
  return new Map(rows.map(({ id, cell }) => [id, cell]));
}

export async function selectExisting(db: Reader, ids: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from accounts where id = any(${ids}::uuid[]) and ${isNotElsewhere(sql`accounts.id`)}`,
    slow,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Those that have left this cell, and whose rows are kept for a day. */
export async function selectMoved(db: Reader, ids: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select account_id as id from account_fences where account_id = any(${ids}::uuid[]) and state = 'moved'`,
    slow,
  );
  return new Set(rows.map(({ id }) => id));
}

/** PostgreSQL's text form keeps what a number of milliseconds would cut off. */
export async function readTime(db: Reader): Promise<string> {
  const [row] = await db.query<{ now: string }>(sql`select clock_timestamp()::text as now`);
  return row!.now;
}

/** Of these accounts, those that are being moved, or whose move has ended since. */
export async function selectMovedSince(
  home: Reader,
  ids: readonly string[],
  since: string,
): Promise<Set<string>> {
  const rows = await home.query<{ id: string }>(sql`
    select distinct account_id as id from account_moves
    where account_id = any(${ids}::uuid[]) and (ended_at is null or ended_at >= ${since}::timestamptz)`);
  return new Set(rows.map(({ id }) => id));
}

/** No move begins, goes on or ends before this transaction does. */
export async function lockMoves(tx: Tx): Promise<void> {
  await tx.query(sql`lock table account_moves in share mode`);
}

/** Of these users of another cell, those whose address is not noted, or is another user's. */
export async function selectUnclaimed(
  home: Reader,
  users: readonly UserEmail[],
): Promise<(UserEmail & { listed: string | null })[]> {
  return home.query(
    sql`
      select u.email, u.account_id as "accountId", coalesce(h.account_id, e.account_id) as listed
      from unnest(${users.map(({ email }) => email)}::text[], ${users.map(({ accountId }) => accountId)}::uuid[])
        as u (email, account_id)
      left join cell_emails e on e.email = u.email
      left join users h on h.email = u.email and h.account_id <> u.account_id
      where h.account_id is not null or e.account_id is distinct from u.account_id`,
    slow,
  );
}

export async function selectUnnoted(
  home: Reader,
  channels: readonly { id: string; accountId: string }[],
): Promise<{ id: string; accountId: string }[]> {
  return home.query(
    sql`
      select c.id, c.account_id as "accountId"
      from unnest(${channels.map(({ id }) => id)}::uuid[], ${channels.map(({ accountId }) => accountId)}::uuid[])
        as c (id, account_id)
      left join cell_channels n on n.channel_id = c.id
      where n.account_id is distinct from c.account_id`,
    slow,
  );
}

/** Of these slugs of another cell, those that are not noted, or are another account's. */
export async function selectUnclaimedSlugs(
  home: Reader,
  slugs: readonly Slug[],
): Promise<(Slug & { listed: string | null })[]> {
  return home.query(
    sql`
      select s.slug, s.account_id as "accountId", coalesce(h.account_id, c.account_id) as listed
      from unnest(${slugs.map(({ slug }) => slug)}::text[], ${slugs.map(({ accountId }) => accountId)}::uuid[])
        as s (slug, account_id)
      left join cell_slugs c on c.slug = s.slug
      left join help_slugs h on h.slug = s.slug and h.account_id <> s.account_id
      where h.account_id is not null or c.account_id is distinct from s.account_id`,
    slow,
  );
}

export async function saveSlug(tx: Tx, { slug, accountId }: Slug): Promise<void> {
  await tx.query(sql`
    insert into cell_slugs (slug, account_id) values (${slug}, ${accountId}) on conflict (slug) do nothing`);
}

/** Entries that are not just being made. */
export async function* claimedSlugPages(home: Reader, olderThanSeconds: number): AsyncGenerator<Slug[]> {
  for (let after = ''; ; ) {
    const rows = await home.query<Slug>(
      sql`
        select slug, account_id as "accountId" from cell_slugs
        where slug > ${after} and claimed_at < now() - make_interval(secs => ${olderThanSeconds})
        order by slug limit ${pageSize}`,
      slow,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.slug;
  }
}

export async function selectUsedSlugs(db: Reader, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ slug: string }>(
    sql`select slug from help_slugs where slug = any(${slugs}::text[])`,
    slow,
  );
  return new Set(rows.map(({ slug }) => slug));
}

/** Unless it was claimed again meanwhile. */
export async function releaseSlug(
  tx: Tx,
  { slug, accountId }: Slug,
  olderThanSeconds: number,
): Promise<void> {
  await tx.query(sql`
    delete from cell_slugs where slug = ${slug} and account_id = ${accountId}
      and claimed_at < now() - make_interval(secs => ${olderThanSeconds})`);
}

/** With the time of now: running processes follow. */
export async function listAccount(tx: Tx, accountId: string, cell: string): Promise<void> {
  await tx.query(sql`
    insert into cell_accounts (account_id, cell) values (${accountId}, ${cell})
    on conflict (account_id) do update set cell = excluded.cell, placed_at = now(), reserved_at = null`);
}

export async function unlistAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from cell_accounts where account_id = ${accountId}`);
}

export async function saveEmail(tx: Tx, { email, accountId }: UserEmail): Promise<void> {
  await tx.query(sql`
    insert into cell_emails (email, account_id) values (${email}, ${accountId})
    on conflict (email) do update set account_id = excluded.account_id, claimed_at = now()`);
}

export async function saveChannel(tx: Tx, channel: { id: string; accountId: string }): Promise<void> {
  await tx.query(sql`
    insert into cell_channels (channel_id, account_id) values (${channel.id}, ${channel.accountId})
    on conflict (channel_id) do update set account_id = excluded.account_id`);
}
