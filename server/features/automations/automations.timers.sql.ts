/** What time triggers wait for. */

import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { isActive } from '../../platform/jobs/suspended.ts';
import type { ChainLink } from './automations.causes.sql.ts';

export interface Timer {
  ruleId: string;
  subject: string;
  sessionId: string | null;
  recordId: string | null;
  /** Which wait, date or task it is about: it fires once for each. */
  period: string;
  dueAt: number;
  /** Of what has set it. */
  chain?: readonly ChainLink[] | null;
}

/** One that has fired in this period stays as it is. */
export async function upsertTimers(db: Db | Tx, accountId: string, timers: readonly Timer[]): Promise<void> {
  if (timers.length === 0) return;
  const rows = timers.map((one) => ({
    r: one.ruleId,
    s: one.subject,
    n: one.sessionId,
    c: one.recordId,
    p: one.period,
    d: one.dueAt,
    h: one.chain ?? null,
  }));
  const statement = sql`
    insert into automation_timers as t (account_id, rule_id, subject, session_id, record_id, period, due_at, chain)
    select ${accountId}::uuid, n.r, n.s, n.n, n.c, n.p, n.d, n.h
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (r uuid, s text, n text, c uuid, p text, d bigint,
        h jsonb)
      join automations a on a.account_id = ${accountId} and a.id = n.r and a.enabled
    on conflict (account_id, rule_id, subject) do update
      set period = excluded.period, due_at = excluded.due_at, chain = excluded.chain
      where t.due_at is not null or t.period <> excluded.period
    returning 1`;
  if ('autocommit' in db) await db.autocommit(statement, { isSilent: true });
  else await db.query(statement);
}

/** What they waited for has come, or is no more. */
export async function deleteTimers(
  db: Db,
  accountId: string,
  ruleIds: readonly string[],
  subject: string,
): Promise<void> {
  await db.autocommit(
    sql`
    delete from automation_timers
    where account_id = ${accountId} and rule_id = any(${ruleIds}::uuid[]) and subject = ${subject} returning 1`,
    { isSilent: true },
  );
}

export async function deleteTimersOfRule(tx: Tx, accountId: string, ruleId: string): Promise<void> {
  await tx.query(sql`delete from automation_timers where account_id = ${accountId} and rule_id = ${ruleId}`, {
    timeoutMs: 60_000,
  });
}

/** The next time that something waits for, in milliseconds; null: nothing waits. */
export const nextDue = sql`(least(
  (select r.due_at from automation_runs r where r.state = 'waiting' order by r.due_at limit 1),
  (select t.due_at from automation_timers t where t.due_at is not null order by t.due_at limit 1)))`;

/** Each becomes a cause once: a timer and its cause are one statement. Schedules are theirs to set again. */
export async function fireTimers(db: Db, now: number, limit: number): Promise<number> {
  const rows = await db.autocommit(
    sql`
    with due as (
      select t.account_id, t.rule_id, t.subject, t.period from automation_timers t
      where t.due_at <= ${now} and ${isServedHere(sql`t.account_id`)} and ${isActive(sql`t.account_id`)}
      order by t.due_at limit ${limit} for update skip locked
    ), fired as (
      update automation_timers t set due_at = null from due
      where t.account_id = due.account_id and t.rule_id = due.rule_id and t.subject = due.subject
      returning t.account_id, t.rule_id, t.subject, t.session_id, t.record_id, t.period, t.chain
    ), causes as (
      insert into automation_causes (account_id, type, source_id, subject, session_id, record_id, triggers, rule_id, detail,
        chain)
      select f.account_id, 'timer', f.rule_id || ':' || f.period,
        case when f.subject like 't:%' then 'r:' || f.record_id else f.subject end, f.session_id, f.record_id,
        array[case when f.subject like 'x:%' then 'schedule' else 'due' end], f.rule_id,
        jsonb_strip_nulls(jsonb_build_object('period', f.period,
          'taskId', case when f.subject like 't:%' then substr(f.subject, 3) end)), f.chain
      from fired f join automations a on a.account_id = f.account_id and a.id = f.rule_id and a.enabled)
    select 1 from fired`,
    { isSilent: true },
  );
  return rows.length;
}
