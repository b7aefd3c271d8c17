/** Rules: what happens by itself, when, and on which conditions. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { nullable } from '../shapes/values.ts';
import { Conditions } from './conditions.ts';
import { RuleSteps } from './steps.ts';
import { Trigger } from './triggers.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const Cooldown = Type.Integer({
  minimum: 0,
  maximum: limits.automation.cooldownMinutes,
  description: 'So long the rule does not run again for the same conversation or record.',
});

export const Automation = Type.Object({
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  disabledReason: nullable(
    Type.String({ description: 'Why the service switched it off; null: it did not.' }),
  ),
  order: Type.Integer({ description: 'Rules of the same event run in this order.' }),
  trigger: Trigger,
  conditions: nullable(Conditions),
  steps: RuleSteps,
  cooldownMinutes: Type.Integer(),
  version: Type.Integer({
    description: 'Grows with each change of the rule. Runs that wait keep the version they began with.',
  }),
  stats: Type.Object({
    runs30d: Type.Integer(),
    failed30d: Type.Integer(),
    lastRunAt: nullable(Type.Number()),
  }),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
  updatedBy: Type.Object({ id: Type.String(), name: Type.String() }),
});
export type Automation = Static<typeof Automation>;

const HookToken = nullable(
  Type.String({
    description: 'Of a rule with the trigger `hook`, shown only now: POST /automations/hooks/{token}.',
  }),
);
const Secret = nullable(
  Type.String({ description: 'Of a rule with a `call` to a url, shown only now: signs its calls.' }),
);
/** The response to what creates a token or a secret. */
export const AutomationSaved = Type.Object({
  ...Automation.properties,
  hookToken: Type.Optional(HookToken),
  secret: Type.Optional(Secret),
});
export type AutomationSaved = Static<typeof AutomationSaved>;

export const AutomationCreate = Type.Object({
  name: Name,
  enabled: Type.Optional(Type.Boolean({ default: false })),
  trigger: Trigger,
  conditions: Type.Optional(nullable(Conditions)),
  steps: RuleSteps,
  cooldownMinutes: Type.Optional({ ...Cooldown, default: 0 }),
});
export type AutomationCreate = Static<typeof AutomationCreate>;

export const AutomationPut = Type.Object({
  ...AutomationCreate.properties,
  enabled: Type.Optional(Type.Boolean({ description: 'As it was when omitted.' })),
  expectedVersion: Type.Integer({
    minimum: 1,
    description: '`version` of the rule that was changed. If there is a newer one, the response is a 409.',
  }),
});
export type AutomationPut = Static<typeof AutomationPut>;
export const AutomationPatch = Type.Object({ enabled: Type.Boolean() });

export const AutomationReorder = Type.Object({
  ids: Type.Array(Type.String(), {
    uniqueItems: true,
    maxItems: limits.automation.rules,
    description: 'All rules of the account, in their new order.',
  }),
});
export const AutomationsQuery = Type.Object({
  uses: Type.Optional(
    Type.String({ description: 'Only rules that refer to this id: a label, a user, a team, a board, …' }),
  ),
});
export const AutomationList = Type.Object({ items: Type.Array(Automation), nextToken: Type.Null() });

export const HookTokenAnswer = Type.Object({
  hookToken: Type.String({ description: 'Shown only now: POST /automations/hooks/{token}.' }),
});
export const HookAnswer = Type.Object({ causeId: Type.String() });
