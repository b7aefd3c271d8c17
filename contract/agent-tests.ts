/** Tests of agents: conversations, and what must hold of the reply to each. */
import type { Static } from 'typebox';
import { languages, limits } from './limits.ts';
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
  content: Type.String({ minLength: 1, maxLength: limits.messageLength }),
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
export const AgentTestCaseCreate = Type.Object({
  name: Name,
  ...written,
  messages: Type.Array(TestMessage, { minItems: 1, maxItems: agentTests.messages, ...about.messages }),
});
export type AgentTestCaseCreate = Static<typeof AgentTestCaseCreate>;
export const AgentTestCaseUpdate = Type.Partial(Type.Object({ name: Name, ...written }));
export type AgentTestCaseUpdate = Static<typeof AgentTestCaseUpdate>;
