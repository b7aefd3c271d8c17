/** Checks triggers, and says which changes they listen to. */
import type { HookSubject, Trigger } from '../../../contract/automation/triggers.ts';
import { recordTriggers } from '../../../contract/automation/triggers.ts';
import { limits } from '../../../contract/limits.ts';
import { sessionStatuses } from '../../../contract/messaging/sessions.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { findTimeZone } from '../../platform/time-zone.ts';
import { type Actor, checkUserIds } from '../accounts/accounts.ts';
import { type Definitions, type FieldDefinition, type KanbanDefinition, maySee } from '../kanbans/kanbans.ts';
import { listLabels } from '../labels/labels.ts';
import { checkTeamId } from '../teams/teams.ts';
import { checkCron } from './automations.cron.ts';

export interface TriggerContext {
  db: Reader;
  actor: Actor;
  definitions: Definitions;
  hasHours(hoursId: string): boolean;
}

type Name = keyof Trigger;

/** What each trigger may have, and what it needs. */
const properties: { [on in Trigger['on']]: { required?: Name[]; optional?: Name[] } } = {
  session_created: {},
  customer_message: {},
  reply_sent: { optional: ['by'] },
  session_status_changed: { optional: ['from', 'to'] },
  session_assigned: { optional: ['userId', 'teamId'] },
  label_added: { optional: ['labelIds'] },
  label_removed: { optional: ['labelIds'] },
  ai_handed_over: {},
  session_rated: { optional: ['maxScore'] },
  sla_warning: {},
  sla_breached: {},
  record_created: { optional: ['kanbanId'] },
  record_moved: { optional: ['kanbanId', 'from', 'to'] },
  field_changed: { required: ['fieldId'] },
  task_due: { optional: ['kanbanId'] },
  comment_added: { optional: ['kanbanId'] },
  no_customer_reply: { required: ['minutes'], optional: ['businessHours'] },
  no_team_reply: { required: ['minutes'], optional: ['businessHours'] },
  date_field: { required: ['fieldId', 'offsetMinutes'], optional: ['at', 'timeZone'] },
  schedule: { required: ['cron', 'timeZone', 'over'], optional: ['filter'] },
  hook: { required: ['subject'] },
};

/** What a rule with this trigger is about: steps for something else do not work. */
export type SubjectKind = 'session' | 'record' | 'nothing';

export function subjectKindOf({ on, over, subject }: Trigger): SubjectKind {
  if (on === 'hook') {
    if (!subject) return 'nothing';
    return subject.sessionId === undefined ? 'record' : 'session';
  }
  if (on === 'schedule') return over === 'records' ? 'record' : 'session';
  return on === 'date_field' || (recordTriggers as readonly string[]).includes(on) ? 'record' : 'session';
}

/** Only the properties of its `on`. */
export async function checkTrigger(context: TriggerContext, given: Trigger): Promise<Trigger> {
  const { db, actor } = context;
  const { required = [], optional = [] } = properties[given.on];
  const missing = required.find((name) => given[name] === undefined);
  if (missing) throw badRequest(`trigger.${missing} is required`);
  const names = [...required, ...optional].filter((name) => given[name] !== undefined);
  const trigger = {
    on: given.on,
    ...Object.fromEntries(names.map((name) => [name, given[name]])),
  } as Trigger;
  const { accountId } = actor;
  if (trigger.labelIds) {
    const known = new Set((await listLabels(db, accountId)).map(({ id }) => id));
    const unknown = trigger.labelIds.findIndex((id) => !known.has(id));
    if (unknown >= 0) throw badRequest(`trigger.labelIds[${unknown}] does not exist`);
  }
  if (trigger.userId !== undefined) {
    await checkUserIds(db, accountId, [trigger.userId], 'trigger.userId').catch(
      doesNotExist('trigger.userId'),
    );
  }
  if (trigger.teamId !== undefined) {
    await checkTeamId(db, accountId, trigger.teamId, 'trigger.teamId').catch(doesNotExist('trigger.teamId'));
  }
  const kanban =
    trigger.kanbanId === undefined ? null : requireBoard(context, trigger.kanbanId, 'trigger.kanbanId');
  if (trigger.on === 'session_status_changed') checkStatuses(trigger, sessionStatuses);
  if (trigger.on === 'record_moved') checkMove(context, trigger, kanban);
  if (trigger.fieldId !== undefined) {
    const field = requireField(context, trigger.fieldId, 'trigger.fieldId');
    if (trigger.on === 'date_field') checkDateField(trigger, field);
  }
  if (typeof trigger.businessHours === 'string' && !context.hasHours(trigger.businessHours)) {
    throw badRequest('trigger.businessHours does not exist');
  }
  if (trigger.timeZone !== undefined) checkZone(trigger.timeZone);
  if (trigger.on === 'schedule') await checkCron(trigger.cron!, trigger.timeZone!);
  if (trigger.on === 'hook' && trigger.subject) {
    return { ...trigger, subject: checkSubject(context, trigger.subject) };
  }
  return trigger;
}

