/** How well the search finds the right documents of the test questions: now and, with `asIf`, after publishing. */
import { Link } from '@tanstack/react-router';
import type {
  EvaluateQuestions,
  Quality,
  QuestionsEvaluation,
} from '../../../../contract/knowledge-questions.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toItem } from '../knowledge-parts.tsx';
import { type Evaluation, useEvaluation, useQuestions } from './questions-data.ts';

/** For a run in review, or for a document whose newest version is not published. */
export function QualityPreview({ asIf }: { asIf: EvaluateQuestions }) {
  const evaluation = useEvaluation(asIf);
  const questions = useQuestions();
  if (!questions) return null;
  return (
    <section aria-labelledby="quality" className="flex flex-col gap-3 rounded-panel border border-line p-3">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 id="quality" className="font-semibold">
            {t('knowledge.quality.preview')}
          </h2>
          <p className="text-pretty text-muted">
            {questions.length === 0 ? t('knowledge.question.noneText') : t('knowledge.quality.previewText')}
          </p>
        </div>
        {questions.length === 0 ? (
          <Link {...toItem('questions', 'all')} className="underline underline-offset-2">
            {t('knowledge.questions')}
          </Link>
        ) : (
          <EvaluateButton evaluation={evaluation} />
        )}
      </div>
      {evaluation.result && (
        <>
          <QualityTable result={evaluation.result} />
          <MovedQuestions result={evaluation.result} />
        </>
      )}
    </section>
  );
}

export const EvaluateButton = ({ evaluation: { busy, run } }: { evaluation: Evaluation }) => (
  <Button busy={busy} onClick={() => void run()}>
    {t('knowledge.quality.evaluate')}
  </Button>
);

const percent = (share: number) => `${number(Math.round(share * 100))} %`;
const figures: { [name in keyof Quality]: (value: number) => string } = {
  'hit@1': percent,
  'hit@5': percent,
  'nDCG@10': (value) => number(Math.round(value * 100) / 100),
};

export function QualityTable({ result: { now, after } }: { result: QuestionsEvaluation }) {
  if (!now) return null;
  const names = Object.keys(figures) as (keyof Quality)[];
  return (
    <table className="tabular w-full border-separate border-spacing-0 text-left">
      <thead className="text-sm text-muted">
        <tr>
          <th scope="col" className="py-1 font-normal">
            {t('knowledge.quality.figure')}
          </th>
          <th scope="col" className="py-1 text-right font-normal">
            {t('knowledge.quality.now')}
          </th>
          {after && (
            <th scope="col" className="py-1 text-right font-normal">
              {t('knowledge.quality.after')}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row" className="border-t border-line py-1.5 pr-3 font-normal">
              {t(`knowledge.quality.${name}`)} <span className="text-sm text-faint">{name}</span>
            </th>
            <td className="border-t border-line py-1.5 text-right font-medium">{figures[name](now[name])}</td>
            {after && (
              <td
                className={cx(
                  'border-t border-line py-1.5 text-right font-medium',
                  after[name] > now[name] && 'text-success',
                  after[name] < now[name] && 'text-danger',
                )}
              >
                {figures[name](after[name])}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function MovedQuestions({ result: { questions } }: { result: QuestionsEvaluation }) {
  const moved = questions.filter(({ placeNow, placeAfter }) => placeNow !== placeAfter);
  if (moved.length === 0) return <p className="text-muted">{t('knowledge.quality.same')}</p>;
  return (
    <ul aria-label={t('knowledge.quality.moved')} className="flex flex-col">
      {moved.map(({ id, q, placeNow, placeAfter }) => (
        <li key={id} className="flex items-center gap-2 border-t border-line py-1.5">
          <span className="min-w-0 flex-1 truncate" title={q}>
            {q}
          </span>
          <Place place={placeNow} />
          <span aria-hidden className="text-faint">
            →
          </span>
          <Place place={placeAfter} />
        </li>
      ))}
    </ul>
  );
}

/** Of the first right document. */
export const Place = ({ place }: { place: number | null }) =>
  place === null ? (
    <Badge hue="red">{t('knowledge.question.notFound')}</Badge>
  ) : (
    <Badge hue={place === 1 ? 'green' : place <= 5 ? 'blue' : 'yellow'}>
      {t('knowledge.question.place', { place })}
    </Badge>
  );
