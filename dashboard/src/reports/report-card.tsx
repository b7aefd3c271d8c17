/** The frame of one report: its name, chart or table, its file, and what it shows without data. */
import type { UseQueryResult } from '@tanstack/react-query';
import { ChartNoAxesCombined, ChartSpline, Download, Table2 } from 'lucide-react';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { Segmented } from '../ui/controls/segmented.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { downloadReport, type ReportName, type ReportScope, type Reports } from './report-data.ts';

export type ReportView = 'chart' | 'table';
/** Which reports are shown as tables; kept by the page, where one key turns them all. */
export const ReportViews = createContext<{
  views: { [name in ReportName]?: ReportView };
  onView(name: ReportName, view: ReportView): void;
}>({ views: {}, onView: () => {} });

export interface ReportCardProps<Name extends ReportName> {
  name: Name;
  scope: ReportScope;
  query: UseQueryResult<Reports[Name]>;
  title: string;
  /** After the title: which board, or a choice within the report. */
  aside?: ReactNode;
  hint: string;
  empty: { title: string; text: string };
  isEmpty(data: Reports[Name]): boolean;
  chart(data: Reports[Name]): ReactNode;
  table(data: Reports[Name]): ReactNode;
}

export function ReportCard<Name extends ReportName>(props: ReportCardProps<Name>) {
  const { name, scope, query, title, aside, hint, empty, isEmpty, chart, table } = props;
  const { views, onView } = useContext(ReportViews);
  const view = views[name] ?? 'chart';
  const { data } = query;
  return (
    <section
      aria-label={title}
      aria-busy={query.isFetching}
      data-report={name}
      className="flex min-w-0 flex-col rounded-panel border border-line bg-surface"
    >
      <header className="flex items-start gap-2 px-4 pt-3">
        <div className="min-w-0 flex-1">
          <h2 className="flex flex-wrap items-center gap-x-1.5 font-semibold">
            {title}
            {aside}
          </h2>
          <p className="text-sm text-pretty text-muted">{hint}</p>
        </div>
        <Segmented<ReportView>
          label={t('reports.view', { name: title })}
          value={view}
          onChange={(next) => onView(name, next)}
          segments={[
            { value: 'chart', label: t('reports.asChart'), icon: <ChartSpline className="size-3.5" /> },
            { value: 'table', label: t('reports.asTable'), icon: <Table2 className="size-3.5" /> },
          ]}
        />
        <DownloadButton name={name} title={title} scope={scope} />
      </header>
      <div
        className={cx(
          'flex min-h-[284px] flex-1 flex-col px-4 pt-3 pb-3 transition-opacity',
          query.isPlaceholderData && 'opacity-50',
        )}
      >
        {query.error && !query.isPlaceholderData && !query.isFetching ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} className="py-4!" />
        ) : !data ? (
          <ReportSkeleton />
        ) : isEmpty(data) ? (
          <EmptyState
            className="py-4!"
            icon={<ChartNoAxesCombined className="size-4" />}
            title={empty.title}
            text={empty.text}
          />
        ) : view === 'table' ? (
          <div className="h-[269px] min-h-0">{table(data)}</div>
        ) : (
          chart(data)
        )}
      </div>
    </section>
  );
}

const ReportSkeleton = () => (
  <div className="flex flex-col gap-4">
    <span className="sr-only" role="status">
      {t('ui.loading')}
    </span>
    <Skeleton className="h-[212px]" />
    <div className="flex gap-3">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-4 w-20" />
    </div>
  </div>
);

function DownloadButton({ name, title, scope }: { name: ReportName; title: string; scope: ReportScope }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      await downloadReport(name, scope);
    } catch (error) {
      toast.failed(t('reports.csvFailed'), error, () => void download());
    } finally {
      setBusy(false);
    }
  };
  return (
    <IconButton label={t('reports.csv', { name: title })} busy={busy} onClick={() => void download()}>
      {busy ? null : <Download className="size-4" />}
    </IconButton>
  );
}
