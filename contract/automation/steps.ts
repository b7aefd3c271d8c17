/** What a rule does: the steps of macros, and those that only rules have. */
import type { Static, TSchema } from 'typebox';
import { TaskCreate } from '../crm/tasks.ts';
import { limits } from '../limits.ts';
import { actionProperties, macroStepTypes } from '../macros.ts';
import { TemplateSend } from '../messaging/templates.ts';
import { patterns } from '../shapes/patterns.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import { Conditions, type ConditionsValue } from './conditions.ts';

/** Those that change something, or send it. */
const ruleActionTypes = [
  ...macroStepTypes,
  'send_template',
  'transfer',
  'create_record',
  'create_task',
  'comment',
  'notify',
  'call',
] as const;
/** Those that decide how a run goes on. */
export const flowStepTypes = ['wait', 'if', 'stop'] as const;
export const ruleStepTypes = [...ruleActionTypes, ...flowStepTypes] as const;
export type RuleStepType = (typeof ruleStepTypes)[number];

export const waitCancels = ['customer_message', 'team_reply', 'session_resolved', 'record_moved'] as const;
export type WaitCancel = (typeof waitCancels)[number];

const Ids = (description: string) =>
  Type.Array(Type.String(), { maxItems: 100, uniqueItems: true, description });
const { name, language, parameters } = TemplateSend.properties;

const ruleProperties = {
  id: Type.Optional(
    Type.String({
      pattern: patterns.stepId,
      description:
        'Unique in the rule; `{{steps.<id>.body.…}}` refers to it. Made by the service when omitted.',
      examples: ['greet'],
    }),
  ),
  ...actionProperties,
  text: Type.Optional({
    ...actionProperties.text,
    description:
      'Of `reply`, `note`, `comment` and `notify`. May contain {{customer}}, {{first name}}, {{board}}, names of fields, {{payload.path}} of a hook and {{steps.<id>.body.path}} of a call.',
  }),
  pauseAi: Type.Optional(
    Type.Boolean({ description: 'Of `reply` and `send_template`: also pauses the AI. false when omitted.' }),
  ),
  assignedUserId: Type.Optional(
    nullable(Type.String({ description: 'Of `assign` and `create_task`: a user, or null for nobody.' })),
  ),
  assignedUserIds: Type.Optional(Ids('Of `create_record`.')),
  name: Type.Optional({ ...name, description: 'Of `send_template`.' }),
  language: Type.Optional({ ...language, description: 'Of `send_template`.' }),
  parameters: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.templateParameterLength }), {
      ...(parameters as object),
      description: 'Of `send_template`: may contain placeholders.',
    }),
  ),
  agentId: Type.Optional(Type.String({ description: 'Of `transfer`.' })),
  kanbanId: Type.Optional(
    Type.String({
      description:
        'Of `transfer` and `create_record`: the board. Of `set_fields` and `set_status`: the step applies to cards of this board only.',
    }),
  ),
  title: Type.Optional({
    ...TaskCreate.properties.title,
    maxLength: limits.titleLength,
    description: 'Of `create_record` and `create_task`; may contain placeholders.',
  }),
  dueInMinutes: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: limits.automation.waitMinutes,
        description: 'Of `create_task`: due so long after the step. null or omitted: never.',
      }),
    ),
  ),
  userIds: Type.Optional(Ids('Of `notify`.')),
  teamIds: Type.Optional(Ids('Of `notify`: the members of these teams.')),
  email: Type.Optional(Type.Boolean({ description: 'Of `notify`: by e-mail too. false when omitted.' })),
  toolId: Type.Optional(
    Type.String({ description: 'Of `call`: an HTTP tool of the account, instead of `url`.' }),
  ),
  arguments: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Of `call` with a tool. Texts may contain placeholders.',
    }),
  ),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.tools.urlLength,
      description: 'Of `call`: an https address. It gets a signed POST, as a webhook does.',
      examples: ['https://shop.example.com/talkboard'],
    }),
  ),
  body: Type.Optional(
    Type.Unknown({
      description:
        'Of `call` with a url: JSON whose texts may contain placeholders. When omitted, the ids of the run, the conversation and the record.',
    }),
  ),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.automation.waitMinutes,
      description: 'Of `wait`; otherwise `until`.',
    }),
  ),
  until: Type.Optional(
    Type.String({
      description:
        'Of `wait`: the id of a date or datetime field of the card, or `next_opening`. A time that has passed ends the wait at once.',
      examples: ['next_opening'],
    }),
  ),
  hoursId: Type.Optional(
    nullable(
      Type.String({
        description:
          'Of `wait` until `next_opening`. null or omitted: the hours of the conversation’s channel, or else the account’s.',
      }),
    ),
  ),
  at: Type.Optional(
    Type.String({
      pattern: patterns.time,
      examples: ['09:00'],
      description: 'Of `wait` until a field of the type date: the time of that day.',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({ maxLength: limits.timeZoneLength, description: 'Of `wait` with `at`: an IANA name.' }),
  ),
  cancelOn: Type.Optional(
    Type.Array(choice(waitCancels), {
      uniqueItems: true,
      maxItems: waitCancels.length,
      description: 'Of `wait`: what cancels the run while it waits.',
    }),
  ),
  condition: Type.Optional({ ...Conditions, description: 'Of `if`: as `conditions` of the rule.' }),
};

const OwnStep = Type.Object({ type: choice(ruleStepTypes), ...ruleProperties });
export type RuleStep = Omit<Static<typeof OwnStep>, 'id'> & {
  id: string;
  condition?: ConditionsValue;
  then?: RuleStep[];
  else?: RuleStep[];
};

const stepsAt = (depth: number): TSchema => {
  const branch = (which: string) =>
    Type.Optional(
      Type.Unsafe<RuleStep[]>({ ...stepsAt(depth + 1), description: `Of \`if\`: the steps if ${which}.` }),
    );
  return Type.Array(
    Type.Object({
      ...OwnStep.properties,
      ...(depth < limits.automation.depth && {
        // biome-ignore lint/suspicious/noThenProperty: The name in the contract; no step is awaited.
        then: branch('the condition is met'),
        else: branch('it is not'),
      }),
    }),
    { maxItems: limits.automation.steps },
  );
};

export const RuleSteps = Type.Unsafe<RuleStep[]>({
  ...stepsAt(0),
  minItems: 1,
  description: `They run in this order. At most ${limits.automation.steps}, those of branches included.`,
  examples: [[{ id: 'greet', type: 'reply', text: 'Hello {{first name}}, we are back at nine.' }]],
});
