/** Macros: several steps on a conversation, previewed and then run together. */
import type { Static } from 'typebox';
import { LabelIds } from './labels.ts';
import { languages, limits } from './limits.ts';
import { Session } from './messaging/sessions.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const Text = Type.String({ minLength: 1, maxLength: limits.messageLength });

/** Steps that macros and rules have in common. */
export const macroStepTypes = [
  'reply',
  'note',
  'label',
  'assign',
  'set_fields',
  'set_status',
  'snooze',
  'resolve',
  'take_over',
  'hand_back',
] as const;
export type MacroStepType = (typeof macroStepTypes)[number];

/** What a step may have beside its type; rules have the same. */
export const actionProperties = {
  text: Type.Optional(
    Type.String({
      ...Text,
      description:
        'Of `reply` and `note`. May contain {{customer}}, {{first name}}, {{operator}}, {{board}} and names of fields.',
    }),
  ),
  pauseAi: Type.Optional(
    Type.Boolean({
      description: 'Of `reply`: also pauses the AI, as a reply in the dashboard does. true when omitted.',
    }),
  ),
  isNoteVisibleToAi: Type.Optional(Type.Boolean({ description: 'Of `note`. false when omitted.' })),
  addLabelIds: Type.Optional(
    Type.Array(Type.String(), { ...LabelIds, description: 'Of `label`: labels that the conversation gets.' }),
  ),
  removeLabelIds: Type.Optional(
    Type.Array(Type.String(), { ...LabelIds, description: 'Of `label`: labels that it loses.' }),
  ),
  assignedUserId: Type.Optional(
    nullable(
      Type.String({
        description: 'Of `assign`: a user, `me` for the user who runs the macro, or null for nobody.',
      }),
    ),
  ),
  teamId: Type.Optional(nullable(Type.String({ description: 'Of `assign`: a team, or null for none.' }))),
  kanbanId: Type.Optional(
    Type.String({
      description: 'Of `set_fields` and `set_status`: the step applies to cards of this board only.',
    }),
  ),
  customFields: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Of `set_fields`: values by field id, as in PUT /crm/records/{recordId}. null clears.',
    }),
  ),
  status: Type.Optional(Type.String({ description: 'Of `set_status`: a status of the board.' })),
  snoozeMinutes: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: limits.macroSnoozeMinutes,
        description: 'Of `snooze`: from now. null: until the customer writes.',
      }),
    ),
  ),
};
export const MacroStep = Type.Object({ type: choice(macroStepTypes), ...actionProperties });
export type MacroStep = Static<typeof MacroStep>;

const Steps = Type.Array(MacroStep, {
  minItems: 1,
  maxItems: limits.macroSteps,
  description: 'They run in this order.',
  examples: [[{ type: 'reply', text: 'Hello {{first name}}, this is solved now.' }, { type: 'resolve' }]],
});

export const Macro = Type.Object({
  id: Type.String(),
  name: Type.String(),
  shared: Type.Boolean({ description: 'Visible to everyone of the account; otherwise only to its owner.' }),
  ownerId: Type.String(),
  steps: Type.Array(MacroStep),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Macro = Static<typeof Macro>;

export const MacroCreate = Type.Object({
  name: Type.String({
    ...Name,
    description: 'Unique among the shared macros, and among those of one owner; case-insensitive.',
  }),
  shared: Type.Optional(Type.Boolean({ default: false })),
  steps: Steps,
});
export type MacroCreate = Static<typeof MacroCreate>;
export const MacroUpdate = Type.Partial(MacroCreate);
export type MacroUpdate = Static<typeof MacroUpdate>;

/** Why a step cannot run, or does not apply. `field` of a step is what it is about. */
const macroProblemKinds = [
  'unknown_user',
  'hidden_board',
  'unknown_team',
  'unknown_label',
  'unknown_board',
  'unknown_field',
  'wrong_value',
  'unknown_status',
  'unfilled',
  'too_long',
  'blocked',
  'other_board',
  'no_card',
  'refused',
] as const;

const MacroProblem = Type.Object({
  kind: choice(macroProblemKinds),
  field: nullable(Type.String({ description: 'The property of the step, such as `assignedUserId`.' })),
  message: Type.String(),
});
export type MacroProblem = Static<typeof MacroProblem>;

const StepText = Type.Object({
  step: Type.Integer({ minimum: 0, description: 'The index of a `reply` or `note` step.' }),
  text: Type.String({
    ...Text,
    description: 'Sent as it is, instead of the text of the step. Placeholders are not filled in.',
  }),
});

const formatting = {
  language: Type.Optional(
    Type.Unsafe<(typeof languages)[number]>({
      type: 'string',
      enum: [...languages],
      description: 'For numbers and dates in placeholders. The language of the account when omitted.',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: limits.timeZoneLength,
      examples: ['America/Sao_Paulo'],
      description: 'For times in placeholders. UTC when omitted.',
    }),
  ),
};

export const MacroPreviewBody = Type.Object(formatting);
export type MacroPreviewBody = Static<typeof MacroPreviewBody>;
export const MacroRunBody = Type.Object({
  ...formatting,
  texts: Type.Optional(
    Type.Array(StepText, { maxItems: limits.macroSteps, examples: [[{ step: 0, text: 'Hello' }]] }),
  ),
  expectedUpdatedAt: Type.Optional(
    Type.Number({
      description: '`macro.updatedAt` of the preview: a macro that was changed since is a 409.',
    }),
  ),
});
export type MacroRunBody = Static<typeof MacroRunBody>;

const stepStates = ['ready', 'unchanged', 'not_applicable', 'problem'] as const;
export const MacroStepPreview = Type.Object({
  type: choice(macroStepTypes),
  state: Type.Unsafe<(typeof stepStates)[number]>({
    type: 'string',
    enum: [...stepStates],
    description:
      '`unchanged`: it is like this already. `not_applicable`: the step is skipped. `problem`: the macro cannot run.',
  }),
  text: nullable(Type.String({ description: 'Of `reply` and `note`: as it would be written.' })),
  unfilled: Type.Array(Type.String(), { description: 'Placeholders that have no value here.' }),
  problem: nullable(MacroProblem),
});
export type MacroStepPreview = Static<typeof MacroStepPreview>;
export const MacroPreview = Type.Object({
  macro: Macro,
  sessionId: Type.String(),
  canRun: Type.Boolean({ description: 'No step has a problem.' }),
  steps: Type.Array(MacroStepPreview),
});
export type MacroPreview = Static<typeof MacroPreview>;

const doneStates = ['done', 'unchanged', 'not_applicable'] as const;
export const MacroRun = Type.Object({
  macroId: Type.String(),
  sessionId: Type.String(),
  steps: Type.Array(
    Type.Object({
      type: choice(macroStepTypes),
      state: choice(doneStates),
      messageId: nullable(Type.String({ description: 'Of `reply` and `note`.' })),
    }),
  ),
  session: Session,
});
export type MacroRun = Static<typeof MacroRun>;
