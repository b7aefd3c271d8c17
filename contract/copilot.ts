/** The copilot: what helps an operator in a conversation. It never sends anything. */
import type { Static } from 'typebox';
import { Citation } from './knowledge.ts';
import { limits } from './limits.ts';
import { patterns } from './shapes/patterns.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const copilotTasks = ['suggest', 'rewrite', 'translate', 'summarize', 'ask'] as const;
export type CopilotTask = (typeof copilotTasks)[number];

const Tasks = Type.Array(choice(copilotTasks), { uniqueItems: true, maxItems: copilotTasks.length });

export const CopilotSettings = Type.Object({
  agentId: nullable(
    Type.String({ description: 'The agent whose model, instructions and knowledge are used. null: off.' }),
  ),
  tasks: Tasks,
  available: Type.Array(choice(copilotTasks), {
    description: 'Those of `tasks` that the agent can do now. Without a model: no `rewrite`, no `translate`.',
  }),
});
export type CopilotSettings = Static<typeof CopilotSettings>;

export const CopilotSettingsUpdate = Type.Partial(
  Type.Object({ agentId: nullable(Type.String()), tasks: Tasks }),
);
export type CopilotSettingsUpdate = Static<typeof CopilotSettingsUpdate>;

export const rewriteStyles = ['shorter', 'friendlier', 'formal', 'fix'] as const;

export const CopilotRequest = Type.Object({
  task: choice(copilotTasks),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.copilot.textLength,
      description: 'Of `rewrite`, and of `translate` without `messageIds`: what the operator has typed.',
    }),
  ),
  messageIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: limits.copilot.messages,
      uniqueItems: true,
      description: 'Of `translate`: messages and notes of the conversation, instead of `text`.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: patterns.languageTag,
      description: 'Of `translate`: the language to translate to. Of `summarize`: that of the summary.',
      examples: ['pt-BR'],
    }),
  ),
  style: Type.Optional(
    Type.Unsafe<(typeof rewriteStyles)[number]>({
      ...choice(rewriteStyles),
      description: 'Of `rewrite`. `fix`: spelling and grammar alone.',
    }),
  ),
  question: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.copilot.questionLength, description: 'Of `ask`.' }),
  ),
});
export type CopilotRequest = Static<typeof CopilotRequest>;

const Translation = Type.Object({ messageId: Type.String(), text: Type.String() });

export const CopilotAnswer = Type.Object({
  text: Type.String(),
  citations: Type.Array(Citation),
  basedOnMessageId: nullable(
    Type.String({
      description:
        "Of `suggest`: the customer's newest message. Of `summarize`: the newest message or note. Otherwise null.",
    }),
  ),
  translations: Type.Optional(Type.Array(Translation, { description: 'Of `translate` with `messageIds`.' })),
  suggestionId: nullable(
    Type.String({ description: 'Of `suggest` and `rewrite`: for the route that reports what became of it.' }),
  ),
});
export type CopilotAnswer = Static<typeof CopilotAnswer>;

/** Streamed. */
export const CopilotEvents = Type.Unsafe<object>({ type: 'string' });

export const copilotOutcomes = ['accepted', 'edited', 'discarded'] as const;
export const CopilotOutcome = Type.Object({
  outcome: Type.Unsafe<(typeof copilotOutcomes)[number]>({
    ...choice(copilotOutcomes),
    description: '`accepted`: sent as it was. `edited`: sent after a change. `discarded`: not sent.',
  }),
});
export type CopilotOutcome = Static<typeof CopilotOutcome>;
