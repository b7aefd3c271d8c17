/** Gaps: questions of customers that agents could not answer. */
import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { pageQuery } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const gapStates = ['open', 'drafted', 'dismissed'] as const;

export const KnowledgeGap = Type.Object({
  id: Type.String(),
  question: Type.String({ description: 'The oldest one.' }),
  count: Type.Integer({ description: 'How often it was asked.' }),
  lastAt: Type.Number(),
  examples: Type.Array(
    Type.Object({
      sessionId: Type.String(),
      messageId: Type.String(),
      question: Type.String(),
      at: Type.Number(),
    }),
    { description: `The newest ones, at most ${limits.knowledgeGapExamples}.` },
  ),
  state: choice(gapStates),
  documentId: nullable(Type.String({ description: 'The article that was drafted.' })),
  answeredBy: Type.Optional(
    nullable(
      Type.Object(
        { documentId: Type.String(), title: Type.String() },
        {
          description:
            'In the list, of open gaps: a public document, changed since the question was last asked, in which the agent without a model would find the answer.',
        },
      ),
    ),
  ),
});
export type KnowledgeGap = Static<typeof KnowledgeGap>;

export const KnowledgeGapsQuery = Type.Object({
  state: Type.Optional(choice(gapStates)),
  ...pageQuery(limits.listPage),
});
export type KnowledgeGapsQuery = Static<typeof KnowledgeGapsQuery>;
