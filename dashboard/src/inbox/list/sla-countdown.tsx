/** How long until a service level is due, or since when it is late. */

import type { Session } from '../../../../contract/messaging/sessions.ts';
import type { SlaKind } from '../../../../contract/service-levels.ts';
import { fullDate } from '../../texts/format.ts';
import { locale, t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { useMinutes } from '../../ui/display/time.tsx';
import { nextDue } from '../data/inbox-filter.ts';

type Held = Pick<Session, 'sla' | 'status'>;
const soonMs = 15 * 60_000;

/** Of the target that is due first. */
const kindOf = ({ sla }: Held, due: number): SlaKind =>
  sla?.targets.find(({ dueAt }) => dueAt === due)?.kind ?? 'resolution';

/** “12m”, “3h”, “2d”. */
function lengthOf(ms: number, unitDisplay: 'narrow' | 'long'): string {
  const minutes = Math.max(1, Math.round(Math.abs(ms) / 60_000));
  const [unit, count] =
    minutes < 60
      ? (['minute', minutes] as const)
      : minutes < 2_880
        ? (['hour', Math.round(minutes / 60)] as const)
        : (['day', Math.round(minutes / 1_440)] as const);
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay }).format(count);
}

/** For a screen reader. Null: nothing is due. */
export function slaWords(session: Held): string | null {
  const due = nextDue(session);
  if (due === null) return null;
  const left = due - Date.now();
  const kind = t(`inbox.sla.kind.${kindOf(session, due)}`);
  const time = lengthOf(left, 'long');
  return left > 0 ? t('inbox.sla.dueIn', { kind, time }) : t('inbox.sla.lateBy', { kind, time });
}

/** Hidden from screen readers, which get the words. */
export function SlaCountdown({ session }: { session: Held }) {
  useMinutes();
  const due = nextDue(session);
  if (due === null) return null;
  const left = due - Date.now();
  const time = lengthOf(left, 'narrow');
  return (
    <span
      aria-hidden
      title={`${slaWords(session)} (${fullDate(due)})`}
      className={cx(
        'tabular inline-flex h-4 shrink-0 items-center rounded px-1 text-xs font-medium whitespace-nowrap',
        left <= 0
          ? 'bg-danger-soft text-danger'
          : left < soonMs
            ? 'bg-warning-soft text-warning'
            : 'bg-sunken text-muted',
      )}
    >
      {left <= 0 ? `−${time}` : time}
    </span>
  );
}
