/** Small parts of the editor: its cards, a length of time, a message at its place. */
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';

/** When, if or then, as the part of a sentence. */
export function RuleCard({
  title,
  text,
  label,
  children,
}: {
  title: string;
  text?: string;
  label: string;
  children: ReactNode;
}) {
  // “When a customer writes” needs no “When” before it.
  const isSaid = text?.toLocaleLowerCase().startsWith(title.toLocaleLowerCase());
  return (
    <section
      aria-label={label}
      className="flex flex-col gap-3 rounded-panel border border-line bg-surface p-3 sm:p-4"
    >
      <h3 className="flex flex-wrap items-baseline gap-x-2">
        {!isSaid && (
          <span className="text-sm font-semibold tracking-wide text-accent-ink uppercase">{title}</span>
        )}
        {text && <span className="min-w-0 font-medium break-words">{text}</span>}
      </h3>
      {children}
    </section>
  );
}

export const ProblemLine = ({ children }: { children: ReactNode }) =>
  children && (
    <p role="alert" className="flex gap-1.5 text-sm text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );

const unitMinutes = { minutes: 1, hours: 60, days: 1_440 } as const;
type Unit = keyof typeof unitMinutes;
const units = Object.keys(unitMinutes) as Unit[];
const unitOf = (minutes: number): Unit =>
  minutes > 0 && minutes % 1_440 === 0 ? 'days' : minutes > 0 && minutes % 60 === 0 ? 'hours' : 'minutes';

/** Minutes, as the number and the unit that somebody would say. */
export function MinutesField({
  label,
  hint,
  minutes,
  onChange,
}: {
  label: string;
  hint?: string;
  minutes: number | undefined;
  onChange(minutes: number | undefined): void;
}) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(minutes ?? 60));
  const factor = unitMinutes[unit];
  const shown = minutes === undefined ? '' : String(minutes / factor);
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <div className="grid max-w-64 grid-cols-[6rem_minmax(0,1fr)] gap-1.5">
          <Input
            {...ids}
            type="number"
            min={0}
            step="any"
            value={shown}
            onChange={({ target: { value } }) =>
              onChange(value === '' ? undefined : Math.round(Number(value) * factor))
            }
          />
          <Select
            label={t('board.filter.unit')}
            value={unit}
            onChange={(next) => {
              setUnit(next);
              if (minutes !== undefined) onChange(Math.round((minutes / factor) * unitMinutes[next]));
            }}
            options={units.map((value) => ({ value, label: t(`automation.unit.${value}`) }))}
          />
        </div>
      )}
    </Field>
  );
}
