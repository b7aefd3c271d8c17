/**
 * What is missing in the knowledge: questions that agents could not answer. They are noted with the reply or the rating,
 * and grouped by a job, because grouping compares each with all open gaps.
 */
import type { KnowledgeGap, KnowledgeGapsQuery } from '../../../../contract/knowledge-gaps.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { cleanText } from '../../../platform/db/storable.ts';
import { conflict, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { eraseJobsAbout, type JobHandler, JobReleased, wakeJobs } from '../../../platform/jobs/jobs.ts';
import { type Actor, audit, systemActor } from '../../accounts/accounts.ts';
import { findDocument } from '../documents/knowledge.documents.sql.ts';
import { changeDocument, createDocument, removeDocument } from '../documents/knowledge.documents.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { loadStem } from '../search/knowledge.stemmers.ts';
import { articlesSourceId } from '../sources/knowledge.sources.ts';
import { joinGaps } from './join-gaps.ts';
import {
  deleteEmptyGaps,
  deleteUnanswered,
  findAnswer,
  findFirstSession,
  findLastAnswered,
  type GapAnswer,
  groupUnanswered,
  insertGaps,
  insertUnanswered,
  selectGaps,
  selectOpenGaps,
  selectUngrouped,
  takeDraftsOf,
  type Unanswered,
  updateGap,
} from './knowledge.gaps.sql.ts';

export { type GapAnswer, selectChangedAt, type Unanswered } from './knowledge.gaps.sql.ts';

export const knowledgeGapsJobKind = jobKind('knowledge-gaps');

const questionsAtATime = 200;
/** A question is compared with the newest ones. */
const gapsCompared = 2_000;
const questionLength = 500;

export async function noteUnanswered(
  tx: Tx,
  accountId: string,
  unanswered: readonly Unanswered[],
): Promise<void> {
  if (unanswered.length === 0) return;
  // PostgreSQL refuses half of a surrogate pair in a document.
  const cut = unanswered.map((one) => ({
    ...one,
    question: one.question.trim().slice(0, questionLength).toWellFormed(),
  }));
  await insertUnanswered(tx, accountId, cut);
  await wakeJobs(tx, {
    accountId,
    kind: knowledgeGapsJobKind,
    payloads: new Map([[accountId, { gapsOf: accountId }]]),
  });
}

/** Conversations are gone: gaps without a question go, and so does the job if nothing is left for it. */
export async function tidyGaps(tx: Tx, accountId: string): Promise<void> {
  await deleteEmptyGaps(tx, accountId);
  const left = await selectUngrouped(tx, accountId, 1);
  if (left.length === 0) await eraseJobsAbout(tx, accountId, 'gapsOf', [accountId]);
}

/** The customer was not content, and no person has answered. */
export async function noteBadRating(tx: Tx, accountId: string, sessionId: string, at: number): Promise<void> {
  const last = await findLastAnswered(tx, accountId, sessionId);
  if (last) await noteUnanswered(tx, accountId, [{ ...last, sessionId, at }]);
}

/** The text of the message was removed. */
export const forgetUnanswered = (tx: Tx, accountId: string, messageId: string): Promise<void> =>
  deleteUnanswered(tx, accountId, [messageId]);

interface GapsDeps {
  db: Db;
  /** The words of a question that mean something, and its language. */
  wordsOf(question: string): { words: string[]; language: string };
}

/** Questions without such words are no questions, and go. */
export function knowledgeGapsHandler({ db, wordsOf }: GapsDeps): JobHandler {
  return async (job) => {
    const { accountId } = job;
    const stem = await loadStem();
    for (;;) {
      const found = await selectUngrouped(db, accountId, questionsAtATime);
      if (found.length === 0) {
        await deleteEmptyGaps(db, accountId);
        if (await job.completeUnlessWoken(job.wakes)) return;
        throw new JobReleased('more questions came meanwhile');
      }
      const questions = found.map((one) => {
        const { words, language } = wordsOf(one.question);
        return { ...one, stems: [...new Set(words.map((word) => stem(language, word)))] };
      });
      await db.transaction(async (tx) => {
        await lockKnowledge(tx, accountId);
        const open = await selectOpenGaps(tx, accountId, gapsCompared);
        const asked = questions.filter(({ stems }) => stems.length > 0);
        const { added, grouped } = joinGaps(open, asked, () => newId());
        if (added.length > 0) await insertGaps(tx, accountId, added);
        if (grouped.length > 0) await groupUnanswered(tx, accountId, grouped);
        const empty = questions.filter(({ stems }) => stems.length === 0);
        await deleteUnanswered(
          tx,
          accountId,
          empty.map(({ messageId }) => messageId),
        );
        // Last: replies that note a question change its row.
        await job.keep(tx, true);
      });
    }
  };
}

export async function listGaps(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  visible: string[] | null,
  { state, limit, nextToken }: KnowledgeGapsQuery,
): Promise<Page<KnowledgeGap>> {
  const size = pageSize(limit, limits.listPage);
  const scope = ['knowledge-gaps', accountId, state];
  const [lastAt, id] = nextToken === undefined ? [] : tokens.read(nextToken, scope);
  const before = id === undefined ? null : { lastAt: Number(lastAt), id: String(id) };
  const rows = await selectGaps(db, accountId, { visible, state }, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.lastAt, last.id], scope));
}

