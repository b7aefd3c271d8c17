import { Plus, X } from 'lucide-react';
import type { OpeningInterval } from '../../../../contract/widget/opening-hours.ts';
import { locale, t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Input } from '../../ui/controls/input.tsx';

/** 1 January 2024 was a Monday. */
const dayName = (day: number) =>
  new Intl.DateTimeFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));

export interface WeekHoursProps {
  week: OpeningInterval[];
  problem: { index: number; kind: 'order' | 'overlap' | 'missing' } | null;
  onChange(week: OpeningInterval[]): void;
}

/** The end of a day is 24:00; a time input shows it as 0:00. */
const shownEnd = (to: string) => (to === '24:00' ? '00:00' : to);
const readEnd = (to: string) => (to === '00:00' ? '24:00' : to);

export function WeekHours({ week, problem, onChange }: WeekHoursProps) {
  const change = (index: number, update: Partial<OpeningInterval>) =>
    onChange(week.map((one, place) => (place === index ? { ...one, ...update } : one)));
  const add = (day: number) => {
    const last = week.filter((one) => one.day === day).at(-1);
    const from = last && last.to < '23:00' ? last.to : '09:00';
    onChange([...week, { day, from, to: from < '17:00' ? '17:00' : '24:00' }]);
  };
  return (
    <ul className="flex flex-col divide-y divide-line rounded-panel border border-line">
      {[1, 2, 3, 4, 5, 6, 7].map((day) => {
        const name = dayName(day);
        const own = week.flatMap((one, index) => (one.day === day ? { ...one, index } : []));
        return (
          <li key={day} className="flex items-start gap-2 px-3 py-2">
            <span className="w-24 shrink-0 truncate py-1.5 first-letter:uppercase max-sm:w-16">{name}</span>
            <div className="flex min-w-0 flex-1 flex-col gap-2">
              {own.length === 0 && <span className="py-1.5 text-muted">{t('hours.closed')}</span>}
              {own.map(({ index, from, to }) => (
                <div key={index} className="flex flex-wrap items-center gap-1.5">
                  <Input
                    type="time"
                    aria-label={t('hours.from', { day: name })}
                    aria-invalid={problem?.index === index || undefined}
                    className="w-28!"
                    value={from}
                    onChange={(event) => change(index, { from: event.target.value })}
                  />
                  <span aria-hidden className="max-sm:hidden">
                    –
                  </span>
                  <Input
                    type="time"
                    aria-label={t('hours.to', { day: name })}
                    aria-invalid={problem?.index === index || undefined}
                    className="w-28!"
                    value={shownEnd(to)}
                    onChange={(event) => change(index, { to: readEnd(event.target.value) })}
                  />
                  <IconButton
                    label={t('hours.remove', { day: name })}
                    onClick={() => onChange(week.filter((_, place) => place !== index))}
                  >
                    <X className="size-4" />
                  </IconButton>
                  {problem?.index === index && (
                    <p role="alert" className="w-full text-sm text-danger">
                      {t(`hours.problem.${problem.kind}`)}
                    </p>
                  )}
                </div>
              ))}
            </div>
            <IconButton label={t('hours.add', { day: name })} onClick={() => add(day)}>
              <Plus className="size-4" />
            </IconButton>
          </li>
        );
      })}
    </ul>
  );
}
