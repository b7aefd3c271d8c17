/** Which process polls which channel. */
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Db, Reader } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { isActive } from '../../../platform/jobs/suspended.ts';

const aliveSeconds = 10;

/** Part of a larger statement. No row: it was away for so long that others may have taken its channels. */
export function renewPoller(id: string): Sql {
  return sql`
    update connector_pollers set alive_until = now() + make_interval(secs => ${aliveSeconds}::int)
    where id = ${id}::uuid and alive_until > now() returning id`;
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

/** Channels ch with connectors c that no process polls, or whose process has died. */
const unpolled = sql`connectors c
  join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
  where c.polls and c.state = 'connected' and ch.enabled and ${isActive(sql`c.account_id`)} and (c.poller is null or not exists (
    select from connector_pollers p where p.id = c.poller and p.alive_until > now()))
    and ${isServedHere(sql`c.account_id`)}`;

/** One statement for all channels. */
export async function claimPolls(db: Db, poller: string, limit: number): Promise<Polled[]> {
  return db.autocommit<Polled>(sql`
    with free as (
      select c.account_id, c.channel_id from ${unpolled}
      limit ${limit} for update of c skip locked)
    update connectors c set poller = ${poller} from free
    where c.account_id = free.account_id and c.channel_id = free.channel_id
    returning c.account_id as "accountId", c.channel_id as "channelId", c.version, c.poll_cursor as "cursor",
      c.last_error is not null as "hasError"`);
}

const isPolledBy = (poller: string) => sql`connectors c
  join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
  where c.poller = ${poller}::uuid and c.polls and c.state = 'connected' and ch.enabled
    and ${isActive(sql`c.account_id`)} and ${isServedHere(sql`c.account_id`)}`;

export interface PollSum {
  /** These change if one of its channels was taken away or changed. */
  count: number;
  versions: number;
  isAnyUnpolled: boolean;
}

/** An expression. */
export function sumPolls(poller: string): Sql {
  return sql`(
    select jsonb_build_object('count', count(*), 'versions', coalesce(sum(c.version), 0)::bigint,
      'isAnyUnpolled', exists (select from ${unpolled})) from ${isPolledBy(poller)})`;
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
