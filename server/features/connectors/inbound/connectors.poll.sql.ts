/** Which process polls which channel. */
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Db, Reader } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { isActive } from '../../../platform/jobs/suspended.ts';

const aliveSeconds = 10;

/** False: it was away for so long that others may have taken its channels. */
export async function renewPoller(db: Db, id: string): Promise<boolean> {
  const rows = await db.autocommit(sql`
    update connector_pollers set alive_until = now() + make_interval(secs => ${aliveSeconds}::int)
    where id = ${id} and alive_until > now() returning 1`);
  return rows.length > 0;
}

export async function insertPoller(db: Db, id: string): Promise<void> {
  await db.autocommit(sql`
    insert into connector_pollers (id, alive_until)
    values (${id}, now() + make_interval(secs => ${aliveSeconds}::int))`);
}

/** Its channels are free at once. */
export async function deletePoller(db: Db, id: string): Promise<void> {
  await db.autocommit(sql`delete from connector_pollers where id = ${id}`);
}

export interface Polled {
  accountId: string;
  channelId: string;
  version: number;
  cursor: string | null;
  /** The process before this one left an error. */
  hasError: boolean;
}

/** Those that nobody polls, or whose process has died. One statement for all channels. */
export async function claimPolls(db: Db, poller: string, limit: number): Promise<Polled[]> {
  return db.autocommit<Polled>(sql`
    with free as (
      select c.account_id, c.channel_id from connectors c
      join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
      where c.polls and c.state = 'connected' and ch.enabled and ${isActive(sql`c.account_id`)} and (c.poller is null or not exists (
        select from connector_pollers p where p.id = c.poller and p.alive_until > now()))
        and ${isServedHere(sql`c.account_id`)}
      limit ${limit} for update of c skip locked)
    update connectors c set poller = ${poller} from free
    where c.account_id = free.account_id and c.channel_id = free.channel_id
    returning c.account_id as "accountId", c.channel_id as "channelId", c.version, c.poll_cursor as "cursor",
      c.last_error is not null as "hasError"`);
}

const isPolledBy = (poller: string) => sql`connectors c
  join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
  where c.poller = ${poller} and c.polls and c.state = 'connected' and ch.enabled
    and ${isActive(sql`c.account_id`)} and ${isServedHere(sql`c.account_id`)}`;

/** Changes if one of them was taken away or changed. */
export async function sumPolls(db: Reader, poller: string): Promise<{ count: number; versions: number }> {
  const [row] = await db.query<{ count: number; versions: number }>(sql`
    select count(*)::int as count, coalesce(sum(c.version), 0)::bigint as versions from ${isPolledBy(poller)}`);
  return row!;
}

export async function selectPolls(
  db: Reader,
  poller: string,
): Promise<Pick<Polled, 'channelId' | 'version'>[]> {
  return db.query<Pick<Polled, 'channelId' | 'version'>>(
    sql`select c.channel_id as "channelId", c.version from ${isPolledBy(poller)}`,
  );
}

/** Null clears it. The state stays: polling goes on. */
export async function setPollError(
  db: Db,
  accountId: string,
  { channelId, version, poller }: { channelId: string; version: number; poller: string },
  lastError: string | null,
): Promise<void> {
  await db.autocommit(sql`
    update connectors set last_error = ${lastError}
    where account_id = ${accountId} and channel_id = ${channelId} and version = ${version} and poller = ${poller}
      and state = 'connected' and last_error is distinct from ${lastError}`);
}

export async function freePolls(db: Db, poller: string, channelIds: readonly string[]): Promise<void> {
  await db.autocommit(sql`
    update connectors set poller = null where poller = ${poller} and channel_id = any(${channelIds}::uuid[])`);
}
