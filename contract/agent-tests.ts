/** Tests of agents: cases, and runs of them over a version or the draft. */
import type { Static } from 'typebox';
import { Citation } from './knowledge.ts';
import { languages, limits } from './limits.ts';
import { guardRules, ToolCall } from './messaging/messages.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const { agentTests } = limits;

export const checkKinds = [
  'contains',
  'not_contains',
  'matches',
  'max_length',
  'language',
  'hands_over',
  'does_not_hand_over',
  'cites',
  'calls_tool',
  'does_not_call_tool',
  'judge',
] as const;
export type CheckKind = (typeof checkKinds)[number];

const Text = Type.String({ minLength: 1, maxLength: agentTests.checkLength });
export const AgentCheck = Type.Object({
  kind: choice(checkKinds),
  text: Type.Optional(
    Type.String({
      ...Text,
      description: 'Of `contains` and `not_contains`. Upper and lower case are the same.',
    }),
  ),
  pattern: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: agentTests.patternLength,
      description: 'Of `matches`: a regular expression in the syntax of RE2.',
    }),
  ),
  max: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.messageLength, description: 'Of `max_length`: characters.' }),
  ),
  language: Type.Optional(choice(languages, { description: 'Of `language`.' })),
  documentId: Type.Optional(
    Type.String({ maxLength: limits.nameLength, description: 'Of `cites`: a document of the knowledge.' }),
  ),
  name: Type.Optional(
    Type.String({ ...Text, description: 'Of `calls_tool` and `does_not_call_tool`: the name of the tool.' }),
  ),
  arguments: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Of `calls_tool`: some of the arguments of one call. Left out: any.',
    }),
  ),
  instruction: Type.Optional(
    Type.String({
      ...Text,
      description:
        'Of `judge`: what a good reply does. The model of the tested agent decides; an agent without one fails.',
    }),
  ),
});
export type AgentCheck = Static<typeof AgentCheck>;

const TestMessage = Type.Object({
  role: choice(['user', 'assistant', 'operator', 'system']),
  content: Type.String({
    maxLength: limits.messageLength,
    description: 'Empty: a message without text, such as one that was removed.',
  }),
});
const TestNote = Type.Object({
  content: Type.String({ minLength: 1, maxLength: limits.messageLength }),
  operatorName: Type.String({ maxLength: limits.nameLength }),
});
const CustomerText = nullable(Type.String({ maxLength: limits.nameLength }));
const TestCustomer = Type.Object({ id: CustomerText, name: CustomerText });
const TestCard = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });
const TestToolResult = Type.Object({
  name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
  arguments: Type.Unknown(),
  result: Type.String({ maxLength: agentTests.resultLength }),
});

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const about = {
  messages: { description: 'Oldest first; the agent answers after the last one.' },
  notes: { description: 'Internal notes that the AI may see.' },
  card: { description: 'What the tool find_record returns. Null: there is no card.' },
  toolResults: {
    description:
      'What calls return: those with this name and equal arguments. Any other call is reported, not made.',
  },
};
const Checks = Type.Array(AgentCheck, {
  maxItems: agentTests.checks,
  description: 'All must hold. None: the agent must give a reply.',
});

export const AgentTestCase = Type.Object({
  id: Type.String(),
  name: Type.String(),
  messages: Type.Array(TestMessage, about.messages),
  notes: Type.Array(TestNote, about.notes),
  customer: TestCustomer,
  card: Type.Unsafe<Record<string, unknown> | null>({ ...TestCard, type: ['object', 'null'], ...about.card }),
  toolResults: Type.Array(TestToolResult, about.toolResults),
  checks: Checks,
  source: Type.Unsafe<{ sessionId: string; messageId: string } | null>({
    ...Type.Object({ sessionId: Type.String(), messageId: Type.String() }),
    type: ['object', 'null'],
    description: 'The conversation that it was taken from; null: it was written.',
  }),
  by: Type.String(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type AgentTestCase = Static<typeof AgentTestCase>;

const written = {
  messages: Type.Optional(
    Type.Array(TestMessage, { minItems: 1, maxItems: agentTests.messages, ...about.messages }),
  ),
  notes: Type.Optional(Type.Array(TestNote, { maxItems: agentTests.messages, ...about.notes })),
  customer: Type.Optional(TestCustomer),
  card: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({ ...TestCard, type: ['object', 'null'], ...about.card }),
  ),
  toolResults: Type.Optional(
    Type.Array(TestToolResult, { maxItems: agentTests.toolResults, ...about.toolResults }),
  ),
  checks: Type.Optional(Checks),
};
export const AgentTestCaseCreate = Type.Object(
  {
    name: Name,
    ...written,
    messages: Type.Optional(
      Type.Array(TestMessage, {
        minItems: 1,
        maxItems: agentTests.messages,
        ...about.messages,
        examples: [[{ role: 'user', content: 'When are you open?' }]],
      }),
    ),
    sessionId: Type.Optional(Type.String()),
    messageId: Type.Optional(Type.String()),
  },
  {
    description:
      'Either `messages`, or `sessionId` and the `messageId` of a message of the customer: the conversation up to it, the notes for the AI, the card, and the results of the tools that were called. Phone numbers, e-mail addresses and the names of contact, conversation and card become placeholders; other names in texts may remain.',
  },
);
export type AgentTestCaseCreate = Static<typeof AgentTestCaseCreate>;
export const AgentTestCaseUpdate = Type.Partial(Type.Object({ name: Name, ...written }));
export type AgentTestCaseUpdate = Static<typeof AgentTestCaseUpdate>;

const runStates = ['waiting', 'running', 'done', 'cancelled', 'failed'] as const;
export type AgentRunState = (typeof runStates)[number];
const Version = Type.Integer({ minimum: 1, maximum: limits.order.max });

export const AgentTestRunCreate = Type.Object({
  version: Type.Union([Version, Type.Literal('draft')], {
    description: 'What is tested. `draft` without a draft: 409 `NO_DRAFT`.',
    examples: ['draft'],
  }),
  baseline: Type.Optional(
    Type.Union([Version, Type.Literal('published')], { description: 'What it is compared with.' }),
  ),
  caseIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: agentTests.cases,
      uniqueItems: true,
      description: 'Left out: all cases.',
    }),
  ),
});
export type AgentTestRunCreate = Static<typeof AgentTestRunCreate>;

