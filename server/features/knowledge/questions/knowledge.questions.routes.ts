import {
  EvaluateQuestions,
  JudgedQuestion,
  JudgedQuestionCreate,
  QuestionsEvaluation,
} from '../../../../contract/knowledge-questions.ts';
import { limits } from '../../../../contract/limits.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { createQuestion, evaluateQuestions, listQuestions, removeQuestion } from '../knowledge.ts';

const tags = ['Knowledge'];
const view = { access: { scope: 'knowledge:read', permission: 'knowledge.view' } } as const;
const manage = { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } } as const;

export function questionsRoutes(app: App, { db, clock, write, pageTokens, knowledgeSearch }: Context): void {
  app.get(
    '/knowledge/questions',
    {
      config: view,
      schema: {
        tags,
        summary: 'Judged questions, oldest first',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(JudgedQuestion) },
      },
    },
    ({ actor, query }) => listQuestions(db, pageTokens, actor.accountId, query),
  );

  app.post(
    '/knowledge/questions',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Add a judged question',
        description: `A question with the documents that answer it. An account can have ${limits.judgedQuestions} (409).`,
        body: JudgedQuestionCreate,
        response: { 201: JudgedQuestion },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createQuestion(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.delete(
    '/knowledge/questions/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Remove a judged question',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeQuestion(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'judged question removed' } };
      }),
  );

  app.post(
    '/knowledge/questions/evaluate',
    {
      config: manage,
      // Nothing in it is required.
      preValidation: (request, _reply, done) => {
        request.body ??= {};
        done();
      },
      schema: {
        tags,
        summary: 'Measure the search with the judged questions',
        description:
          'As it is now and, with `runId` or `documentId`, as it would be after publishing. Changes nothing.',
        body: EvaluateQuestions,
        response: { 200: QuestionsEvaluation },
      },
    },
    ({ actor, body }) => evaluateQuestions(db, knowledgeSearch, actor.accountId, body),
  );
}
