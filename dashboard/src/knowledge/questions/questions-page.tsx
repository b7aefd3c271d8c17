/** Test questions: a list with the documents that answer each, and how well the search finds these. */
import { useQuery } from '@tanstack/react-query';
import { ListChecks, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { JudgedQuestion } from '../../../../contract/knowledge-questions.ts';
import { PageHeader } from '../../app/page-header.tsx';
import { useMay } from '../../data/session.ts';
import { CreateButton, EntityList } from '../../settings/parts/entity-list.tsx';
import { Row } from '../../settings/parts/rows.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { BackLink, PageBody } from '../knowledge-parts.tsx';
import { EvaluateButton, Place, QualityTable } from './quality.tsx';
import { QuestionForm } from './question-form.tsx';
import { type Evaluation, questionsQuery, removeQuestion, useEvaluation } from './questions-data.ts';

/** Its properties never change: every render asks for the same. */
const asItIs = {};

export function QuestionsPage() {
  const questions = useQuery(questionsQuery);
  const mayManage = useMay('knowledge.manage');
  const evaluation = useEvaluation(asItIs);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title={t('knowledge.questions')}
        mark={<BackLink label={t('knowledge.all')} />}
        actions={
          mayManage && <CreateButton label={t('knowledge.question.add')} onClick={() => setAdding(true)} />
        }
      />
      <PageBody>
        <p className="text-pretty text-muted">{t('knowledge.questionsText')}</p>
        <Answer query={questions}>
          {(list) => (
            <>
              {mayManage && list.length > 0 && (
                <div className="flex flex-col items-start gap-3">
                  {evaluation.result && <QualityTable result={evaluation.result} />}
                  <EvaluateButton evaluation={evaluation} />
                </div>
              )}
              <EntityList
                label={t('knowledge.questions')}
                items={list}
                empty={{
                  icon: <ListChecks className="size-4" />,
                  title: t('knowledge.question.none'),
                  text: t('knowledge.question.noneText'),
                }}
                search={{ label: t('knowledge.question.find'), textOf: ({ q }) => q }}
                row={(question) => (
                  <QuestionRow
                    key={question.id}
                    question={question}
                    evaluation={evaluation}
                    mayManage={mayManage}
                  />
                )}
              />
            </>
          )}
        </Answer>
      </PageBody>
      {isAdding && <QuestionForm onClose={() => setAdding(false)} />}
    </>
  );
}

function QuestionRow({
  question,
  evaluation: { result },
  mayManage,
}: {
  question: JudgedQuestion;
  evaluation: Evaluation;
  mayManage: boolean;
}) {
  const { id, q, documents } = question;
  const judged = result?.questions.find((one) => one.id === id);
  return (
    <Row
      title={<span title={q}>{q}</span>}
      text={
        documents.length === 0 ? (
          <span className="text-danger">{t('knowledge.question.noDocuments')}</span>
        ) : (
          documents.map(({ title }) => title).join(' · ')
        )
      }
      end={
        <>
          {judged && <Place place={judged.placeNow} />}
          {mayManage && (
            <IconButton
              label={t('knowledge.question.delete', { q })}
              onClick={() => void removeQuestion(question)}
            >
              <Trash2 className="size-4" />
            </IconButton>
          )}
        </>
      }
    />
  );
}
