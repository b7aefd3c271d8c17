/** What rules have done, and why they did not run. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { pageOf, pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import { MissedCondition } from './conditions.ts';
import { ruleStepTypes, waitCancels } from './steps.ts';

export const causeTypes = ['message', 'session_change', 'event', 'timer', 'hook'] as const;
export type CauseType = (typeof causeTypes)[number];

const Cause = Type.Object({
  type: choice(causeTypes),
  id: Type.String({ description: 'Of the message, the change, the event, the time or the call.' }),
});
export type Cause = Static<typeof Cause>;

const place = {
  sessionId: nullable(Type.String()),
  recordId: nullable(Type.String()),
};

export const Verdict = Type.Object({
  cause: Cause,
  at: Type.Number(),
  ruleId: Type.String(),
  ruleName: nullable(Type.String({ description: 'As it is now; null: the rule was deleted.' })),
  version: Type.Integer({ description: 'Of the rule.' }),
  matched: Type.Boolean(),
  reason: nullable(
    Type.String({ description: 'Why the rule did not run, such as “status was open”. null: it ran.' }),
  ),
  missed: MissedCondition,
  runId: nullable(Type.String({ description: 'Its run; null without one.' })),
  ...place,
});
export type Verdict = Static<typeof Verdict>;
export const VerdictsPage = pageOf(Verdict);
export const VerdictsQuery = Type.Object(pageQuery(limits.listPage));
export const RuleVerdictsQuery = Type.Object({
  matched: Type.Optional(Type.Boolean()),
  ...pageQuery(limits.listPage),
});

export const stepStates = ['done', 'skipped', 'waiting', 'failed', 'cancelled'] as const;
export type StepState = (typeof stepStates)[number];
const effectKinds = [
  'session',
  'message',
  'record',
  'task',
  'comment',
  'notification',
  'mail',
  'call',
] as const;
export const StepEffect = Type.Object({
  kind: choice(effectKinds),
  id: Type.String({ description: 'Of what the step made or changed.' }),
});
export type StepEffect = Static<typeof StepEffect>;

export const RunStep = Type.Object({
  id: Type.String(),
  path: Type.String({ description: 'The place of the step in the rule.', examples: ['steps[2].then[0]'] }),
  type: choice(ruleStepTypes),
  state: choice(stepStates),
  at: Type.Number(),
  reason: nullable(
    Type.String({ description: 'Why it was skipped, failed or was cancelled, as a sentence.' }),
  ),
  input: Type.Unknown({ description: `What it did it with: at most ${limits.automation.shownBytes} bytes.` }),
  output: Type.Unknown({ description: 'Of `call`: the answer, as much of it.' }),
  effects: Type.Array(StepEffect),
  waitsUntil: nullable(Type.Number({ description: 'Of `wait`.' })),
  cancelOn: Type.Array(choice(waitCancels), { description: 'Of `wait`: what would cancel it.' }),
});
export type RunStep = Static<typeof RunStep>;

export const runStates = ['running', 'waiting', 'done', 'failed', 'cancelled'] as const;
export type RunState = (typeof runStates)[number];

const runProperties = {
  id: Type.String(),
  ruleId: Type.String(),
  ruleName: Type.String(),
  version: Type.Integer(),
  cause: Cause,
  ...place,
  state: choice(runStates),
  reason: nullable(Type.String({ description: 'Why it failed or was cancelled, as a sentence.' })),
  waitsUntil: nullable(Type.Number({ description: 'While it waits.' })),
  left: nullable(
    Type.Integer({
      description: `Of a schedule: how many more it found than the ${limits.automation.scheduled} it went over.`,
    }),
  ),
  createdAt: Type.Number(),
  endedAt: nullable(Type.Number()),
};
export const RunSummary = Type.Object(runProperties);
export type RunSummary = Static<typeof RunSummary>;
export const AutomationRun = Type.Object({ ...runProperties, steps: Type.Array(RunStep) });
export type AutomationRun = Static<typeof AutomationRun>;
export const RunsPage = pageOf(RunSummary);
export const RunsQuery = Type.Object({
  state: Type.Optional(choice(runStates)),
  ...pageQuery(limits.listPage),
});
export type RunsQuery = Static<typeof RunsQuery>;
