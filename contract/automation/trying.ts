/** Trying a rule before it is enabled: what it would do now, and what it would have done. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { MacroStepPreview } from '../macros.ts';
import { pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import { AutomationCreate } from './automations.ts';
import { MissedCondition } from './conditions.ts';
import { ruleStepTypes } from './steps.ts';

export const DryRunBody = Type.Object(
  {
    rule: AutomationCreate,
    sessionId: Type.Optional(
      Type.String({ description: 'Try it in this conversation, with its latest message.' }),
    ),
    recordId: Type.Optional(Type.String({ description: 'Try it for this record.' })),
    eventId: Type.Optional(
      Type.String({ description: 'Try it for this event, as if it had just happened: the id in a webhook.' }),
    ),
  },
  { description: 'Exactly one of `sessionId`, `recordId` and `eventId`.' },
);
export type DryRunBody = Static<typeof DryRunBody>;

const { text, unfilled } = MacroStepPreview.properties;
const dryStates = ['ready', 'unchanged', 'not_applicable', 'problem', 'not_reached'] as const;
export const DryRunStep = Type.Object({
  id: Type.String(),
  path: Type.String({ description: 'The place of the step in the rule.', examples: ['steps[2].then[0]'] }),
  type: choice(ruleStepTypes),
  state: choice(dryStates, {
    description:
      '`ready`: it would do this. `unchanged`: it is like this already. `not_applicable`: the step is skipped. `problem`: the run would fail here. `not_reached`: it is in the other branch, or after the end.',
  }),
  text,
  unfilled,
  reason: nullable(
    Type.String({ description: 'Why it is skipped or fails, or why a condition is not met.' }),
  ),
  missed: MissedCondition,
  input: Type.Unknown({ description: 'What it would do it with, as in a run.' }),
  branch: nullable(choice(['then', 'else'], { description: 'Of `if`: where the run would go on.' })),
  waitsUntil: nullable(Type.Number({ description: 'Of `wait`. The steps after it are shown as of now.' })),
});
export type DryRunStep = Static<typeof DryRunStep>;
export const DryRun = Type.Object({
  matched: Type.Boolean(),
  reason: nullable(
    Type.String({ description: 'Why the rule would not run, such as “status was open”. null: it would.' }),
  ),
  missed: MissedCondition,
  sessionId: nullable(Type.String()),
  recordId: nullable(Type.String()),
  steps: Type.Array(DryRunStep, { description: 'Whether the rule would run or not.' }),
});
export type DryRun = Static<typeof DryRun>;

export const BacktestBody = Type.Object({
  rule: AutomationCreate,
  days: Type.Integer({ minimum: 1, maximum: limits.automation.backtestDays, examples: [30] }),
  timeZone: Type.Optional(
    Type.String({
      maxLength: limits.timeZoneLength,
      description: 'Of `perDay`: an IANA name, UTC by default.',
    }),
  ),
});
export type BacktestBody = Static<typeof BacktestBody>;
export const BacktestStarted = Type.Object({ id: Type.String() });

const BacktestDay = Type.Object({
  date: Type.String({ examples: ['2026-11-19'] }),
  checked: Type.Integer({ description: 'How often its trigger came.' }),
  matched: Type.Integer({ description: 'How often the rule would have run.' }),
});
export type BacktestDay = Static<typeof BacktestDay>;
const BacktestItem = Type.Object({
  at: Type.Number(),
  sessionId: nullable(Type.String()),
  recordId: nullable(Type.String()),
});
export type BacktestItem = Static<typeof BacktestItem>;

export const Backtest = Type.Object({
  id: Type.String(),
  state: choice(['running', 'done', 'failed']),
  reason: nullable(Type.String({ description: 'Why it failed.' })),
  perDay: Type.Array(BacktestDay, { description: 'Every day that is covered, in their order.' }),
  items: Type.Array(BacktestItem, {
    description: `When and for what the rule would have run, the latest first: at most the latest ${limits.automation.backtestItems}.`,
  }),
  nextToken: nullable(Type.String()),
  coveredFrom: nullable(
    Type.Number({
      description:
        'What happened before is not known: later than asked for if that is not kept so long. null: nothing about the trigger is kept.',
    }),
  ),
  approximate: Type.Boolean({
    description: 'Something that the rule compares has no history: the values of today were taken.',
  }),
  approximateFields: Type.Array(Type.String(), { description: 'What that is.' }),
});
export type Backtest = Static<typeof Backtest>;
export const BacktestQuery = Type.Object(pageQuery(limits.listPage));
export type BacktestQuery = Static<typeof BacktestQuery>;