/** The question of a gap, and what a person answered. Null: nobody has, or the gap has a draft. */
export async function findGapAnswer(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  id: string,
): Promise<GapAnswer | null> {
  const { state } = await requireGap(db, accountId, visible, id);
  return state === 'drafted' ? null : findAnswer(db, accountId, id, visible);
}

/** An article that was written from an answer. */
export interface WrittenArticle {
  from: GapAnswer;
  title: string;
  text: string;
}

/** Without what names the customer of the conversation. */
type NeutralTexts = (
  tx: Tx,
  accountId: string,
  sessionId: string,
  texts: { question: string; answer: string },
) => Promise<{ question: string; answer: string }>;

/** Without `written`, or if the answer is another one by now: the question and the answer, without the customer. */
export async function draftArticle(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  id: string,
  written: WrittenArticle | null,
  neutralTexts: NeutralTexts,
): Promise<KnowledgeGap> {
  const { accountId } = actor;
  const gap = await lockUndraftedGap(tx, accountId, visible, id);
  const found = await findAnswer(tx, accountId, id, visible);
  const sourceId = await articlesSourceId(tx, accountId);
  if (sourceId === null) throw conflict('the account has no source of articles');
  const isCurrent = written !== null && written.from.answer === found?.answer;
  const draftedFrom = found?.sessionId ?? (await findFirstSession(tx, accountId, id, visible));
  const own = { question: found?.question ?? gap.question, answer: found?.answer ?? '' };
  const neutral = draftedFrom === null ? own : await neutralTexts(tx, accountId, draftedFrom, own);
  const { title, text } = isCurrent ? written : { title: neutral.question, text: neutral.answer };
  const document = await createDocument(tx, actor, now, {
    sourceId,
    title: cleanText(title.slice(0, limits.titleLength)),
    text: cleanText(text.slice(0, limits.articleLength)),
  });
  await updateGap(tx, accountId, id, { state: 'drafted', documentId: document.id, draftedFrom });
  return { ...gap, state: 'drafted', documentId: document.id };
}

export async function dismissGap(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  id: string,
): Promise<KnowledgeGap> {
  const { accountId } = actor;
  const gap = await lockUndraftedGap(tx, accountId, visible, id);
  if (gap.state === 'dismissed') return gap;
  await updateGap(tx, accountId, id, { state: 'dismissed', documentId: null, draftedFrom: null });
  await audit(tx, actor, now, {
    action: 'knowledge_gap.dismissed',
    target: { type: 'knowledge_gap', id },
    changes: { state: { from: 'open', to: 'dismissed' } },
  });
  return { ...gap, state: 'dismissed' };
}

/**
 * A conversation is erased: its questions go with its messages. A draft that was made from it goes too; an article that was
 * published from it is taken out of use, for review.
 */
export async function eraseGapsOf(tx: Tx, accountId: string, sessionId: string, now: number): Promise<void> {
  // First: a draft that is being made from it must be seen.
  await lockKnowledge(tx, accountId);
  const drafts = await takeDraftsOf(tx, accountId, sessionId);
  const actor = systemActor(accountId);
  for (const id of drafts) {
    const state = (await findDocument(tx, accountId, id))?.state;
    if (state === 'draft') await removeDocument(tx, actor, now, id);
    if (state === 'published') await changeDocument(tx, actor, now, id, { state: 'draft' });
  }
}

async function lockUndraftedGap(
  tx: Tx,
  accountId: string,
  visible: string[] | null,
  id: string,
): Promise<KnowledgeGap> {
  await lockKnowledge(tx, accountId);
  const gap = await requireGap(tx, accountId, visible, id);
  if (gap.state === 'drafted') throw conflict('the gap has a draft');
  return gap;
}

async function requireGap(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  id: string,
): Promise<KnowledgeGap> {
  const [gap] = isId(id) ? await selectGaps(db, accountId, { visible, id }, null, 1) : [];
  if (!gap) throw notFound('knowledge gap');
  return gap;
}
