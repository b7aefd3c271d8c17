/**
 * When a trigger came in the past: the causes that its rule would have had, from what is stored of conversations and
 * records. Whether a change is meant by a trigger is decided as for causes that are happening.
 */
import type { Trigger } from '../../../../contract/automation/triggers.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { addMinutes, hoursOf } from '../../business-hours/business-hours.ts';
import type { AccountConfig } from '../../channels/channels.ts';
import type { PastMessage, SubjectKey } from '../../conditions/conditions.ts';
import type { CauseDetail } from '../automations.causes.sql.ts';
import { nextCron } from '../automations.cron.ts';
import { momentOfDate } from '../automations.dates.ts';
import { isAbout } from '../automations.match.ts';
import { subjectKindOf } from '../automations.triggers.ts';
import {
  type PastMessageRow,
  type RecordPageRow,
  type SessionPageRow,
  selectChanges,
  selectEvents,
  selectHandovers,
  selectMessages,
  selectMoves,
  selectRatings,
  selectRecordPage,
  selectSessionPage,
  selectTimesOfRecords,
} from './trying.history.sql.ts';

export interface PastCause {
  at: number;
  message: PastMessage | null;
}

export interface PastOccasions {
  key: SubjectKey;
  /** In their order. */
  causes: PastCause[];
}

export interface HistoryContext {
  db: Reader;
  accountId: string;
  config: AccountConfig;
  /** The boards that count; null: all. */
  visible: readonly string[] | null;
  from: number;
  until: number;
  /** Whether conditions compare what messages say. */
  needsContent: boolean;
}

const subjectsAtOnce = 200;
/** The latest ones: going over all conversations every 15 minutes of 90 days would take hours. */
const maxScheduled = 500;
const minuteMs = 60_000;
const leastId = '00000000-0000-0000-0000-000000000000';

/** Page by page. */
export async function* pastOccasions(
  context: HistoryContext,
  trigger: Trigger,
): AsyncGenerator<PastOccasions[]> {
  const times = trigger.on === 'schedule' ? await scheduledTimes(trigger, context) : [];
  if (subjectKindOf(trigger) === 'session') yield* ofSessions(context, trigger, times);
  else yield* ofRecords(context, trigger, times);
}

/** The times of a schedule, at most the latest ones. */
export async function scheduledTimes(
  { cron, timeZone }: Trigger,
  { from, until }: Pick<HistoryContext, 'from' | 'until'>,
): Promise<number[]> {
  const times: number[] = [];
  for (let next = await nextCron(cron!, timeZone!, from); next !== null && next < until; ) {
    times.push(next);
    next = await nextCron(cron!, timeZone!, next);
  }
  return times.slice(-maxScheduled);
}

async function* ofSessions(
  context: HistoryContext,
  trigger: Trigger,
  times: readonly number[],
): AsyncGenerator<PastOccasions[]> {
  const { db, accountId, visible, from } = context;
  const changedSince = trigger.on === 'schedule' ? 0 : from;
  for (let after = ''; ; ) {
    const page = await selectSessionPage(db, accountId, visible, changedSince, after, subjectsAtOnce);
    const causes =
      trigger.on === 'schedule' ? scheduledFor(page, times) : await causesOfSessions(context, trigger, page);
    yield page.flatMap(({ id }) => {
      const own = causes.get(id);
      return own ? [{ key: { sessionId: id }, causes: own }] : [];
    });
    if (page.length < subjectsAtOnce) return;
    after = page.at(-1)!.id;
  }
}

type Causes = Map<string, PastCause[]>;

function add(causes: Causes, id: string, cause: PastCause): void {
  const known = causes.get(id);
  if (known) known.push(cause);
  else causes.set(id, [cause]);
}

function scheduledFor(page: readonly { id: string; createdAt: number }[], times: readonly number[]): Causes {
  return new Map(
    page.map(({ id, createdAt }) => [
      id,
      times.filter((at) => at >= createdAt).map((at) => ({ at, message: null })),
    ]),
  );
}

async function causesOfSessions(
  context: HistoryContext,
  trigger: Trigger,
  page: readonly SessionPageRow[],
): Promise<Causes> {
  const { db, accountId, from, needsContent } = context;
  const ids = page.map(({ id }) => id);
  const causes: Causes = new Map();
  const happened = (id: string, at: number, triggers: string[], detail: CauseDetail | null = null) => {
    if (isAbout(trigger, { triggers, detail })) add(causes, id, { at, message: null });
  };
  switch (trigger.on) {
    case 'session_created':
    case 'customer_message':
    case 'reply_sent':
      for (const message of await selectMessages(db, accountId, ids, from, needsContent)) {
        if (!isAbout(trigger, { triggers: triggersOf(message), detail: null })) continue;
        const { content, hasAttachment, isFirst, at, sessionId } = message;
        add(causes, sessionId, { at, message: { content: content ?? '', hasAttachment, isFirst } });
      }
      break;
    case 'no_customer_reply':
    case 'no_team_reply': {
      const messages = Map.groupBy(
        await selectMessages(db, accountId, ids, from, false),
        ({ sessionId }) => sessionId,
      );
      for (const row of page) {
        for (const at of silences(context, trigger, row, messages.get(row.id) ?? [])) {
          add(causes, row.id, { at, message: null });
        }
      }
      break;
    }
    case 'session_rated':
      for (const { sessionId, at, score } of await selectRatings(db, accountId, ids, from)) {
        happened(sessionId, at, [trigger.on], { score });
      }
      break;
    case 'sla_warning':
    case 'sla_breached':
      for (const { subjectId, at } of await selectEvents(db, accountId, ids, trigger.on, null, from)) {
        happened(subjectId, at, [trigger.on]);
      }
      break;
    default:
      for (const { sessionId, at, changes } of await selectChanges(db, accountId, ids, from)) {
        const isRequest = changes.some(
          ({ field, newValue }) => field === 'personRequested' && newValue === true,
        );
        if (trigger.on !== 'ai_handed_over' || isRequest) happened(sessionId, at, [trigger.on], { changes });
      }
      if (trigger.on === 'ai_handed_over') {
        for (const { sessionId, at } of await selectHandovers(db, accountId, ids, from)) {
          happened(sessionId, at, [trigger.on]);
        }
        for (const own of causes.values()) own.sort((a, b) => a.at - b.at);
      }
  }
  return causes;
}

