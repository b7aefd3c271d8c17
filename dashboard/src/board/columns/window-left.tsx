import { Clock } from 'lucide-react';
import { fullDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { useMinutes } from '../../ui/display/time.tsx';

const hour = 3_600_000;

/** How long the customer can still be answered freely. Nothing once it is over. */
export function WindowLeft({ closesAt }: { closesAt: number }) {
  useMinutes();
  const left = closesAt - Date.now();
  if (left <= 0) return null;
  const isSoon = left <= hour;
  const text = isSoon
    ? t('board.window.minutes', { count: Math.ceil(left / 60_000) })
    : t('board.window.hours', { count: Math.floor(left / hour) });
  const title = t('board.window', { time: fullDate(closesAt) });
  return (
    <span
      title={title}
      className={cx('tabular flex shrink-0 items-center gap-0.5', isSoon && 'text-warning')}
    >
      <Clock aria-hidden className="size-3" />
      <span className="sr-only">{title}</span>
      <span aria-hidden>{text}</span>
    </span>
  );
}
