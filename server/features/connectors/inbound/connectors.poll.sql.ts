/** Which process polls which channel. */
import { isServedHere, isWritableHere } from '../../../platform/cells/move/served-here.ts';
import type { Db, Reader } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { claimed, hasNoProcess, type LeasedTable } from '../../../platform/jobs/leases.ts';
import { isActive } from '../../../platform/jobs/suspended.ts';

/** A channel has its process for as long as it is polled, not for one poll. */
export const pollTable: LeasedTable = {
  name: sql`connectors`,
  holder: sql`poller`,
  isHeld: sql`t.poller is not null`,
  whenClaimed: [],
  whenFreed: [],
};

export interface Polled {
  accountId: string;
  channelId: string;
  version: number;
  cursor: string | null;
  /** The process before this one left an error. */
  hasError: boolean;
}

/** Channels ch with connectors c that no process polls. Releases up to v1.7.249 leave their ids behind when they stop. */
const unpolled = sql`connectors c
  join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
  where c.polls and c.state = 'connected' and ch.enabled and ${isActive(sql`c.account_id`)}
    and (c.poller is null or ${hasNoProcess(sql`c.poller`)})
    and ${isServedHere(sql`c.account_id`)}`;

/** One statement for all channels. */
export async function claimPolls(db: Db, poller: string, limit: number): Promise<Polled[]> {
  const due = sql`select c.ctid as place from ${unpolled} limit ${limit} for update of c skip locked`;
  const columns = sql`t.account_id as "accountId", t.channel_id as "channelId", t.version, t.poll_cursor as "cursor",
    t.last_error is not null as "hasError"`;
  return db.autocommit<Polled>(sql`with ${claimed(pollTable, poller, due, columns)} select * from claimed`);
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

/** `channelIds`: null for all of them. */
export async function freePolls(db: Db, poller: string, channelIds: readonly string[] | null): Promise<void> {
  await db.autocommit(sql`
    update connectors c set poller = null
    where c.poller = ${poller} and (${channelIds}::uuid[] is null or c.channel_id = any(${channelIds}::uuid[]))
      and ${isWritableHere(sql`c.account_id`)}`);
}
