/** When a rule runs, as the beginning of a sentence. */
import type { Trigger, TriggerName } from '../../../contract/automation/triggers.ts';
import { useKanbans, useTeams, useUsers } from '../data/queries.ts';
import { fieldLabel } from '../fields/field-label.ts';
import { useLabels } from '../labels/label-data.ts';
import { lengthText } from '../macros/step-words.ts';
import { locale, t } from '../texts/texts.ts';
import type { DraftTrigger } from './rule-draft.ts';

/** The contract's list would bring its schemas along. In the order of the menu. */
export const triggerGroups = [
  {
    name: 'session',
    triggers: [
      'customer_message',
      'session_created',
      'reply_sent',
      'no_team_reply',
      'no_customer_reply',
      'session_status_changed',
      'session_assigned',
      'label_added',
      'label_removed',
      'ai_handed_over',
      'session_rated',
      'sla_warning',
      'sla_breached',
    ],
  },
  {
    name: 'record',
    triggers: ['record_created', 'record_moved', 'field_changed', 'task_due', 'comment_added', 'date_field'],
  },
  { name: 'other', triggers: ['schedule', 'hook'] },
] as const satisfies { name: string; triggers: readonly TriggerName[] }[];

export type SubjectKind = 'session' | 'record' | 'nothing';
/** What the rule is about. */
export function subjectOf({ on, over, subject }: Pick<DraftTrigger, 'on' | 'over' | 'subject'>): SubjectKind {
  if (on === 'hook') {
    if (!subject) return 'nothing';
    return subject.sessionId === undefined ? 'record' : 'session';
  }
  if (on === 'schedule') return over === 'records' ? 'record' : 'session';
  return (triggerGroups[1].triggers as readonly string[]).includes(on) ? 'record' : 'session';
}

/** What somebody chooses instead of writing `cron`. Null: another. */
export interface Timetable {
  every: 'day' | 'weekday' | 'week' | 'month';
  /** 1 to 7 from Monday, or a day of the month. */
  day: number;
  at: string;
}
export function readCron(cron: string): Timetable | null {
  const [minute = '', hour = '', day, month, weekday, ...more] = cron.trim().split(/\s+/);
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour) || month !== '*' || more.length > 0) return null;
  if (Number(minute) > 59 || Number(hour) > 23) return null;
  const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (day === '*' && weekday === '*') return { every: 'day', day: 1, at };
  if (day === '*' && weekday === '1-5') return { every: 'weekday', day: 1, at };
  if (day === '*' && /^[0-7]$/.test(weekday ?? '')) return { every: 'week', day: Number(weekday) || 7, at };
  if (/^([1-9]|[12]\d|3[01])$/.test(day ?? '') && weekday === '*')
    return { every: 'month', day: Number(day), at };
  return null;
}
export function writeCron({ every, day, at }: Timetable): string {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const days = { day: '* * *', weekday: '* * 1-5', week: `* * ${day}`, month: `${day} * *` };
  return `${minute} ${hour} ${days[every]}`;
}

/** 1 January 2024 was a Monday. */
export const weekdayName = (day: number) =>
  new Intl.DateTimeFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));

function scheduleWords({ cron = '', over }: DraftTrigger): string {
  const things = t(over === 'records' ? 'automation.when.cards' : 'automation.when.conversations');
  const table = readCron(cron);
  if (!table) return t('automation.when.cron', { cron, things });
  const { every, day, at } = table;
  if (every === 'week') return t('automation.when.week', { day: weekdayName(day), at, things });
  if (every === 'month') return t('automation.when.month', { day, at, things });
  return t(every === 'day' ? 'automation.when.day' : 'automation.when.weekday', { at, things });
}

export type TriggerWords = (trigger: DraftTrigger | Trigger) => string;

export function useTriggerWords(): TriggerWords {
  const boards = useKanbans();
  const users = useUsers();
  const teams = useTeams();
  const labels = useLabels();
  const gone = () => t('macros.gone');
  const nameIn = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((one) => one.id === id)?.name ?? gone();
  const onBoard = (words: string, kanbanId: string | undefined) =>
    kanbanId ? t('automation.when.onBoard', { words, board: nameIn(boards, kanbanId) }) : words;
  const statusIn = (kanbanId: string | undefined, value: string) =>
    boards
      .filter(({ id }) => !kanbanId || id === kanbanId)
      .flatMap(({ statuses }) => statuses)
      .find((status) => status.value === value)?.label ?? value;
  const fieldName = (id: string | undefined) => {
    const field = boards.flatMap(({ fields }) => fields).find((one) => one.id === id);
    return field ? fieldLabel(field) : id ? gone() : '…';
  };
  const sessionStatus = (value: string) =>
    value === 'open' || value === 'snoozed' || value === 'resolved' ? t(`automation.status.${value}`) : value;
  const moved = (
    trigger: DraftTrigger | Trigger,
    kind: 'session' | 'card',
    shown: (value: string) => string,
  ) => {
    const { from, to } = trigger;
    if (from && to) return t(`automation.when.${kind}.fromTo`, { from: shown(from), to: shown(to) });
    if (to) return t(`automation.when.${kind}.to`, { to: shown(to) });
    if (from) return t(`automation.when.${kind}.from`, { from: shown(from) });
    return t(`automation.when.${kind}.any`);
  };
  return (trigger) => {
    const { on, labelIds = [], userId, teamId, kanbanId, fieldId, minutes = 0, offsetMinutes = 0 } = trigger;
    switch (on) {
      case 'session_created':
      case 'customer_message':
      case 'ai_handed_over':
      case 'sla_warning':
      case 'sla_breached':
      case 'hook':
        return t(`automation.when.${on}`);
      case 'reply_sent':
        return t(`automation.when.reply_sent.${trigger.by ?? 'any'}`);
      case 'session_status_changed':
        return moved(trigger, 'session', sessionStatus);
      case 'session_assigned': {
        const names = [userId && nameIn(users, userId), teamId && nameIn(teams, teamId)].filter(Boolean);
        return names.length > 0
          ? t('automation.when.assignedTo', { name: names.join(', ') })
          : t('automation.when.assigned');
      }
      case 'label_added':
      case 'label_removed': {
        const names = labelIds.map((id) => nameIn(labels, id)).join(', ');
        return names ? t(`automation.when.${on}.these`, { names }) : t(`automation.when.${on}`);
      }
      case 'session_rated':
        return trigger.maxScore
          ? t('automation.when.ratedUpTo', { score: trigger.maxScore })
          : t('automation.when.session_rated');
      case 'record_created':
      case 'task_due':
      case 'comment_added':
        return onBoard(t(`automation.when.${on}`), kanbanId);
      case 'record_moved':
        return onBoard(
          moved(trigger, 'card', (value) => statusIn(kanbanId, value)),
          kanbanId,
        );
      case 'field_changed':
        return t('automation.when.field_changed', { field: fieldName(fieldId) });
      case 'no_customer_reply':
      case 'no_team_reply': {
        const words = t(`automation.when.${on}`, { time: lengthText(minutes) });
        return trigger.businessHours ? t('automation.when.inHours', { words }) : words;
      }
      case 'date_field': {
        const field = fieldName(fieldId);
        if (offsetMinutes === 0) return t('automation.when.dateOn', { field });
        const time = lengthText(Math.abs(offsetMinutes));
        return t(offsetMinutes < 0 ? 'automation.when.dateBefore' : 'automation.when.dateAfter', {
          time,
          field,
        });
      }
      case 'schedule':
        return scheduleWords(trigger as DraftTrigger);
    }
  };
}
