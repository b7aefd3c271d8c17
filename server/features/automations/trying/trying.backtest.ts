/** What a rule would have done in the last days. A job does the work: see trying.jobs.ts. */
import { setImmediate } from 'node:timers/promises';

import type { Trigger } from '../../../../contract/automation/triggers.ts';
import type {
  Backtest,
  BacktestBody,
  BacktestItem,
  BacktestQuery,
} from '../../../../contract/automation/trying.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { conflict, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue } from '../../../platform/jobs/jobs.ts';
import { findTimeZone } from '../../../platform/time-zone.ts';
import { type Actor, may } from '../../accounts/accounts.ts';
import type { AccountConfig } from '../../channels/channels.ts';
import {
  approximateFields,
  type Conditions,
  evaluate,
  loadPastSubjects,
  needsEvents,
} from '../../conditions/conditions.ts';
import { checkRule, contentOf, type RuleContext } from '../automations.check.ts';
import { compile, evaluationOf } from '../automations.rules.ts';
import type { RuleContent } from '../automations.sql.ts';
import { checkZone, subjectKindOf } from '../automations.triggers.ts';
import {
  type BacktestResult,
  findBacktest,
  insertBacktest,
  type StoredBacktest,
  selectItems,
} from './trying.backtest.sql.ts';
import { seenBy } from './trying.dry-run.ts';
import { findKeptDays } from './trying.history.sql.ts';
import { type PastOccasions, pastOccasions, scheduledTimes } from './trying.history.ts';

export const backtestJobKind = jobKind('automation_backtest');

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** How long it works without a pause. */
const turnMs = 5;
const { backtestItems, backtestsKept, runsPerHour } = limits.automation;

/** It sees what its caller may see now. */
export async function startBacktest(
  tx: Tx,
  context: RuleContext & { now: number; visible: string[] | null },
  { rule, days, timeZone = 'UTC' }: BacktestBody,
): Promise<{ id: string }> {
  const { actor, now, visible } = context;
  const { accountId } = actor;
  checkZone(timeZone, 'timeZone');
  const checked = await checkRule(context, contentOf(rule));
  const id = newId(now);
  const isFree = await insertBacktest(
    tx,
    accountId,
    {
      id,
      createdBy: actor.id,
      rule: contentOf(checked),
      days,
      timeZone,
      visible: maySeeSubjects(actor, checked.trigger) ? visible : [],
      createdAt: now,
    },
    backtestsKept,
  );
  if (!isFree) throw conflict('a backtest is running already');
  await enqueue(tx, {
    accountId,
    kind: backtestJobKind,
    payload: { id },
    dedupeKey: id,
    maxAttempts: endlessAttempts,
  });
  return { id };
}

const maySeeSubjects = (actor: Actor, trigger: Trigger) =>
  may(actor, subjectKindOf(trigger) === 'record' ? 'records.view' : 'conversations.view');

/** Only for whom it was made: it counts what they might see. */
export async function requireBacktest(
  db: Reader,
  tokens: PageTokens,
  actor: Actor,
  visible: string[] | null,
  id: string,
  query: BacktestQuery,
): Promise<Backtest> {
  const { accountId } = actor;
  const found = isId(id) ? await findBacktest(db, accountId, id) : null;
  if (found?.createdBy !== actor.id) throw notFound('backtest');
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['backtest', accountId, id];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const boards = maySeeSubjects(actor, found.rule.trigger) ? visible : [];
  const rows = await selectItems(db, accountId, id, boards, Number(cursor?.[0] ?? 0), size + 1);
  const page = cutPage(rows, size, (last) => tokens.issue([last.ordinal], scope));
  const { state, reason, perDay, coveredFrom, approximateFields: fields } = found;
  return {
    id,
    state,
    reason,
    perDay,
    items: page.items.map(({ at, sessionId, recordId }) => ({ at, sessionId, recordId })),
    nextToken: page.nextToken,
    coveredFrom,
    approximate: fields.length > 0,
    approximateFields: fields,
  };
}

interface BacktestContext {
  db: Db;
  accountId: string;
  config: AccountConfig;
  signal: AbortSignal;
}

