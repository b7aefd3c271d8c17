/** Questions with the documents that answer them, and how well the search finds these. */
import type {
  EvaluateQuestions,
  JudgedQuestion,
  JudgedQuestionCreate,
  QuestionsEvaluation,
} from '../../../../contract/knowledge-questions.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { type Actor, audit } from '../../accounts/accounts.ts';
import { newestVersion } from '../documents/knowledge.documents.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import type { AsIf, KnowledgeSearch } from '../search/knowledge.search.ts';
import { previewRun } from '../websites/knowledge.preview.ts';
import {
  countQuestions,
  deleteQuestion,
  insertQuestion,
  selectKnownDocuments,
  selectQuestions,
} from './knowledge.questions.sql.ts';
import { firstPlace, type Judged, qualityOf } from './quality.ts';

export async function listQuestions(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<JudgedQuestion>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['knowledge-questions', accountId];
  const after = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectQuestions(db, accountId, after, size + 1);
  return cutPage(rows, size, ({ id }) => tokens.issue([id], scope));
}

export async function createQuestion(
  tx: Tx,
  actor: Actor,
  now: number,
  input: JudgedQuestionCreate,
): Promise<JudgedQuestion> {
  const { accountId } = actor;
  const q = input.q.trim();
  if (q === '') throw badRequest('q is required');
  await lockKnowledge(tx, accountId);
  const documentIds = [...new Set(input.documentIds)];
  const known = await selectKnownDocuments(tx, accountId, documentIds.filter(isId));
  const unknown = documentIds.findIndex((id) => !known.has(id));
  if (unknown !== -1) throw badRequest(`documentIds[${unknown}] is not a knowledge document of this account`);
  if ((await countQuestions(tx, accountId)) >= limits.judgedQuestions) {
    throw conflict(`an account can have at most ${limits.judgedQuestions} judged questions`);
  }
  const documents = documentIds.map((id) => ({ id, title: known.get(id)! }));
  const question = { id: newId(now), q, documentIds, documents, createdAt: now };
  await insertQuestion(tx, accountId, question);
  await audit(tx, actor, now, {
    action: 'knowledge_question.created',
    target: { type: 'knowledge_question', id: question.id },
    changes: { q: { from: null, to: q }, documentIds: { from: null, to: documentIds } },
  });
  return question;
}

export async function removeQuestion(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const q = isId(id) ? await deleteQuestion(tx, actor.accountId, id) : null;
  if (q === null) throw notFound('judged question');
  await audit(tx, actor, now, {
    action: 'knowledge_question.deleted',
    target: { type: 'knowledge_question', id },
    changes: { q: { from: q, to: null } },
  });
}

/** One whose documents are all gone has no answer, and does not count. */
export async function evaluateQuestions(
  db: Reader,
  search: KnowledgeSearch,
  accountId: string,
  asked: EvaluateQuestions,
): Promise<QuestionsEvaluation> {
  const asIf = await asIfPublished(db, accountId, asked);
  const all = await selectQuestions(db, accountId, null, limits.judgedQuestions);
  const questions = all.filter(({ documentIds }) => documentIds.length > 0);
  const texts = questions.map(({ q }) => q);
  const judge = (ranked: string[][]): Judged[] =>
    questions.map(({ documentIds }, index) => ({ found: ranked[index]!, answering: documentIds }));
  const now = judge(await search.rank(accountId, texts));
  const after = asIf && judge(await search.rank(accountId, texts, asIf));
  return {
    now: qualityOf(now),
    after: after && qualityOf(after),
    questions: questions.map(({ id, q }, index) => ({
      id,
      q,
      placeNow: firstPlace(now[index]!),
      placeAfter: after && firstPlace(after[index]!),
    })),
  };
}

async function asIfPublished(
  db: Reader,
  accountId: string,
  { runId, documentId }: EvaluateQuestions,
): Promise<AsIf | null> {
  if (runId !== undefined && documentId !== undefined) {
    throw badRequest('only one of runId and documentId can be given');
  }
  if (documentId !== undefined) {
    return { documents: [await newestVersion(db, accountId, documentId)], gone: [] };
  }
  return runId === undefined ? null : previewRun(db, accountId, runId);
}
