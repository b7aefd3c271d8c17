/** The few numbers that one looks at first, each with how it changed. */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Skeleton } from '../ui/display/states.tsx';
import { type ReportScope, useReport, useReportBefore } from './report-data.ts';
import { average, duration, roundShare, share } from './report-format.ts';

interface Figure {
  label: string;
  now: number | null | undefined;
  before: number | null | undefined;
  format(value: number): string;
  /** More is better, worse, or neither. */
  good?: 'more' | 'less';
  /** A share changes by points, not by a share of itself. */
  inPoints?: boolean;
}

const shareOf = (part: number, whole: number) => (whole > 0 ? part / whole : null);

export function Headline({ scope }: { scope: ReportScope }) {
  const fresh = useReport('new-conversations', scope).data;
  const response = useReport('first-response', scope).data;
  const resolutions = useReport('resolutions', scope).data;
  const answers = useReport('answers', scope).data;
  const handovers = useReport('handovers', scope).data;
  const messages = useReport('messages-per-hour', scope).data;
  const freshBefore = useReportBefore('new-conversations', scope);
  const responseBefore = useReportBefore('first-response', scope);
  const resolutionsBefore = useReportBefore('resolutions', scope);
  const answersBefore = useReportBefore('answers', scope);
  const handoversBefore = useReportBefore('handovers', scope);
  const messagesBefore = useReportBefore('messages-per-hour', scope);

  const aiShare = (report: typeof answers) =>
    report && shareOf(report.total.ai, report.total.ai + report.total.human);
  const given = (report: typeof handovers) => report && report.total.byAi + report.total.byPeople;
  const sent = (report: typeof messages) =>
    report && report.total.customer + report.total.ai + report.total.human + report.total.echo;
  const figures: Figure[] = [
    {
      label: t('reports.headline.conversations'),
      now: fresh?.total,
      before: freshBefore?.total,
      format: number,
    },
    {
      label: t('reports.headline.messages'),
      now: sent(messages),
      before: sent(messagesBefore),
      format: number,
    },
    {
      label: t('reports.headline.firstResponse'),
      now: response?.total.all.medianMs,
      before: responseBefore?.total.all.medianMs,
      format: duration,
      good: 'less',
    },
    {
      label: t('reports.headline.unanswered'),
      now: response?.total.unanswered,
      before: responseBefore?.total.unanswered,
      format: number,
      good: 'less',
    },
    {
      label: t('reports.headline.resolution'),
      now: resolutions?.total.medianMs,
      before: resolutionsBefore?.total.medianMs,
      format: duration,
      good: 'less',
    },
    {
      label: t('reports.headline.reopenRate'),
      now: resolutions?.total.reopenRate,
      before: resolutionsBefore?.total.reopenRate,
      format: share,
      good: 'less',
      inPoints: true,
    },
    {
      label: t('reports.headline.aiShare'),
      now: aiShare(answers),
      before: aiShare(answersBefore),
      format: share,
      inPoints: true,
    },
    {
      label: t('reports.headline.handovers'),
      now: given(handovers),
      before: given(handoversBefore),
      format: number,
    },
  ];
  return (
    <section aria-label={t('reports.headline')}>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line sm:grid-cols-4">
        {figures.map((figure) => (
          <div key={figure.label} className="flex min-h-[88px] flex-col bg-surface px-4 py-3">
            <dt className="truncate text-sm text-muted">{figure.label}</dt>
            <dd className="tabular mt-0.5 text-xl font-semibold">
              {figure.now === undefined ? (
                <Skeleton className="my-1 h-5 w-16" />
              ) : figure.now === null ? (
                <span className="text-faint">–</span>
              ) : (
                figure.format(figure.now)
              )}
            </dd>
            <dd className="h-4 text-sm text-muted">
              {scope.before && figure.now !== undefined && <Change figure={figure} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Less than one in a hundred is still shown. */
const changeText = (part: number) => (part < 0.01 ? share(part) : roundShare(part));

function Change({ figure: { now, before, format, good, inPoints } }: { figure: Figure }) {
  if (before === undefined || now === undefined || now === null) return null;
  if (before === null || (before === 0 && now > 0 && !inPoints)) return t('reports.headline.noneBefore');
  const difference = now - before;
  if (difference === 0) return t('reports.headline.same');
  const isBetter = good && difference > 0 === (good === 'more');
  const text = inPoints
    ? t('reports.headline.points', { value: average(Math.abs(difference) * 100) })
    : changeText(Math.abs(difference) / before);
  const Arrow = difference > 0 ? ArrowUp : ArrowDown;
  return (
    <span
      title={t('reports.headline.was', { value: format(before) })}
      className={cx('inline-flex items-center gap-0.5', good && (isBetter ? 'text-success' : 'text-danger'))}
    >
      <Arrow aria-hidden className="size-3" />
      <span className="sr-only">{difference > 0 ? '+' : '−'}</span>
      {text}
      <span className="sr-only">. {t('reports.headline.was', { value: format(before) })}</span>
    </span>
  );
}