function triggersOf({ position, author }: PastMessageRow): string[] {
  const said = author === null ? [] : [author === 'customer' ? 'customer_message' : `reply_sent:${author}`];
  return position === 1 ? ['session_created', ...said] : said;
}

/**
 * When the other side had not answered for so long, once in each wait. A wait begins with a message of one side, is
 * counted from its last one, and ends with a message of the other. What a rule writes is neither.
 */
function silences(
  { config, until }: HistoryContext,
  { on, minutes, businessHours }: Trigger,
  { channelId, teamId }: SessionPageRow,
  messages: readonly PastMessageRow[],
): number[] {
  const { hours, channels } = config.directory;
  const named = typeof businessHours === 'string' ? hours.byId.get(businessHours) : undefined;
  const counted = named ?? hoursOf(hours, { teamId, hoursId: channels.get(channelId)?.hoursId ?? null });
  const dueAfter = (at: number) =>
    businessHours ? addMinutes(counted, at, minutes!) : at + minutes! * minuteMs;
  const found: number[] = [];
  let dueAt: number | null = null;
  let hasFired = false;
  const fireBefore = (moment: number) => {
    if (dueAt === null || dueAt >= moment) return;
    found.push(dueAt);
    dueAt = null;
    hasFired = true;
  };
  for (const { author, at } of messages) {
    if (author === null || author === 'rule') continue;
    fireBefore(at);
    const isBegin = (author === 'customer') === (on === 'no_team_reply');
    if (!isBegin) {
      dueAt = null;
      hasFired = false;
    } else if (!hasFired) dueAt = dueAfter(at);
  }
  fireBefore(until);
  return found;
}

async function* ofRecords(
  context: HistoryContext,
  trigger: Trigger,
  times: readonly number[],
): AsyncGenerator<PastOccasions[]> {
  const { db, accountId, visible, from } = context;
  for (let after = leastId; ; ) {
    const page = await selectRecordPage(db, accountId, visible, trigger, from, after, subjectsAtOnce);
    const causes =
      trigger.on === 'schedule' ? scheduledFor(page, times) : await causesOfRecords(context, trigger, page);
    yield page.flatMap(({ id }) => {
      const own = causes.get(id);
      return own ? [{ key: { recordId: id }, causes: own }] : [];
    });
    if (page.length < subjectsAtOnce) return;
    after = page.at(-1)!.id;
  }
}

async function causesOfRecords(
  { db, accountId, from, until }: HistoryContext,
  trigger: Trigger,
  page: readonly RecordPageRow[],
): Promise<Causes> {
  const ids = page.map(({ id }) => id);
  const boards = new Map(page.map(({ id, kanbanId }) => [id, kanbanId]));
  const causes: Causes = new Map();
  const happened = (id: string, at: number, detail: CauseDetail = {}) => {
    const triggers = [trigger.on === 'field_changed' ? `field_changed:${trigger.fieldId}` : trigger.on];
    const kanbanId = boards.get(id)!;
    if (isAbout(trigger, { triggers, detail: { kanbanId, ...detail } }))
      add(causes, id, { at, message: null });
  };
  switch (trigger.on) {
    case 'record_created':
      for (const { id, createdAt } of page) happened(id, createdAt);
      break;
    case 'record_moved':
      for (const { recordId, at, ...move } of await selectMoves(db, accountId, ids, from)) {
        happened(recordId, at, move);
      }
      break;
    case 'field_changed': {
      const field = trigger.fieldId!;
      for (const { subjectId, at } of await selectEvents(
        db,
        accountId,
        ids,
        'crm_field_update',
        field,
        from,
      )) {
        happened(subjectId, at);
      }
      break;
    }
    case 'comment_added':
      for (const { recordId, at } of await selectTimesOfRecords(
        db,
        accountId,
        ids,
        'comments',
        from,
        until,
      )) {
        happened(recordId, at);
      }
      break;
    case 'task_due':
      for (const { recordId, at } of await selectTimesOfRecords(db, accountId, ids, 'tasks', from, until)) {
        add(causes, recordId, { at, message: null });
      }
      break;
    case 'date_field':
      for (const { id, value } of page) {
        const moment = momentOfDate(value, trigger.at, trigger.timeZone);
        const at = moment === null ? null : moment + trigger.offsetMinutes! * minuteMs;
        if (at !== null && at >= from && at < until) add(causes, id, { at, message: null });
      }
      break;
    default:
  }
  return causes;
}
