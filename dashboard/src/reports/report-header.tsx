/** What the reports are about: period, steps, comparison, and what narrows them. */
import { ArrowLeftRight, ChevronDown, Funnel, RotateCw, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { BoardDot } from '../app/board-dot.tsx';
import { PageHeader } from '../app/page-header.tsx';
import { useKanbans } from '../data/queries.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { Segmented } from '../ui/controls/segmented.tsx';
import { Menu, MenuItem, MenuLabel } from '../ui/overlays/menu.tsx';
import { Popover } from '../ui/overlays/popover.tsx';
import { Tooltip } from '../ui/overlays/tooltip.tsx';
import { useReportChoices } from './report-choices.ts';
import { periodText } from './report-format.ts';
import type { Span } from './report-period.ts';
import { type Preset, presets, type ReportSearch } from './report-search.ts';

const ReportFilters = lazy(() => import('./report-filters.tsx'));
const OwnDates = lazy(() => import('./own-dates.tsx'));

export interface ReportHeaderProps {
  search: ReportSearch;
  span: Span;
  isFetching: boolean;
  onChange(change: Partial<ReportSearch>): void;
  onRefresh(): void;
}

export const presetName = (preset: Preset) => t(`reports.period.${preset}`);

export function ReportHeader(props: ReportHeaderProps) {
  const { search, isFetching, onChange, onRefresh } = props;
  const narrowed = [search.channel, search.agent].filter(Boolean).length;
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
            <IconButton label={t('reports.refresh')} busy={isFetching} onClick={onRefresh}>
              {isFetching ? null : <RotateCw className="size-3.5" />}
            </IconButton>
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

/** The first question that a report is asked, so it needs no search for where to ask it. */
function Board({ search, onChange }: ReportHeaderProps) {
  const boards = useKanbans();
  const board = boards.find(({ slug }) => slug === search.board);
  const name = board?.name ?? t('reports.boards.all');
  return (
    <Menu
      trigger={
        <Button
          tone="quiet"
          className={cx('min-w-0 shrink-0', board && 'text-accent-ink!')}
          aria-label={`${t('reports.filter.board')}: ${name}`}
          icon={board && <BoardDot id={board.id} />}
        >
          <span className="max-w-40 truncate">{name}</span>
          <ChevronDown aria-hidden className="size-3 text-faint" />
        </Button>
      }
    >
      <MenuLabel>{t('reports.filter.board')}</MenuLabel>
      <MenuItem checked={!board} onSelect={() => onChange({ board: undefined })}>
        {t('reports.boards.all')}
      </MenuItem>
      {boards.map(({ id, slug, name: one }) => (
        <MenuItem
          key={id}
          icon={<BoardDot id={id} />}
          checked={slug === search.board}
          onSelect={() => onChange({ board: slug })}
        >
          {one}
        </MenuItem>
      ))}
    </Menu>
  );
}

function Periods({ search, span, onChange }: ReportHeaderProps) {
  const [open, setOpen] = useState(false);
  const isOwn = search.period === 'custom';
  return (
    <>
      <Segmented<Preset | 'custom'>
        label={t('reports.period')}
        value={search.period ?? '30d'}
        onChange={(period) => onChange({ period, from: undefined, to: undefined, bucket: undefined })}
        segments={presets.map((preset) => ({ value: preset, label: presetName(preset) }))}
      />
      <Popover
        label={t('reports.period')}
        className="w-64"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <Button tone="quiet" className={isOwn ? 'text-accent-ink!' : ''}>
            {isOwn ? periodText(span.period) : t('reports.period.custom')}
          </Button>
        }
      >
        <Suspense fallback={<div className="h-44" />}>
          <OwnDates
            span={span}
            onShow={(from, to) => {
              setOpen(false);
              onChange({ period: 'custom', from, to, bucket: undefined });
            }}
          />
        </Suspense>
      </Popover>
    </>
  );
}

function Steps({ search, span, onChange }: ReportHeaderProps) {
  const { bucket } = span.period;
  const isCompared = search.compare !== 'off';
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button tone="quiet" aria-label={`${t('reports.bucket')}: ${t(`reports.bucket.${bucket}`)}`}>
            {t(`reports.bucket.${bucket}`)}
            <ChevronDown aria-hidden className="size-3 text-faint" />
          </Button>
        }
      >
        <MenuLabel>{t('reports.bucket')}</MenuLabel>
        {span.buckets.map((one) => (
          <MenuItem key={one} checked={one === bucket} onSelect={() => onChange({ bucket: one })}>
            {t(`reports.bucket.${one}`)}
          </MenuItem>
        ))}
      </Menu>
      <Tooltip text={t('reports.compare.hint')}>
        <Button
          tone="quiet"
          aria-pressed={isCompared}
          icon={<ArrowLeftRight className="size-3.5" />}
          className={isCompared ? 'text-accent-ink!' : ''}
          onClick={() => onChange({ compare: isCompared ? 'off' : undefined })}
        >
          {t('reports.compare')}
        </Button>
      </Tooltip>
    </>
  );
}

function FilterChips({ search, onChange }: ReportHeaderProps) {
  const { channels, agents } = useReportChoices();
  const chips = [
    {
      key: 'channel',
      name: t('reports.filter.channel'),
      value: search.channel && (channels.find(({ id }) => id === search.channel)?.name ?? '…'),
    },
    {
      key: 'agent',
      name: t('reports.filter.agent'),
      value: search.agent && (agents.find(({ id }) => id === search.agent)?.name ?? '…'),
    },
  ].filter(({ value }) => value);
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
