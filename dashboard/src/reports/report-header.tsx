/** What the reports are about: period, steps, comparison, and what narrows them. */
import { useIsFetching } from '@tanstack/react-query';
import { Funnel, RotateCw, X } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { PageHeader } from '../app/page-header.tsx';
import { t } from '../texts/texts.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { Popover } from '../ui/overlays/popover.tsx';
import { useReportChoices } from './report-choices.ts';
import { Board, Periods, type ReportHeaderProps, Steps } from './report-controls.tsx';
import { reportsKey } from './report-data.ts';

const ReportFilters = lazy(() => import('./report-filters.tsx'));

export function ReportHeader(props: ReportHeaderProps) {
  const { search, onChange, onRefresh } = props;
  const narrowed = [search.channel, search.agent, search.policy, search.kind].filter(Boolean).length;
  return (
    <>
      <PageHeader
        title={t('reports.title')}
        actions={
          <>
            <span className="flex items-center gap-2 max-lg:hidden">
              <Steps {...props} />
            </span>
            <Popover
              align="end"
              label={t('reports.filter')}
              className="w-72"
              trigger={
                <Button
                  tone="quiet"
                  icon={<Funnel className="size-3.5" />}
                  className={narrowed > 0 ? 'text-accent-ink!' : ''}
                >
                  <span className="max-md:sr-only">{t('reports.filter')}</span>
                  {narrowed > 0 && <span className="tabular">{narrowed}</span>}
                </Button>
              }
            >
              <Suspense fallback={<div className="h-40" />}>
                <ReportFilters search={search} onChange={onChange} />
              </Suspense>
            </Popover>
            <RefreshButton onRefresh={onRefresh} />
          </>
        }
      >
        <span className="ml-2 flex min-w-0 items-center gap-2 max-lg:hidden">
          <Board {...props} />
          <Periods {...props} />
        </span>
      </PageHeader>
      <div className="flex shrink-0 items-center gap-2 overflow-x-auto border-b border-line px-3 py-2 lg:hidden">
        <Board {...props} />
        <Periods {...props} />
        <Steps {...props} />
      </div>
      <FilterChips {...props} />
    </>
  );
}

/** Only this is rendered at each report that begins and arrives, not all of them. */
function RefreshButton({ onRefresh }: Pick<ReportHeaderProps, 'onRefresh'>) {
  const isFetching = useIsFetching({ queryKey: reportsKey }) > 0;
  return (
    <IconButton label={t('reports.refresh')} busy={isFetching} onClick={onRefresh}>
      {isFetching ? null : <RotateCw className="size-3.5" />}
    </IconButton>
  );
}

function FilterChips({ search, onChange }: ReportHeaderProps) {
  const chips = useReportChoices(search).flatMap(({ key, name, options }) => {
    const value = search[key];
    return value ? { key, name, value: options.find((one) => one.value === value)?.label ?? '…' } : [];
  });
  if (chips.length === 0) return null;
  return (
    <div className="flex shrink-0 flex-wrap gap-1.5 border-b border-line px-4 py-1.5">
      {chips.map((chip) => (
        <span
          key={chip.key}
          className="flex h-6 items-center rounded-control border border-line bg-sunken text-sm"
        >
          <span className="pl-2 text-muted">{chip.name}</span>
          <span className="max-w-48 truncate px-1.5 font-medium">{chip.value}</span>
          <button
            type="button"
            aria-label={t('reports.filter.remove', { name: chip.name })}
            onClick={() => onChange({ [chip.key]: undefined })}
            className="flex h-full items-center rounded-r-control border-l border-line px-1 text-faint hover:bg-hover hover:text-ink"
          >
            <X className="size-3" />
          </button>
        </span>
      ))}
    </div>
  );
}
