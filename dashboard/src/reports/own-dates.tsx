import { type FormEvent, useState } from 'react';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { dayText, type Span } from './report-period.ts';

/** Two days by the calendar; begins with those that are shown now. */
export default function OwnDates({ span, onShow }: { span: Span; onShow(from: string, to: string): void }) {
  const [from, setFrom] = useState(dayText(span.period.from));
  const [to, setTo] = useState(dayText(span.period.to - 1));
  const isWrong = from !== '' && to !== '' && from > to;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (from && to && !isWrong) onShow(from, to);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 p-3">
      <TextField
        label={t('reports.period.from')}
        type="date"
        required
        value={from}
        max={dayText(Date.now())}
        onChange={setFrom}
      />
      <TextField
        label={t('reports.period.to')}
        error={isWrong ? t('reports.period.wrong') : undefined}
        type="date"
        required
        value={to}
        onChange={setTo}
      />
      <Button type="submit" tone="primary" disabled={!from || !to || isWrong}>
        {t('reports.period.apply')}
      </Button>
    </form>
  );
}
