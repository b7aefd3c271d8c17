/** Whether a trigger is about a change. */
import type { Trigger } from '../../../contract/automation/triggers.ts';
import type { CauseRow } from './automations.causes.sql.ts';

type Change = Pick<CauseRow, 'triggers' | 'detail'>;

/** Time triggers and hooks have causes of their own, which name their rule. */
export function isAbout(trigger: Trigger, { triggers, detail }: Change): boolean {
  switch (trigger.on) {
    case 'reply_sent': {
      const by = trigger.by ?? 'any';
      return triggers.some(
        (key) => key.startsWith('reply_sent:') && (by === 'any' || key === `reply_sent:${by}`),
      );
    }
    case 'session_status_changed': {
      const change = changeOf(detail, 'status');
      return (
        triggers.includes(trigger.on) && change !== null && isMove(trigger, change.oldValue, change.newValue)
      );
    }
    case 'session_assigned':
      return triggers.includes(trigger.on) && isAssigned(trigger, detail);
    case 'label_added':
    case 'label_removed':
      return triggers.includes(trigger.on) && isLabelled(trigger, detail);
    case 'session_rated':
      return (
        triggers.includes(trigger.on) &&
        (detail?.score ?? 0) <= (trigger.maxScore ?? Number.POSITIVE_INFINITY)
      );
    case 'record_created':
    case 'comment_added':
      return triggers.includes(trigger.on) && isOnBoard(trigger, detail);
    case 'record_moved':
      return (
        triggers.includes(trigger.on) &&
        isOnBoard(trigger, detail) &&
        isMove(trigger, detail?.from, detail?.to)
      );
    case 'field_changed':
      return triggers.includes(`field_changed:${trigger.fieldId}`);
    case 'no_customer_reply':
    case 'no_team_reply':
    case 'date_field':
    case 'task_due':
    case 'schedule':
    case 'hook':
      return false;
    default:
      return triggers.includes(trigger.on);
  }
}

const changeOf = (detail: CauseRow['detail'], field: string) =>
  detail?.changes?.find((one) => one.field === field) ?? null;

const isMove = ({ from, to }: Trigger, before: unknown, after: unknown) =>
  (from === undefined || from === before) && (to === undefined || to === after);

const isOnBoard = ({ kanbanId }: Trigger, detail: CauseRow['detail']) =>
  kanbanId === undefined || kanbanId === detail?.kanbanId;

function isAssigned({ userId, teamId }: Trigger, detail: CauseRow['detail']): boolean {
  const user = changeOf(detail, 'assignedUserId')?.newValue ?? null;
  const team = changeOf(detail, 'teamId')?.newValue ?? null;
  if (userId === undefined && teamId === undefined) return user !== null || team !== null;
  return (userId === undefined || userId === user) && (teamId === undefined || teamId === team);
}

function isLabelled({ on, labelIds }: Trigger, detail: CauseRow['detail']): boolean {
  const change = changeOf(detail, 'labelIds');
  const before = (change?.oldValue ?? []) as string[];
  const after = (change?.newValue ?? []) as string[];
  const [less, more] = on === 'label_added' ? [before, after] : [after, before];
  const changed = more.filter((id) => !less.includes(id));
  return labelIds === undefined ? changed.length > 0 : changed.some((id) => labelIds.includes(id));
}

/** What happened, as a part of a chain: "label added". */
export function eventWords({ on }: Trigger): string {
  return on.replaceAll('_', ' ');
}