export const AgentReplayCreate = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: agentTests.replayDays, description: 'How far back.' }),
  limit: Type.Integer({ minimum: 1, maximum: agentTests.replays }),
  channelIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1_000,
      uniqueItems: true,
      description: 'Left out: all.',
    }),
  ),
});
export type AgentReplayCreate = Static<typeof AgentReplayCreate>;

const Cost = nullable(Type.Number({ description: 'In US dollars; null: unknown.' }));
const Verdict = Type.Object({
  kind: choice(checkKinds),
  passed: Type.Boolean(),
  reason: nullable(Type.String({ description: 'Why it failed, or what the judge says.' })),
});
export type AgentVerdict = Static<typeof Verdict>;
const Side = Type.Object({
  text: nullable(Type.String({ description: 'Null: there is no reply; see `failure`.' })),
  failure: nullable(Type.String()),
  handover: Type.Boolean(),
  heldBy: Type.Array(choice(guardRules), { description: 'Rules that would hold the reply.' }),
  verdicts: Type.Array(Verdict, { description: 'In the order of the checks.' }),
  passed: Type.Boolean({ description: 'There is a reply, and all checks hold.' }),
  citations: Type.Array(Citation),
  toolCalls: Type.Array(ToolCall, { description: 'With the results of the case. Nothing was called.' }),
  cost: Cost,
  latencyMs: nullable(Type.Integer()),
});
export type AgentTestSide = Static<typeof Side>;
const NullableSide = (description: string) =>
  Type.Unsafe<AgentTestSide | null>({ ...Side, type: ['object', 'null'], description });

export const AgentTestResult = Type.Object({
  id: Type.String(),
  caseId: nullable(Type.String({ description: 'Null: of a replay.' })),
  name: Type.String(),
  source: Type.Unsafe<{ sessionId: string; messageId: string } | null>({
    ...Type.Object({ sessionId: Type.String(), messageId: Type.String() }),
    type: ['object', 'null'],
  }),
  subject: NullableSide('What is tested. Null: not yet.'),
  baseline: NullableSide(
    'What it is compared with; of a replay what was sent. Null: not yet, or without one.',
  ),
  changed: nullable(Type.Boolean({ description: 'Whether both sides differ. Null without two replies.' })),
});
export type AgentTestResult = Static<typeof AgentTestResult>;

export const AgentTestRun = Type.Object({
  id: Type.String(),
  kind: choice(['run', 'replay']),
  state: choice(runStates, {
    description: '`failed`: it was given up; see `failure`. Cases that fail do not fail the run.',
  }),
  failure: nullable(Type.String()),
  version: nullable(Type.Integer({ description: 'What is tested; null: the draft, as it was then.' })),
  baseline: nullable(Type.Integer({ description: 'The version that it is compared with.' })),
  counts: Type.Object({
    total: Type.Integer(),
    done: Type.Integer(),
    passed: Type.Integer(),
    failed: Type.Integer(),
    changed: Type.Integer(),
  }),
  cost: Cost,
  by: Type.String(),
  createdAt: Type.Number(),
  endedAt: nullable(Type.Number()),
});
export type AgentTestRun = Static<typeof AgentTestRun>;
export const AgentTestRunDetails = Type.Object({
  ...AgentTestRun.properties,
  results: Type.Array(AgentTestResult, {
    description: 'Without those of conversations that the caller may not read.',
  }),
});
