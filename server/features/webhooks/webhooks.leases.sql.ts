/** Which delivering processes are alive, and what happens to the claims of dead ones. */
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { ClaimedDelivery } from './webhooks.queue.sql.ts';

/** A backlog may be long; only its own loop waits for this. */
const long = { timeoutMs: 60_000 };

export async function registerWorker(db: Db, token: string, aliveMs: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      insert into delivery_workers (token, alive_until)
      values (${token}, now() + make_interval(secs => ${aliveMs / 1000}::float8))`),
  );
}

/** Deliveries still claimed with the tokens are free again. */
export async function signOff(db: Db, tokens: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`delete from delivery_workers where token = any(${tokens}::uuid[])`);
    await freeClaims(tx, tokens);
  });
}

/**
 * Heartbeat of this process, part of a larger statement. A token missing in the result was considered dead by others, or
 * is about to be: its row is locked by those who delete it only.
 */
export function keepAlive(tokens: readonly string[], aliveMs: number): Sql {
  return sql`
    update delivery_workers set alive_until = now() + make_interval(secs => ${aliveMs / 1000}::float8)
    where token in (select token from delivery_workers where token = any(${tokens}::uuid[]) for no key update skip locked)
    returning token`;
}

/** An expression: whether a process has vanished. */
export const hasAbandoned = sql`exists (select from delivery_workers where alive_until < now())`;

/**
 * Frees what vanished processes had claimed. A worker that is renewing or claiming at this moment is locked and
 * therefore skipped; it is not dead.
 */
export async function freeAbandoned(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    const dead = await tx.query<{ token: string }>(sql`
      delete from delivery_workers where token in (
        select token from delivery_workers where alive_until < now() for update skip locked)
      returning token`);
    if (dead.length === 0) return;
    await freeClaims(
      tx,
      dead.map(({ token }) => token),
    );
  });
}

/**
 * The attempt is returned: most of what a process had claimed was not started, and a service that crashes repeatedly
 * would use up attempts that were not made. Reads the whole queue, since no index has the tokens.
 */
async function freeClaims(tx: Tx, tokens: readonly string[]): Promise<void> {
  await tx.query(
    sql`
    update webhook_deliveries set lease_token = null, attempts = attempts - 1
    where status in ('pending', 'retrying') and lease_token = any(${tokens}::uuid[])`,
    long,
  );
}

/** Claims without a worker row: by an older release, which does not lock its worker's row. */
export async function freeOrphans(db: Db): Promise<void> {
  await db.transaction((tx) =>
    tx.query(
      sql`
      update webhook_deliveries d set lease_token = null, attempts = d.attempts - 1
      where d.status in ('pending', 'retrying') and d.lease_token is not null
        and not exists (select from delivery_workers w where w.token = d.lease_token)`,
      long,
    ),
  );
}

/** Frees the deliveries of a claim whose result never arrived. */
export async function releaseUntracked(db: Db, token: string, knownIds: readonly string[]): Promise<void> {
  await db.transaction((tx) =>
    tx.query(
      sql`
      update webhook_deliveries set lease_token = null, attempts = attempts - 1
      where status in ('pending', 'retrying') and lease_token = ${token} and id <> all(${knownIds}::uuid[])`,
      long,
    ),
  );
}

/** Claimed but not started: as if never claimed. */
export async function giveBack(db: Db, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      update webhook_deliveries d set lease_token = null, attempts = d.attempts - 1
      from unnest(${deliveries.map((d) => d.accountId)}::uuid[], ${deliveries.map((d) => d.id)}::uuid[],
        ${deliveries.map((d) => d.leaseToken)}::uuid[]) as r (account_id, id, lease_token)
      where d.account_id = r.account_id and d.id = r.id and d.lease_token is not distinct from r.lease_token`),
  );
}

const isHoldable = sql`d.account_id = w.account_id and d.webhook_id = w.id
  and d.status in ('pending', 'retrying') and d.lease_token is null and not d.forced`;
const isDisabledHere = sql`not w.enabled and ${isServedHere(sql`w.account_id`)}`;

/** An expression: whether there is something to hold. */
export const hasHoldable = sql`exists (
  select from webhooks w where ${isDisabledHere} and (select true from webhook_deliveries d where ${isHoldable} limit 1))`;

/**
 * Holds what was still on its way into the queue, or being sent, when its endpoint was disabled. Endpoint by endpoint:
 * as a join it was planned as a reading of the whole queue, 15 to 40 ms twice a second with 20,000 rows.
 */
export async function holdForDisabled(db: Db, limit: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(
      sql`
      update webhook_deliveries set status = 'held' where ctid = any(array(
        select d.place from webhooks w cross join lateral (
          select d.ctid as place from webhook_deliveries d
          where ${isHoldable} limit ${limit} for update of d skip locked) d
        where ${isDisabledHere} limit ${limit}))`,
      long,
    ),
  );
}
