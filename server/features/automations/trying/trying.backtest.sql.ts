/** Backtests and what they found. */
import type { BacktestDay, BacktestItem } from '../../../../contract/automation/trying.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { empty, limitTo, sql } from '../../../platform/db/sql.ts';
import type { RuleContent } from '../automations.sql.ts';

export interface NewBacktest {
  id: string;
  createdBy: string;
  rule: RuleContent;
  days: number;
  timeZone: string;
  /** The boards that the caller may see; null: all. */
  visible: string[] | null;
  createdAt: number;
}

export interface StoredBacktest extends NewBacktest {
  state: 'running' | 'done' | 'failed';
  reason: string | null;
  coveredFrom: number | null;
  approximateFields: string[];
  perDay: BacktestDay[];
}

const columns = sql`b.id, b.created_by as "createdBy", b.rule, b.days, b.time_zone as "timeZone",
  b.visible::text[] as visible, b.state, b.reason, b.covered_from as "coveredFrom",
  b.approximate_fields as "approximateFields", b.per_day as "perDay", b.created_at as "createdAt"`;

/** False: one is running already. The oldest ones go. */
export async function insertBacktest(
  tx: Tx,
  accountId: string,
  backtest: NewBacktest,
  kept: number,
): Promise<boolean> {
  await tx.query(sql`
    delete from automation_backtests where account_id = ${accountId} and id in (
      select id from automation_backtests where account_id = ${accountId} and ended_at is not null
      order by id desc offset ${kept - 1})`);
  const { id, createdBy, rule, days, timeZone, visible, createdAt } = backtest;
  const rows = await tx.query(sql`
    insert into automation_backtests (account_id, id, created_by, rule, days, time_zone, visible, state, created_at)
    values (${accountId}, ${id}, ${createdBy}, ${JSON.stringify(rule)}, ${days}, ${timeZone}, ${visible}, 'running',
      ${createdAt})
    on conflict (account_id) where ended_at is null do nothing returning 1`);
  return rows.length > 0;
}

export async function findBacktest(
  db: Reader,
  accountId: string,
  id: string,
): Promise<StoredBacktest | null> {
  const [row] = await db.query<StoredBacktest>(sql`
    select ${columns} from automation_backtests b where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export interface BacktestResult {
  state: 'done' | 'failed';
  reason: string | null;
  coveredFrom: number | null;
  approximateFields: readonly string[];
  perDay: readonly BacktestDay[];
  /** The latest first. */
  items: readonly BacktestItem[];
}

/** What was removed meanwhile is left out. */
export async function endBacktest(
  tx: Tx,
  accountId: string,
  id: string,
  { state, reason, coveredFrom, approximateFields, perDay, items }: BacktestResult,
  now: number,
): Promise<void> {
  const ended = await tx.query(sql`
    update automation_backtests set state = ${state}, reason = ${reason}, covered_from = ${coveredFrom},
      approximate_fields = ${approximateFields}, per_day = ${JSON.stringify(perDay)}, ended_at = ${now}
    where account_id = ${accountId} and id = ${id} and ended_at is null returning 1`);
  if (ended.length === 0 || items.length === 0) return;
  await tx.query(sql`
    insert into automation_backtest_items (account_id, backtest_id, ordinal, at, session_id, record_id)
    select ${accountId}::uuid, ${id}::uuid, i.ordinal, i.at, s.session_id, r.id
    from unnest(${items.map(({ at }) => at)}::bigint[], ${items.map(({ sessionId }) => sessionId)}::text[],
        ${items.map(({ recordId }) => recordId)}::uuid[]) with ordinality as i (at, session_id, record_id, ordinal)
    left join sessions s on s.account_id = ${accountId} and s.session_id = i.session_id
    left join records r on r.account_id = ${accountId} and r.id = i.record_id
    where (i.session_id is null or s.session_id is not null) and (i.record_id is null or r.id is not null)`);
}

/** Only what is on these boards now. */
export async function selectItems(
  db: Reader,
  accountId: string,
  backtestId: string,
  visible: readonly string[] | null,
  after: number,
  limit: number,
): Promise<(BacktestItem & { ordinal: number })[]> {
  const isVisible =
    visible === null
      ? empty
      : sql`and coalesce((select s.kanban_id from sessions s
            where s.account_id = i.account_id and s.session_id = i.session_id),
          (select r.kanban_id from records r where r.account_id = i.account_id and r.id = i.record_id))
        = any(${visible}::uuid[])`;
  return db.query(sql`
    select i.ordinal, i.at, i.session_id as "sessionId", i.record_id as "recordId" from automation_backtest_items i
    where i.account_id = ${accountId} and i.backtest_id = ${backtestId} and i.ordinal > ${after} ${isVisible}
    order by i.ordinal ${limitTo(limit)}`);
}
