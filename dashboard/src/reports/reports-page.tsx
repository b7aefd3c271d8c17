import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { NoAccess } from '../app/no-page.tsx';
import { useRemembered } from '../app/remembered.ts';
import { useShortcut } from '../app/shortcuts.tsx';
import { kanbansQuery } from '../data/queries.ts';
import { refresh } from '../data/refresh.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Segmented } from '../ui/controls/segmented.tsx';
import { Headline } from './headline.tsx';
import { type ReportView, ReportViews } from './report-card.tsx';
import { presetName } from './report-controls.tsx';
import { type ReportName, type ReportScope, reportsKey } from './report-data.ts';
import { periodText } from './report-format.ts';
import { ReportHeader } from './report-header.tsx';
import { spanOf } from './report-period.ts';
import { type Preset, presets, type ReportSearch } from './report-search.ts';
import { Answers } from './views/answers.tsx';
import { FirstResponse } from './views/first-response.tsx';
import { Handovers } from './views/handovers.tsx';
import { MessagesPerHour } from './views/messages-per-hour.tsx';
import { NewConversations } from './views/new-conversations.tsx';
import { RecordsByStatus } from './views/records-by-status.tsx';
import { Resolutions } from './views/resolutions.tsx';
import { Satisfaction } from './views/satisfaction.tsx';
import { StatusConversion } from './views/status-conversion.tsx';
import { WebhookHealth } from './views/webhook-health.tsx';

const names: readonly ReportName[] = [
  'records-by-status',
  'status-conversion',
  'new-conversations',
  'first-response',
  'resolutions',
  'satisfaction',
  'answers',
  'handovers',
  'service-levels',
  'ai',
  'copilot',
  'messages-per-hour',
  'webhooks',
];

const AiReport = lazy(() => import('./ai/ai-report.tsx'));
const ServiceLevelsReport = lazy(() => import('./service-levels/service-levels-report.tsx'));

export function ReportsPage() {
  return useMay('reports.view') ? <Reports /> : <NoAccess />;
}

function Reports() {
  const search = useSearch({ from: '/shell/reports' });
  const navigate = useNavigate({ from: '/reports' });
  const { data: boards } = useQuery(kanbansQuery);
  const may = useMay('webhooks.manage');
  // The end of the period is fixed until another period is chosen or the page is refreshed.
  const [now, setNow] = useState(Date.now);
  const [views, setViews] = useRemembered<{ [name in ReportName]?: ReportView }>('report-views', {});

  const span = useMemo(() => spanOf(search, now), [search, now]);
  const scope = useMemo(
    (): ReportScope => ({
      period: span.period,
      before: search.compare === 'off' ? null : span.before,
      // An unknown or inaccessible board is requested anyway: the response reports it.
      kanbanId: boards?.find(({ slug }) => slug === search.board)?.id ?? search.board,
      channelId: search.channel,
      agentId: search.agent,
      policyId: search.policy,
      kind: search.kind,
    }),
    [span, boards, search],
  );
  const change = (next: Partial<ReportSearch>) => {
    setNow(Date.now());
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  };
  const readAgain = () => {
    setNow(Date.now());
    void refresh(reportsKey);
  };
  const turnAll = () => {
    const view = names.every((name) => views[name] === 'table') ? 'chart' : 'table';
    setViews(Object.fromEntries(names.map((name) => [name, view])));
  };
  useShortcut('v', turnAll, { label: t('reports.keys.tables'), group: 'reports' });

  const isReady = !search.board || boards !== undefined;
  return (
    <ReportViews value={{ views, onView: (name, view) => setViews({ ...views, [name]: view }) }}>
      {presets.map((preset, at) => (
        <PeriodKey
          key={preset}
          preset={preset}
          number={at + 1}
          onChoose={() => change({ period: preset, from: undefined, to: undefined, bucket: undefined })}
        />
      ))}
      <ReportHeader search={search} span={span} onChange={change} onRefresh={readAgain} />
      <div className="min-h-0 flex-1 overflow-y-auto bg-canvas">
        {isReady && (
          <div className="mx-auto flex max-w-[1320px] flex-col gap-3 p-3 md:p-4">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <Segmented<'all' | 'ai' | 'service-levels'>
                label={t('reports.about')}
                value={search.about ?? 'all'}
                onChange={(about) =>
                  change({ about: about === 'all' ? undefined : about, policy: undefined, kind: undefined })
                }
                segments={[
                  { value: 'all', label: t('reports.about.all') },
                  { value: 'ai', label: t('reports.about.ai') },
                  { value: 'service-levels', label: t('reports.about.sla') },
                ]}
              />
              <p className="text-sm text-muted">
                {t('reports.range', { period: periodText(span.period), timeZone: span.period.timeZone })}
              </p>
            </div>
            {search.about ? (
              <Suspense fallback={<div className="h-96" />}>
                {search.about === 'ai' ? <AiReport scope={scope} /> : <ServiceLevelsReport scope={scope} />}
              </Suspense>
            ) : (
              <>
                <Headline scope={scope} />
                <div className="grid gap-3 xl:grid-cols-2">
                  <RecordsByStatus scope={scope} />
                  <StatusConversion scope={scope} />
                  <NewConversations scope={scope} />
                  <FirstResponse scope={scope} />
                  <Resolutions scope={scope} />
                  <Satisfaction scope={scope} />
                  <Answers scope={scope} />
                  <Handovers scope={scope} />
                  <MessagesPerHour scope={scope} />
                  {/* Webhooks are visible to administrators only. */}
                  {may && <WebhookHealth scope={scope} />}
                </div>
              </>
            )}
          </div>
        )}
      </div>
    </ReportViews>
  );
}

function PeriodKey({ preset, number, onChoose }: { preset: Preset; number: number; onChoose(): void }) {
  useShortcut(String(number), onChoose, {
    label: t('reports.keys.period', { name: presetName(preset) }),
    group: 'reports',
  });
  return null;
}
