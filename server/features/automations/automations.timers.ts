/** Time triggers: what they wait for, and whether it is still so when the time comes. */
import type { Trigger } from '../../../contract/automation/triggers.ts';
import { limits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { addMinutes } from '../business-hours/business-hours.ts';
import {
  type ConditionSubject,
  evaluate,
  findConversations,
  loadSubjects,
  type SubjectKey,
} from '../conditions/conditions.ts';
import { type CauseRow, endCause, insertCause, insertScheduled } from './automations.causes.sql.ts';
import { nextCron } from './automations.cron.ts';
import { momentOfDate } from './automations.dates.ts';
import { type AccountRules, type CompiledRule, compile } from './automations.rules.ts';
import type { StoredRule } from './automations.sql.ts';
import {
  findFieldValue,
  findOpenTask,
  type OpenTask,
  type Place,
  selectFieldValues,
  selectLastMessages,
  selectOpenTasks,
  selectRecordIds,
} from './automations.subjects.sql.ts';
import { deleteTimers, deleteTimersOfRule, type Timer, upsertTimers } from './automations.timers.sql.ts';
import { hoursFor } from './automations.waits.ts';

interface TimerDeps {
  db: Db;
  clock: Clock;
}

const minuteMs = 60_000;
const batch = 500;
const leastId = '00000000-0000-0000-0000-000000000000';

/** What conditions read for a cause. */
export const spreadKey = ({ sessionId, recordId, type, sourceId }: CauseRow): SubjectKey => ({
  sessionId,
  recordId,
  messageId: type === 'message' ? sourceId : null,
});

const isSilence = ({ on }: Trigger) => on === 'no_customer_reply' || on === 'no_team_reply';

const datesOf = ({ trigger }: CompiledRule, { triggers }: CauseRow) =>
  trigger.on === 'date_field' &&
  (triggers.includes('record_created') || triggers.includes(`field_changed:${trigger.fieldId}`));

const setFor = ({ rules }: AccountRules, cause: CauseRow) => {
  const enabled = rules.filter((rule) => rule.enabledAt <= cause.at);
  return {
    silent:
      cause.type === 'message' && cause.sessionId !== null
        ? enabled.filter(({ trigger }) => isSilence(trigger))
        : [],
    dated: cause.recordId === null ? [] : enabled.filter((rule) => datesOf(rule, cause)),
    timed:
      cause.detail?.taskId === undefined ? [] : enabled.filter(({ trigger }) => trigger.on === 'task_due'),
  };
};

/** Whether `armTimers` may set or remove any. */
export function armsTimers(account: AccountRules, cause: CauseRow): boolean {
  const { silent, dated, timed } = setFor(account, cause);
  return silent.length + dated.length + timed.length > 0;
}

/** Sets and removes the timers of an event's subject, before its rules run. */
export async function armTimers(deps: TimerDeps, account: AccountRules, cause: CauseRow): Promise<void> {
  const { silent, dated, timed } = setFor(account, cause);
  if (silent.length > 0) await armSilence(deps, account, silent, cause);
  for (const rule of dated) await armDate(deps, cause, rule, cause.recordId!);
  if (timed.length === 0) return;
  const taskId = cause.detail!.taskId!;
  const task = await findOpenTask(deps.db, cause.accountId, taskId);
  for (const rule of timed) await armTask(deps, rule, taskId, task, cause);
}

async function armSilence(
  { db }: TimerDeps,
  account: AccountRules,
  rules: readonly CompiledRule[],
  { accountId, sessionId, subject, triggers, chain }: CauseRow,
): Promise<void> {
  const isCustomers = triggers.includes('customer_message');
  const isTeams = triggers.includes('reply_sent:agent') || triggers.includes('reply_sent:person');
  if (!isCustomers && !isTeams) return;
  const [waiting, ended] = [
    isTeams ? 'no_customer_reply' : 'no_team_reply',
    isTeams ? 'no_team_reply' : 'no_customer_reply',
  ];
  const over = rules.filter(({ trigger }) => trigger.on === ended).map(({ id }) => id);
  if (over.length > 0) await deleteTimers(db, accountId, over, subject);
  const begun = rules.filter(({ trigger }) => trigger.on === waiting);
  if (begun.length === 0) return;
  const last = await selectLastMessages(db, accountId, sessionId!);
  const [ours, theirs] = isTeams ? [last.team, last.customer] : [last.customer, last.team];
  // A later message of the other side has ended it already; its own cause follows.
  if (!ours || (theirs && theirs.position > ours.position)) return;
  const timers: Timer[] = [];
  for (const { id, trigger } of begun) {
    const dueAt = await dueAfter(db, account, accountId, sessionId!, trigger, ours.at);
    if (dueAt === null) continue;
    const period = `${sessionId}:${theirs?.position ?? 0}`;
    timers.push({ ruleId: id, subject, sessionId, recordId: null, period, dueAt, chain });
  }
  await upsertTimers(db, accountId, timers);
}

async function dueAfter(
  db: Db,
  { config }: AccountRules,
  accountId: string,
  sessionId: string,
  { minutes, businessHours }: Trigger,
  from: number,
): Promise<number | null> {
  if (!businessHours) return from + minutes! * minuteMs;
  return addMinutes(await hoursFor(db, accountId, config, sessionId, businessHours), from, minutes!);
}

const dateDue = ({ at, timeZone, offsetMinutes }: Trigger, value: unknown): number | null => {
  const moment = momentOfDate(value, at, timeZone);
  return moment === null ? null : moment + offsetMinutes! * minuteMs;
};

async function armDate(
  { db, clock }: TimerDeps,
  { accountId, chain }: CauseRow,
  { id, trigger }: CompiledRule,
  recordId: string,
): Promise<void> {
  const value = await findFieldValue(db, accountId, recordId, trigger.fieldId!);
  const dueAt = dateDue(trigger, value);
  const subject = `r:${recordId}`;
  if (dueAt === null || dueAt <= clock.now()) return deleteTimers(db, accountId, [id], subject);
  await upsertTimers(db, accountId, [{ ...dateTimer(id, recordId, value, dueAt), chain }]);
}

const dateTimer = (ruleId: string, recordId: string, value: unknown, dueAt: number): Timer => ({
  ruleId,
  subject: `r:${recordId}`,
  sessionId: null,
  recordId,
  period: `${recordId}:${value}`,
  dueAt,
});

async function armTask(
  { db, clock }: TimerDeps,
  { id, trigger }: CompiledRule,
  taskId: string,
  task: OpenTask | null,
  { accountId, chain }: CauseRow,
): Promise<void> {
  const isMeant = task && (trigger.kanbanId === undefined || trigger.kanbanId === task.kanbanId);
  if (!isMeant || task.dueAt <= clock.now()) return deleteTimers(db, accountId, [id], `t:${taskId}`);
  await upsertTimers(db, accountId, [{ ...taskTimer(id, task), chain }]);
}

const taskTimer = (ruleId: string, { taskId, recordId, dueAt }: OpenTask): Timer => ({
  ruleId,
  subject: `t:${taskId}`,
  sessionId: null,
  recordId,
  period: `${taskId}:${dueAt}`,
  dueAt,
});

/** Of a rule that was enabled or changed. What began before does not count, but dates and tasks that come do. */
export async function beginTimers(tx: Tx, accountId: string, rule: StoredRule, now: number): Promise<void> {
  await deleteTimersOfRule(tx, accountId, rule.id);
  const { trigger, id } = rule;
  if (!rule.enabled) return;
  if (trigger.on === 'schedule') {
    const timer = await scheduleTimer(id, trigger, now);
    if (timer) await upsertTimers(tx, accountId, [timer]);
  }
  if (trigger.on === 'date_field' || trigger.on === 'task_due') {
    await insertCause(tx, { accountId, type: 'timer', subject: `x:${id}`, triggers: ['arm'], ruleId: id });
  }
}

async function scheduleTimer(
  ruleId: string,
  { cron, timeZone }: Trigger,
  after: number,
): Promise<Timer | null> {
  const dueAt = await nextCron(cron!, timeZone!, after);
  const subject = `x:${ruleId}`;
  return dueAt === null
    ? null
    : { ruleId, subject, sessionId: null, recordId: null, period: String(dueAt), dueAt };
}

/** All records or tasks that have a time to come. Doing it twice sets the same timers. */
export async function armAll(
  { db, clock }: TimerDeps,
  account: AccountRules,
  cause: CauseRow,
): Promise<void> {
  const { accountId } = cause;
  const rule = account.rules.find(({ id }) => id === cause.ruleId);
  if (!rule) return;
  const now = clock.now();
  for (let after = leastId; ; ) {
    let timers: Timer[];
    let last: string | undefined;
    let count: number;
    if (rule.trigger.on === 'task_due') {
      const tasks = await selectOpenTasks(db, accountId, now, after, batch);
      const { kanbanId } = rule.trigger;
      timers = tasks
        .filter((task) => kanbanId === undefined || task.kanbanId === kanbanId)
        .map((task) => taskTimer(rule.id, task));
      last = tasks.at(-1)?.taskId;
      count = tasks.length;
    } else {
      const rows = await selectFieldValues(db, accountId, rule.trigger.fieldId!, after, batch);
      timers = rows.flatMap(({ recordId, value }) => {
        const dueAt = dateDue(rule.trigger, value);
        return dueAt !== null && dueAt > now ? [dateTimer(rule.id, recordId, value, dueAt)] : [];
      });
      last = rows.at(-1)?.recordId;
      count = rows.length;
    }
    await upsertTimers(db, accountId, timers);
    if (last === undefined || count < batch) return;
    after = last;
  }
}

/** Whether the wait, the date or the task that a timer was about is over or another by now. */
export async function hasEnded(
  db: Db,
  { trigger }: CompiledRule,
  { accountId, sessionId, recordId, detail }: CauseRow,
): Promise<boolean> {
  const period = detail?.period;
  if (period === undefined) return false;
  switch (trigger.on) {
    case 'no_customer_reply':
    case 'no_team_reply': {
      const last = await selectLastMessages(db, accountId, sessionId!);
      const [ours, theirs] =
        trigger.on === 'no_customer_reply' ? [last.team, last.customer] : [last.customer, last.team];
      return !ours || (theirs !== null && theirs.position > ours.position);
    }
    case 'date_field':
      return `${recordId}:${await findFieldValue(db, accountId, recordId!, trigger.fieldId!)}` !== period;
    case 'task_due': {
      const task = detail?.taskId === undefined ? null : await findOpenTask(db, accountId, detail.taskId);
      return !task || `${task.taskId}:${task.dueAt}` !== period;
    }
    default:
      return false;
  }
}

/**
 * Finds what the schedule goes over, and makes a cause for each, in one transaction with the end of this one. The next
 * time is set with it: times that were missed happen once.
 */
export async function expandSchedule(
  { db, clock }: TimerDeps,
  account: AccountRules,
  cause: CauseRow,
): Promise<void> {
  const { accountId } = cause;
  const rule = account.rules.find(({ id }) => id === cause.ruleId);
  if (!rule) return db.transaction((tx) => endCause(tx, cause));
  const now = clock.now();
  const found: Place[] = [];
  let left = 0;
  const most = limits.automation.scheduled;
  for await (const places of findScheduled(db, account, rule, now)) {
    for (const place of places) {
      if (found.length < most) found.push(place);
      else left++;
    }
  }
  const timer = await scheduleTimer(rule.id, rule.trigger, now);
  await db.transaction(async (tx) => {
    await endCause(tx, cause);
    if (timer) await upsertTimers(tx, accountId, [timer]);
    if (found.length > 0) await insertScheduled(tx, cause, found, left);
  });
}

async function* findScheduled(
  db: Db,
  { accountId, config, context }: AccountRules,
  { trigger }: CompiledRule,
  now: number,
): AsyncGenerator<Place[]> {
  const { definitions } = config;
  const filter = compile(
    config,
    trigger.filter ?? { and: [{ field: 'session.createdAt', op: 'notEmpty' }] },
    'trigger.filter',
  )!;
  if (trigger.over === 'sessions') {
    const finding = { db, accountId, definitions, visible: null, ...context };
    for await (const ids of findConversations(finding, filter, now)) {
      yield ids.map((sessionId) => ({ sessionId, recordId: null }));
    }
    return;
  }
  for (let before: { createdAt: number; id: string } | null = null; ; ) {
    const rows: { createdAt: number; id: string }[] = await selectRecordIds(db, accountId, before, batch);
    const keys = rows.map(({ id }) => ({ recordId: id }));
    const subjects: ConditionSubject[] = trigger.filter
      ? await loadSubjects(db, accountId, definitions, keys, [filter])
      : [];
    const met: Place[] = [];
    for (const [index, { id }] of rows.entries()) {
      const isMet = !trigger.filter || (await evaluate(filter, subjects[index]!, now, context)).matched;
      if (isMet) met.push({ sessionId: null, recordId: id });
    }
    yield met;
    if (rows.length < batch) return;
    before = rows.at(-1)!;
  }
}
