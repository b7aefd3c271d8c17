/** The few numbers that one looks at first, each with how it changed. */
import { number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { type ReportScope, useReport, useReportBefore } from './report-data.ts';
import { duration, share } from './report-format.ts';
import { type Figure, Tiles } from './tiles.tsx';

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
  return <Tiles label={t('reports.headline')} figures={figures} isCompared={scope.before !== null} />;
}
