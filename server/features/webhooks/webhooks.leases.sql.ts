/** Who lives among the delivering processes, and what becomes of the claims of those who do not. */
import type { Db, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ClaimedDelivery } from './webhooks.queue.sql.ts';

/** A backlog may be long; none of this is waited for by anyone but its own loop. */
const long = { timeoutMs: 60_000 };

export async function registerWorker(db: Db, token: string, aliveMs: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      insert into delivery_workers (token, alive_until)
      values (${token}, now() + make_interval(secs => ${aliveMs / 1000}::float8))`),
  );
}

/** What is still claimed with the tokens is free again. */
export async function signOff(db: Db, tokens: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`delete from delivery_workers where token = any(${tokens}::uuid[])`);
    await freeClaims(tx, tokens);
  });
}

/** Says that this process lives. A token that is not among the answers was taken for dead by others. */
export async function keepAlive(db: Db, tokens: readonly string[], aliveMs: number): Promise<string[]> {
  const renewed = await db.transaction((tx) =>
    tx.queryAndCommit<{ token: string }>(sql`
      update delivery_workers set alive_until = now() + make_interval(secs => ${aliveMs / 1000}::float8)
      where token = any(${tokens}::uuid[]) returning token`),
  );
  return renewed.map((row) => row.token);
}

/**
 * Frees what vanished processes had claimed. A worker that is renewing itself or claiming this moment is locked and so
 * passed over; it is not dead.
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
 * The attempt is given back: most of what a process had claimed it had not begun, and a service that crashes again and
 * again would use up attempts that nobody made. Reads the whole queue, since no index knows the tokens.
 */
async function freeClaims(tx: Tx, tokens: readonly string[]): Promise<void> {
  await tx.query(
    sql`
    update webhook_deliveries set lease_token = null, attempts = attempts - 1
    where status in ('pending', 'retrying') and lease_token = any(${tokens}::uuid[])`,
    long,
  );
}

/** Whose worker is not there at all: claimed by an older release, which does not lock its worker's row. */
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

/** Frees what a claim has taken whose answer never came. */
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

/** Claimed but not begun: as if never claimed. */
export async function giveBack(db: Db, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      update webhook_deliveries d set lease_token = null, attempts = d.attempts - 1
      from unnest(${deliveries.map((d) => d.accountId)}::uuid[], ${deliveries.map((d) => d.id)}::uuid[],
        ${deliveries.map((d) => d.leaseToken)}::uuid[]) as r (account_id, id, lease_token)
      where d.account_id = r.account_id and d.id = r.id and d.lease_token is not distinct from r.lease_token`),
  );
}

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
          where d.account_id = w.account_id and d.webhook_id = w.id
            and d.status in ('pending', 'retrying') and d.lease_token is null and not d.forced
          limit ${limit} for update of d skip locked) d
        where not w.enabled limit ${limit}))`,
      long,
    ),
  );
}
