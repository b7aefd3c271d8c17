import { X } from 'lucide-react';
import { useState } from 'react';
import { isDate } from '../../../../contract/widget/opening-hours.ts';
import { plainDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Input } from '../../ui/controls/input.tsx';

export interface ClosedDatesProps {
  dates: readonly string[];
  onChange(dates: string[]): void;
}

/** Public holidays and the like. */
export function ClosedDates({ dates, onChange }: ClosedDatesProps) {
  const [next, setNext] = useState('');
  const add = () => {
    if (!isDate(next)) return;
    onChange([...new Set([...dates, next])].sort());
    setNext('');
  };
  return (
    <div className="flex flex-col gap-2">
      <span className="font-medium">{t('widget.hours.dates')}</span>
      {dates.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {dates.map((date) => (
            <li key={date} className="flex items-center rounded-control border border-line bg-sunken pl-2">
              {plainDate(date)}
              <IconButton
                label={t('widget.hours.removeDate', { date: plainDate(date) })}
                onClick={() => onChange(dates.filter((one) => one !== date))}
              >
                <X className="size-3.5" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex gap-2">
        <Input
          type="date"
          aria-label={t('widget.hours.date')}
          className="w-40!"
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        <Button className="h-8!" disabled={!isDate(next)} onClick={add}>
          {t('widget.hours.addDate')}
        </Button>
      </div>
    </div>
  );
}
