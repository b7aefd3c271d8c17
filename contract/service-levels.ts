/** Service levels: how soon customers are answered and their conversations resolved. */
import type { Static } from 'typebox';
import { Conditions } from './automation/conditions.ts';
import { HoursId } from './business-hours.ts';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const slaKinds = ['first_response', 'next_response', 'resolution'] as const;
export type SlaKind = (typeof slaKinds)[number];
export const slaStates = ['running', 'paused', 'met', 'breached', 'cancelled'] as const;
export type SlaState = (typeof slaStates)[number];

const minutes = (description: string) => ({ minimum: 1, maximum: limits.slaMinutes, description });
const descriptions = {
  firstResponseMinutes: 'From the first message of the customer to the first answer.',
  nextResponseMinutes: 'From a later message of the customer to the next answer.',
  resolutionMinutes: 'From the beginning of the conversation, or its reopening, until it is resolved.',
};
const Target = (name: keyof typeof descriptions) => Type.Optional(Type.Integer(minutes(descriptions[name])));
const SettableTarget = (name: keyof typeof descriptions, examples?: number[]) =>
  Type.Optional({
    ...nullable(Type.Integer(minutes(`${descriptions[name]} null: no such target.`))),
    ...(examples && { examples }),
  });

const rest = {
  name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
  order: Type.Integer({
    minimum: limits.order.min,
    maximum: limits.order.max,
    description: 'The first one that matches a conversation applies to it. A new one is the last.',
  }),
  filter: nullable(Conditions),
  hoursId: HoursId,
  pauseWhileSnoozed: Type.Boolean({ description: 'False when omitted.' }),
  pauseWhileWaitingForCustomer: Type.Boolean({
    description: 'Of the resolution: after an answer, until the customer writes. False when omitted.',
  }),
  aiCounts: Type.Boolean({ description: 'Whether a reply of the AI is an answer. False when omitted.' }),
  warnBeforeMinutes: Type.Integer({
    minimum: 0,
    maximum: limits.slaMinutes,
    description: 'How long before a target is due `sla_warning` is sent; 0, when omitted: not at all.',
  }),
};

export const SlaPolicy = Type.Object({
  id: Type.String(),
  name: rest.name,
  order: rest.order,
  filter: rest.filter,
  firstResponseMinutes: Target('firstResponseMinutes'),
  nextResponseMinutes: Target('nextResponseMinutes'),
  resolutionMinutes: Target('resolutionMinutes'),
  hoursId: rest.hoursId,
  pauseWhileSnoozed: rest.pauseWhileSnoozed,
  pauseWhileWaitingForCustomer: rest.pauseWhileWaitingForCustomer,
  aiCounts: rest.aiCounts,
  warnBeforeMinutes: rest.warnBeforeMinutes,
});
export type SlaPolicy = Static<typeof SlaPolicy>;

export const SlaPolicyCreate = Type.Object({
  name: rest.name,
  order: Type.Optional(rest.order),
  filter: Type.Optional(rest.filter),
  // One of them is required.
  firstResponseMinutes: SettableTarget('firstResponseMinutes', [60]),
  nextResponseMinutes: SettableTarget('nextResponseMinutes'),
  resolutionMinutes: SettableTarget('resolutionMinutes'),
  hoursId: Type.Optional(rest.hoursId),
  pauseWhileSnoozed: Type.Optional(rest.pauseWhileSnoozed),
  pauseWhileWaitingForCustomer: Type.Optional(rest.pauseWhileWaitingForCustomer),
  aiCounts: Type.Optional(rest.aiCounts),
  warnBeforeMinutes: Type.Optional(rest.warnBeforeMinutes),
});
export type SlaPolicyCreate = Static<typeof SlaPolicyCreate>;
export const SlaPolicyUpdate = Type.Partial(SlaPolicyCreate);
export type SlaPolicyUpdate = Static<typeof SlaPolicyUpdate>;

export const SessionSla = Type.Object(
  {
    policyId: Type.String(),
    targets: Type.Array(
      Type.Object({
        kind: choice(slaKinds),
        dueAt: nullable(Type.Number({ description: 'null while it is paused.' })),
        state: choice(slaStates),
        remainingMinutes: Type.Integer({
          description:
            'In the opening hours of the policy, rounded up; negative when late. Of a target that has ended: what was left then.',
        }),
      }),
      { description: 'The latest of each kind that has begun.' },
    ),
  },
  { description: 'The service levels of the conversation; null: no policy applies.' },
);
export type SessionSla = Static<typeof SessionSla>;
