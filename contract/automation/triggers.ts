/** When a rule runs. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { patterns } from '../shapes/patterns.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

const sessionTriggers = [
  'session_created',
  'customer_message',
  'reply_sent',
  'session_status_changed',
  'session_assigned',
  'label_added',
  'label_removed',
  'ai_handed_over',
  'session_rated',
  'sla_warning',
  'sla_breached',
] as const;
export const recordTriggers = [
  'record_created',
  'record_moved',
  'field_changed',
  'task_due',
  'comment_added',
] as const;
/** Of a conversation that waits. */
const silenceTriggers = ['no_customer_reply', 'no_team_reply'] as const;
export const triggerNames = [
  ...sessionTriggers,
  ...recordTriggers,
  ...silenceTriggers,
  'date_field',
  'schedule',
  'hook',
] as const;
export type TriggerName = (typeof triggerNames)[number];

const replyAuthors = ['person', 'agent', 'any'] as const;
const scheduleSubjects = ['sessions', 'records'] as const;

const Pointer = (description: string) =>
  Type.String({ maxLength: limits.tools.pointerLength, description, examples: ['/order/id'] });

export const HookSubject = Type.Object(
  {
    sessionId: Type.Optional(Pointer('A JSON Pointer to the id of a conversation.')),
    kanbanId: Type.Optional(Type.String({ description: 'The board of the record.' })),
    fieldId: Type.Optional(Type.String({ description: 'The field whose value finds the record.' })),
    value: Type.Optional(Pointer('A JSON Pointer to that value.')),
  },
  {
    description:
      'Of `hook`: either `sessionId`, or `kanbanId`, `fieldId` and `value`. If several records have the value, it is the newest. null: the rule is about nothing in particular.',
  },
);
export type HookSubject = Static<typeof HookSubject>;

/** Each has the properties of its `on`; others are ignored. */
export const Trigger = Type.Object({
  on: choice(triggerNames),
  by: Type.Optional(choice(replyAuthors, { description: 'Of `reply_sent`. any when omitted.' })),
  labelIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: limits.labels,
      uniqueItems: true,
      description: 'Of `label_added` and `label_removed`: only these labels.',
    }),
  ),
  from: Type.Optional(
    Type.String({ description: 'Of `session_status_changed` and `record_moved`: the status before.' }),
  ),
  to: Type.Optional(
    Type.String({ description: 'Of `session_status_changed` and `record_moved`: the status afterwards.' }),
  ),
  userId: Type.Optional(Type.String({ description: 'Of `session_assigned`: only to this user.' })),
  teamId: Type.Optional(Type.String({ description: 'Of `session_assigned`: only to this team.' })),
  maxScore: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: 'Of `session_rated`: only up to this score.' }),
  ),
  kanbanId: Type.Optional(
    Type.String({
      description: 'Of `record_created`, `record_moved`, `task_due` and `comment_added`: only this board.',
    }),
  ),
  fieldId: Type.Optional(Type.String({ description: 'Of `field_changed` and `date_field`.' })),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.automation.triggerMinutes,
      description: 'Of `no_customer_reply` and `no_team_reply`: so long after the last message.',
    }),
  ),
  businessHours: Type.Optional(
    Type.Unsafe<boolean | string>({
      type: ['boolean', 'string'],
      description:
        'Of the same: minutes count in opening hours only. true: those of the conversation’s channel, or else the account’s. Or the id of business hours.',
    }),
  ),
  offsetMinutes: Type.Optional(
    Type.Integer({
      minimum: -limits.automation.triggerMinutes,
      maximum: limits.automation.triggerMinutes,
      description: 'Of `date_field`: so long after the time in the field; negative: before it.',
    }),
  ),
  at: Type.Optional(
    Type.String({
      pattern: patterns.time,
      examples: ['09:00'],
      description: 'Of `date_field` on a field of the type date: the time of that day.',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: limits.timeZoneLength,
      examples: ['America/Sao_Paulo'],
      description: 'An IANA name. Of `schedule`, and of `date_field` with `at`.',
    }),
  ),
  cron: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.automation.cronLength,
      examples: ['0 9 * * 1-5'],
      description: `Of \`schedule\`: five fields. At most every ${limits.automation.cronMinutes} minutes.`,
    }),
  ),
  over: Type.Optional(choice(scheduleSubjects, { description: 'Of `schedule`.' })),
  filter: Type.Optional(
    nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: `Of \`schedule\`: what the rule goes over, as in \`conditions\`. At most ${limits.automation.scheduled} at a time. null: all.`,
        examples: [{ field: 'session.status', op: 'is', value: 'open' }],
      }),
    ),
  ),
  subject: Type.Optional(nullable(HookSubject)),
});
export type Trigger = Static<typeof Trigger>;
