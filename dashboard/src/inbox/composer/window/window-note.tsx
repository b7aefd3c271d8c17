import { Clock, Lock, Megaphone } from 'lucide-react';
import { fullDate } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Tooltip } from '../../../ui/overlays/tooltip.tsx';
import type { ReplyWindow } from './use-window.ts';

/** From here on the countdown is a warning. */
const soonMinutes = 60;

/** How long free replies are possible. */
export function WindowCountdown({ window: { closesAt, isClosed, minutesLeft } }: { window: ReplyWindow }) {
  if (closesAt === null || isClosed) return null;
  return (
    <Tooltip text={t('window.explained', { time: fullDate(closesAt) })}>
      <span
        className={cx(
          'tabular flex items-center gap-1 text-sm',
          minutesLeft <= soonMinutes ? 'font-medium text-warning' : 'text-muted',
        )}
      >
        <Clock aria-hidden className="size-3.5 shrink-0" />
        {t('window.left', { time: timeLeft(minutesLeft) })}
      </span>
    </Tooltip>
  );
}

const timeLeft = (minutes: number): string =>
  minutes < 60
    ? t('window.minutes', { count: minutes })
    : minutes < 48 * 60
      ? t('window.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
      : t('window.days', { count: Math.floor(minutes / 1_440) });

/** In place of the text field: only a template reaches the customer now. */
export function WindowClosed({ onTemplate }: { onTemplate: (() => void) | null }) {
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 py-3">
      <Lock aria-hidden className="size-4 shrink-0 text-warning" />
      <div className="min-w-48 flex-1">
        <p className="font-medium">{t('window.closed')}</p>
        <p className="text-sm text-muted">
          {onTemplate ? t('window.closed.template') : t('window.closed.wait')}
        </p>
      </div>
      {onTemplate && (
        <Button tone="primary" icon={<Megaphone className="size-3.5" />} onClick={onTemplate}>
          {t('template.choose')}
        </Button>
      )}
    </div>
  );
}
