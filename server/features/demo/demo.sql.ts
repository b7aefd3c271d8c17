/** What the demo made is known by who made it: `demo` in the audit log and in the records' created_by. */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface DemoObjects {
  /** Every id, also of what was deleted since. */
  all: string[];
  kanbanIds: string[];
  userIds: string[];
  channelIds: string[];
  agentIds: string[];
}

/** A fill or a removal goes over thousands of rows. */
const long = { timeoutMs: 60_000 };

export async function selectDemoObjects(db: Reader, accountId: string): Promise<DemoObjects> {
  const rows = await db.query<{ type: string; id: string }>(sql`
    select target_type as type, target_id as id from audit_log
    where account_id = ${accountId} and actor_id = 'demo' and action like '%.created'`);
  const idsOf = (type: string) => rows.filter((row) => row.type === type).map((row) => row.id);
  return {
    all: rows.map((row) => row.id),
    kanbanIds: idsOf('kanban'),
    userIds: idsOf('user'),
    channelIds: idsOf('channel'),
    agentIds: idsOf('agent'),
  };
}

export async function insertDemo(
  tx: Tx,
  accountId: string,
  filledAt: number,
  channelIds: string[],
): Promise<void> {
  await tx.query(sql`
    insert into demos (account_id, filled_at, channel_ids) values (${accountId}, ${filledAt}, ${channelIds}::uuid[])`);
}

/** Since when the demo is there, and how much people have added to it; null: there is none. */
export async function findDemo(
  db: Reader,
  accountId: string,
): Promise<{ filledAt: number; channelIds: string[]; used: number } | null> {
  const [row] = await db.query<{ filledAt: number; channelIds: string[]; used: number }>(sql`
    select d.filled_at as "filledAt", d.channel_ids::text[] as "channelIds",
      (select count(*) from sessions s join messages m on m.account_id = s.account_id and m.session_id = s.session_id
        where s.account_id = d.account_id and s.channel_id = any(d.channel_ids) and m.created_at > d.filled_at)::int
      + (select count(*) from records r
        where r.account_id = d.account_id and r.created_by <> 'demo' and r.kanban_id = any(
          select k.id from kanbans k join audit_log a on a.account_id = k.account_id and a.target_id = k.id::text
          where k.account_id = d.account_id and a.actor_id = 'demo' and a.action = 'kanban.created'))::int as used
    from demos d where d.account_id = ${accountId}`);
  return row ?? null;
}

/**
 * Rows that this transaction has made. With an Idempotency-Key it is made under a savepoint, whose rows have an id of
 * their own, later than the transaction's (their age is below zero); of the rows that can be seen, only one's own are of
 * a transaction still in progress.
 */
export const isMadeHere = sql`case when age(xmin) <= 0
  then pg_xact_status((pg_current_xact_id()::text::bigint - age(xmin))::text::xid8) = 'in progress' else false end`;

/**
 * Takes back what the past of the demo would tell the present: deliveries to real webhooks, and every live change but
 * that of the boards. Only this transaction's own rows: what others change meanwhile is told as ever.
 */
export async function silence(tx: Tx, accountId: string): Promise<void> {
  const eventIds = tx.emitted.map(({ id }) => id);
  await tx.query(
    sql`delete from webhook_deliveries where account_id = ${accountId} and event_id = any(${eventIds}::uuid[])`,
    long,
  );
  await tx.query(sql`
    delete from live_changes
    where account_id = ${accountId} and type <> 'definitions.updated' and ${isMadeHere}`);
}
