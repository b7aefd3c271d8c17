import { AlarmClock, CircleCheck } from 'lucide-react';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { dayAndTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';

/** Null: it is open. */
export function statusText({ status, snoozedUntil }: Session): string | null {
  if (status === 'open') return null;
  if (status === 'resolved') return t('lifecycle.state.resolved');
  return snoozedUntil === null
    ? t('lifecycle.state.snoozedForCustomer')
    : t('lifecycle.state.snoozed', { time: dayAndTime(snoozedUntil) });
}

export const statusIcons = { snoozed: AlarmClock, resolved: CircleCheck };

/** In the header, instead of who answers: nobody does before it is open again. */
export function StatusNote({ session }: { session: Session }) {
  const { status } = session;
  if (status === 'open') return null;
  const Icon = statusIcons[status];
  const text = statusText(session)!;
  return (
    <span title={text} className="flex min-w-0 items-center gap-1 text-sm text-muted">
      <Icon aria-hidden className="size-3 shrink-0" />
      <span className="truncate">{text}</span>
    </span>
  );
}
