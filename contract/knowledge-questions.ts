/** Judged questions: questions with the documents that answer them, by which the search of an account is measured. */
import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { nullable } from './shapes/values.ts';

export const JudgedQuestionCreate = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: limits.judgedQuestion.length,
    examples: ['How do I return a product?'],
  }),
  documentIds: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: limits.judgedQuestion.documents,
    description: 'The documents that answer it.',
  }),
});
export type JudgedQuestionCreate = Static<typeof JudgedQuestionCreate>;

export const JudgedQuestion = Type.Object({
  id: Type.String(),
  q: Type.String(),
  documentIds: Type.Array(Type.String(), { description: 'Without those that are gone.' }),
  documents: Type.Array(Type.Object({ id: Type.String(), title: Type.String() }), {
    description: 'Those of `documentIds`.',
  }),
  createdAt: Type.Number(),
});
export type JudgedQuestion = Static<typeof JudgedQuestion>;

export const EvaluateQuestions = Type.Object({
  runId: Type.Optional(Type.String({ description: 'Also as if this run in `review` was published.' })),
  documentId: Type.Optional(
    Type.String({ description: 'Also as if the newest version of this document was published.' }),
  ),
});
export type EvaluateQuestions = Static<typeof EvaluateQuestions>;

const Quality = Type.Object(
  {
    'hit@1': Type.Number({ description: 'The share of questions whose best passage is of such a document.' }),
    'hit@5': Type.Number({ description: 'Of those with such a document among the best five.' }),
    'nDCG@10': Type.Number({ description: 'How high such documents are among the best ten, from 0 to 1.' }),
  },
  { description: 'Means over all questions.' },
);
export type Quality = Static<typeof Quality>;

const Place = nullable(
  Type.Integer({
    description: 'Of the first such document among the best ten, from 1; null: there is none.',
  }),
);

export const QuestionsEvaluation = Type.Object({
  now: nullable(Quality),
  after: nullable(Quality),
  questions: Type.Array(
    Type.Object({ id: Type.String(), q: Type.String(), placeNow: Place, placeAfter: Place }),
    { description: 'Oldest first.' },
  ),
});
export type QuestionsEvaluation = Static<typeof QuestionsEvaluation>;