export async function runBacktest(
  context: BacktestContext,
  { rule, days, timeZone, visible, createdAt: until }: StoredBacktest,
): Promise<BacktestResult> {
  const { db, accountId, config, signal } = context;
  const { trigger } = rule;
  const conditions = compile(config, rule.conditions, 'conditions');
  const filter = compile(config, trigger.filter, 'trigger.filter');
  const compared = [conditions, filter].filter((one) => one !== null);
  const fields = new Set(compared.flatMap(approximateFields));
  if (trigger.on === 'date_field') fields.add(trigger.fieldId!);
  if (trigger.businessHours) fields.add('businessHours');
  const result = { state: 'done', reason: null, approximateFields: [...fields] } as const;
  if (trigger.on === 'hook') return { ...result, coveredFrom: null, perDay: [], items: [] };
  const from = await coveredFrom(db, accountId, trigger, compared, until - days * dayMs, until);
  const tally = createTally(rule, findTimeZone(timeZone)!, from, until);
  const needsContent = compared.some((one) => one.fields.has('message.content'));
  const history = { db, accountId, config, visible, from, until, needsContent };
  for await (const page of pastOccasions(history, trigger)) {
    signal.throwIfAborted();
    await judge(context, page, { filter, conditions, visible, from }, tally);
  }
  return { ...result, coveredFrom: from, ...tally.result() };
}

/** Since when everything is known that the rule asks for. */
async function coveredFrom(
  db: Reader,
  accountId: string,
  trigger: Trigger,
  compared: readonly Conditions[],
  asked: number,
  until: number,
): Promise<number> {
  const kept = await findKeptDays(db, accountId);
  const isOfEvents = ['field_changed', 'sla_warning', 'sla_breached'].includes(trigger.on);
  const starts = [asked];
  if (isOfEvents || compared.some(needsEvents)) starts.push(until - kept.events * dayMs);
  if (kept.messages !== null) starts.push(until - kept.messages * dayMs);
  if (trigger.on === 'schedule') {
    const [first] = await scheduledTimes(trigger, { from: asked, until });
    if (first !== undefined) starts.push(first);
  }
  return Math.max(...starts);
}

interface Tally {
  /** Whether the rule would have run: not too soon after its last run for the same subject. */
  count(at: number, isMet: boolean, ran: number[], item: Omit<BacktestItem, 'at'>): void;
  result(): Pick<BacktestResult, 'perDay' | 'items'>;
}

function createTally(
  { cooldownMinutes }: RuleContent,
  zone: { offsetAt(moment: number): number },
  from: number,
  until: number,
): Tally {
  // Clocks change at quarters of an hour at most, and there may be many thousands of times.
  const dates = new Map<number, string>();
  const dateOf = (at: number) => {
    const quarter = Math.floor(at / quarterMs);
    const known = dates.get(quarter);
    if (known !== undefined) return known;
    const date = new Date(at + zone.offsetAt(at)).toISOString().slice(0, 10);
    dates.set(quarter, date);
    return date;
  };
  const days = new Map<string, { checked: number; matched: number }>();
  for (let at = from; at < until; at += hourMs) days.set(dateOf(at), { checked: 0, matched: 0 });
  days.set(dateOf(until - 1), { checked: 0, matched: 0 });
  let items: BacktestItem[] = [];
  const latest = () => items.sort((a, b) => b.at - a.at).slice(0, backtestItems);
  return {
    count(at, isMet, ran, item) {
      const day = days.get(dateOf(at))!;
      day.checked++;
      const last = ran.at(-1);
      const isTooSoon = last !== undefined && at < last + cooldownMinutes * minuteMs;
      const isTooOften = ran.filter((one) => one > at - hourMs).length >= runsPerHour;
      if (!isMet || isTooSoon || isTooOften) return;
      day.matched++;
      ran.push(at);
      if (ran.length > runsPerHour) ran.shift();
      items.push({ at, ...item });
      if (items.length >= 4 * backtestItems) items = latest();
    },
    result: () => ({ perDay: [...days].map(([date, one]) => ({ date, ...one })), items: latest() }),
  };
}

interface Judged {
  filter: Conditions | null;
  conditions: Conditions | null;
  visible: readonly string[] | null;
  from: number;
}

async function judge(
  { db, accountId, config }: BacktestContext,
  page: readonly PastOccasions[],
  { filter, conditions, visible, from }: Judged,
  tally: Tally,
): Promise<void> {
  const compared = [filter, conditions].filter((one) => one !== null);
  const context = evaluationOf(config);
  const subjects =
    compared.length === 0
      ? []
      : await loadPastSubjects(
          db,
          accountId,
          config.definitions,
          page.map(({ key }) => key),
          compared,
          from,
        );
  let turn = performance.now();
  for (const [index, { key, causes }] of page.entries()) {
    if (performance.now() - turn > turnMs) {
      // Requests and other work of the process must not wait for all of the page.
      await setImmediate();
      turn = performance.now();
    }
    const past = subjects[index];
    const ran: number[] = [];
    const item = { sessionId: key.sessionId ?? null, recordId: key.recordId ?? null };
    for (const { at, message } of causes) {
      if (at < from) continue;
      const subject = past && seenBy(visible, past.at(at, message));
      const isMet = async (one: Conditions | null) =>
        one === null || (await evaluate(one, subject!, at, context)).matched;
      if (!(await isMet(filter))) continue;
      tally.count(at, await isMet(conditions), ran, item);
    }
  }
}
