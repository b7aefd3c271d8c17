/** Numbers to look at first, each with how it changed. */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Skeleton } from '../ui/display/states.tsx';
import { average, roundShare, share } from './report-format.ts';

export interface Figure {
  label: string;
  now: number | null | undefined;
  before: number | null | undefined;
  format(value: number): string;
  /** More is better, worse, or neither. */
  good?: 'more' | 'less';
  /** A share changes by points, not by a share of itself. */
  inPoints?: boolean;
  /** Shows what it counts. */
  onOpen?: (() => void) | undefined;
}

export function Tiles({
  label,
  figures,
  isCompared,
  columns = 4,
}: {
  label: string;
  figures: readonly Figure[];
  isCompared: boolean;
  columns?: 3 | 4;
}) {
  return (
    <section aria-label={label}>
      <dl
        className={cx(
          'grid gap-px overflow-hidden rounded-panel border border-line bg-line',
          columns === 3 ? 'grid-cols-3' : 'grid-cols-2 sm:grid-cols-4',
        )}
      >
        {figures.map((figure) => (
          <div key={figure.label} className="flex min-h-[88px] flex-col bg-surface px-4 py-3">
            <dt className="truncate text-sm text-muted" title={figure.label}>
              {figure.label}
            </dt>
            <dd className="tabular mt-0.5 text-xl font-semibold">
              <Value figure={figure} />
            </dd>
            <dd className="h-4 text-sm text-muted">
              {isCompared && figure.now !== undefined && <Change figure={figure} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Value({ figure: { label, now, format, onOpen } }: { figure: Figure }) {
  if (now === undefined) return <Skeleton className="my-1 h-5 w-16" />;
  if (now === null) return <span className="text-faint">–</span>;
  if (!onOpen) return format(now);
  return (
    <button
      type="button"
      aria-label={t('reports.ai.open', { value: format(now), name: label })}
      onClick={onOpen}
      className="rounded-control underline decoration-line-strong decoration-1 underline-offset-4 hover:decoration-current"
    >
      {format(now)}
    </button>
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
