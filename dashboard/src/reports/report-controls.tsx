/** The choices of the header: board, period, step and comparison. */
import { ArrowLeftRight, ChevronDown } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { BoardDot } from '../app/board-dot.tsx';
import { useKanbans } from '../data/queries.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { Segmented } from '../ui/controls/segmented.tsx';
import { Menu, MenuItem, MenuLabel } from '../ui/overlays/menu.tsx';
import { Popover } from '../ui/overlays/popover.tsx';
import { Tooltip } from '../ui/overlays/tooltip.tsx';
import { periodText } from './report-format.ts';
import type { Span } from './report-period.ts';
import { type Preset, presets, type ReportSearch } from './report-search.ts';

export interface ReportHeaderProps {
  search: ReportSearch;
  span: Span;
  onChange(change: Partial<ReportSearch>): void;
  onRefresh(): void;
}

export const presetName = (preset: Preset) => t(`reports.period.${preset}`);

const OwnDates = lazy(() => import('./own-dates.tsx'));

/** In the header, because it is the most used filter. */
export function Board({ search, onChange }: ReportHeaderProps) {
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

export function Periods({ search, span, onChange }: ReportHeaderProps) {
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

export function Steps({ search, span, onChange }: ReportHeaderProps) {
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
