/** Test questions: questions with the documents that answer them. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  EvaluateQuestions,
  JudgedQuestion,
  JudgedQuestionCreate,
  QuestionsEvaluation,
} from '../../../../contract/knowledge-questions.ts';
import { api, apiAll } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { knowledgeKeys } from '../knowledge-data.ts';

const questionsKey = [...knowledgeKeys.all, 'questions'];

export const questionsQuery = queryOptions({
  queryKey: questionsKey,
  queryFn: ({ signal }) => apiAll<JudgedQuestion>('/knowledge/questions', {}, signal),
  staleTime: 0,
});

const reload = () => refresh(questionsKey);

export async function addQuestion(body: JudgedQuestionCreate): Promise<JudgedQuestion> {
  const added = await api<JudgedQuestion>('POST', '/knowledge/questions', { body });
  await reload();
  return added;
}

export async function removeQuestion({ id, q, documentIds }: JudgedQuestion): Promise<void> {
  try {
    await api('DELETE', `/knowledge/questions/${id}`);
    await reload();
    if (documentIds.length === 0) return;
    toast.undo(t('knowledge.question.deleted', { q }), () => {
      void addQuestion({ q, documentIds }).catch((error) => toast.failed(t('settings.undoFailed'), error));
    });
  } catch (error) {
    toast.failed(t('knowledge.question.deleteFailed'), error);
  }
}

/** A further document for a question that is one already, else a new question. */
export async function addAnswer(q: string, documentId: string, known: readonly JudgedQuestion[]) {
  const same = known.find((one) => one.q === q);
  await api('POST', '/knowledge/questions', {
    body: { q, documentIds: [...(same?.documentIds ?? []), documentId] },
  });
  if (same) await api('DELETE', `/knowledge/questions/${same.id}`);
  await reload();
}

export interface Evaluation {
  result: QuestionsEvaluation | null;
  busy: boolean;
  run(): Promise<void>;
}

export function useEvaluation(asIf: EvaluateQuestions): Evaluation {
  const [result, setResult] = useState<QuestionsEvaluation | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      setResult(await api<QuestionsEvaluation>('POST', '/knowledge/questions/evaluate', { body: asIf }));
    } catch (error) {
      toast.failed(t('knowledge.quality.failed'), error);
    } finally {
      setBusy(false);
    }
  };
  return { result, busy, run };
}

export const useQuestions = () => useQuery(questionsQuery).data;