function doesNotExist(path: string): (error: unknown) => never {
  return (error) => {
    throw (error as { status?: number }).status === 400 ? badRequest(`${path} does not exist`) : error;
  };
}

function checkStatuses({ from, to }: Trigger, known: readonly string[]): void {
  for (const [name, status] of Object.entries({ from, to })) {
    if (status !== undefined && !known.includes(status)) {
      throw badRequest(`trigger.${name} must be one of ${known.join(', ')}`);
    }
  }
}

function checkMove({ definitions }: TriggerContext, trigger: Trigger, kanban: KanbanDefinition | null): void {
  if (kanban) {
    checkStatuses(
      trigger,
      kanban.statuses.map(({ value }) => value),
    );
    return;
  }
  const all = [...definitions.kanbans.values()].flatMap((one) => one.statuses.map(({ value }) => value));
  checkStatuses(trigger, [...new Set(all)]);
}

/** A board that is hidden from the author is like none. */
function requireBoard({ actor, definitions }: TriggerContext, id: string, path: string): KanbanDefinition {
  const kanban = definitions.kanbans.get(id);
  if (!kanban || !maySee(actor, kanban)) throw badRequest(`${path} does not exist`);
  return kanban;
}

function requireField({ actor, definitions }: TriggerContext, id: string, path: string): FieldDefinition {
  for (const kanban of definitions.kanbans.values()) {
    const field = kanban.fields.get(id);
    if (field && maySee(actor, kanban)) return field;
  }
  throw badRequest(`${path} does not exist`);
}

function checkDateField({ at, timeZone }: Trigger, { type }: FieldDefinition): void {
  if (type !== 'date' && type !== 'datetime') {
    throw badRequest('trigger.fieldId must be a field of the type date or datetime');
  }
  if (type === 'date') {
    if (at === undefined) throw badRequest('trigger.at is required for a field of the type date');
    if (timeZone === undefined) throw badRequest('trigger.timeZone is required for a field of the type date');
  }
}

export function checkZone(timeZone: string, path = 'trigger.timeZone'): void {
  if (!findTimeZone(timeZone)) throw badRequest(`${path} must be an IANA name such as America/Sao_Paulo`);
}

function checkSubject(context: TriggerContext, subject: HookSubject): HookSubject {
  const { sessionId, kanbanId, fieldId, value } = subject;
  const at = 'trigger.subject';
  if (sessionId !== undefined) {
    if (kanbanId !== undefined || fieldId !== undefined || value !== undefined) {
      throw badRequest(`${at} must have either sessionId or kanbanId, fieldId and value`);
    }
    checkPointer(sessionId, `${at}.sessionId`);
    return { sessionId };
  }
  for (const [name, part] of Object.entries({ kanbanId, fieldId, value })) {
    if (part === undefined) throw badRequest(`${at}.${name} is required`);
  }
  const kanban = requireBoard(context, kanbanId!, `${at}.kanbanId`);
  if (!kanban.fields.has(fieldId!)) throw badRequest(`${at}.fieldId does not exist`);
  checkPointer(value!, `${at}.value`);
  return { kanbanId: kanbanId!, fieldId: fieldId!, value: value! };
}

/** Of RFC 6901. */
function checkPointer(pointer: string, path: string): void {
  if (pointer.length > limits.tools.pointerLength || !/^(\/([^~/]|~[01])*)*$/.test(pointer)) {
    throw badRequest(`${path} must be a JSON Pointer such as /order/id`);
  }
}

/** The keys of causes (migrations/0123_automations.sql). What is only waited for is among them. */
export function listensOf(trigger: Trigger): string[] {
  switch (trigger.on) {
    case 'reply_sent':
      if (trigger.by === 'agent') return ['reply_sent:agent'];
      if (trigger.by === 'person') return ['reply_sent:person'];
      return ['reply_sent:agent', 'reply_sent:person', 'reply_sent:rule'];
    case 'field_changed':
      return [`field_changed:${trigger.fieldId}`];
    case 'no_customer_reply':
    case 'no_team_reply':
      return ['customer_message', 'reply_sent:agent', 'reply_sent:person'];
    case 'date_field':
      return ['record_created', `field_changed:${trigger.fieldId}`];
    case 'schedule':
    case 'hook':
      return [];
    default:
      return [trigger.on];
  }
}

/** The ids that the trigger refers to. A status of a board is `board/status`. */
export function refsOf(trigger: Trigger): string[] {
  const { labelIds = [], userId, teamId, kanbanId, fieldId, businessHours, subject, on, from, to } = trigger;
  const statuses = on === 'record_moved' && kanbanId !== undefined ? [from, to] : [];
  return [
    ...labelIds,
    userId,
    teamId,
    kanbanId,
    fieldId,
    typeof businessHours === 'string' ? businessHours : undefined,
    subject?.kanbanId,
    subject?.fieldId,
    ...statuses.map((status) => status && `${kanbanId}/${status}`),
  ].filter((id): id is string => id !== undefined);
}
