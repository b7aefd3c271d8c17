/** Days on which it is closed, with their names: public holidays and the like. */
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { isDate } from '../../../../contract/widget/opening-hours.ts';
import { plainDate } from '../../texts/format.ts';
import { language, t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { countriesQuery, readHolidays } from './hours-data.ts';

export interface DatesOfHours {
  closedDates: readonly string[];
  names: { readonly [date: string]: string };
}

interface ClosedDatesProps extends DatesOfHours {
  onChange(dates: { closedDates: string[]; names: { [date: string]: string } }): void;
}

export function ClosedDates({ closedDates, names, onChange }: ClosedDatesProps) {
  const [date, setDate] = useState('');
  const [name, setName] = useState('');
  const [isAdding, setAdding] = useState(false);
  const put = (more: { date: string; name: string }[]) => {
    const named = more.flatMap((one) => (one.name ? [[one.date, one.name] as const] : []));
    onChange({
      closedDates: [...new Set([...closedDates, ...more.map((one) => one.date)])].sort(),
      names: { ...names, ...Object.fromEntries(named) },
    });
  };
  const add = () => {
    if (!isDate(date)) return;
    put([{ date, name: name.trim() }]);
    setDate('');
    setName('');
  };
  const remove = (gone: string) => {
    const { [gone]: _, ...rest } = names;
    onChange({ closedDates: closedDates.filter((one) => one !== gone), names: rest });
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h4 className="font-medium">{t('hours.dates')}</h4>
        <Button size="small" onClick={() => setAdding(true)}>
          {t('hours.addHolidays')}
        </Button>
      </div>
      {closedDates.length > 0 && (
        <ul
          aria-label={t('hours.dates')}
          className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto rounded-panel border border-line"
        >
          {closedDates.map((one) => (
            <li key={one} className="flex items-center gap-3 py-0.5 pr-1 pl-3">
              <span className="tabular w-28 shrink-0">{plainDate(one)}</span>
              <span className="min-w-0 flex-1 truncate text-muted">{names[one]}</span>
              <IconButton
                tip={false}
                label={t('hours.removeDate', { date: plainDate(one) })}
                onClick={() => remove(one)}
              >
                <X className="size-3.5" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Input
          type="date"
          aria-label={t('hours.date')}
          className="w-40!"
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
        <Input
          aria-label={t('hours.dateName')}
          placeholder={t('hours.dateName')}
          className="min-w-32 flex-1"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button className="h-8!" disabled={!isDate(date)} onClick={add}>
          {t('hours.addDate')}
        </Button>
      </div>
      {isAdding && <AddHolidays onAdd={put} onClose={() => setAdding(false)} />}
    </div>
  );
}

/** Nothing is saved here: the dates are added to the form. */
function AddHolidays({
  onAdd,
  onClose,
}: {
  onAdd(dates: { date: string; name: string }[]): void;
  onClose(): void;
}) {
  const countries = useQuery(countriesQuery).data ?? [];
  const thisYear = new Date().getFullYear();
  const [country, setCountry] = useState<string>();
  const [year, setYear] = useState(String(thisYear));
  return (
    <FormDialog
      title={t('hours.addHolidays')}
      description={t('hours.holidaysText')}
      action={t('ui.add')}
      ready={country !== undefined}
      onSubmit={async () => onAdd(await readHolidays(country!, Number(year), language()))}
      onClose={onClose}
    >
      <Field label={t('hours.country')}>
        {(ids) => (
          <Select
            {...ids}
            value={country}
            placeholder={t('fields.choose')}
            options={countries.map(({ code, name }) => ({ value: code, label: name }))}
            onChange={setCountry}
          />
        )}
      </Field>
      <Field label={t('hours.year')}>
        {(ids) => (
          <Select
            {...ids}
            value={year}
            options={[0, 1, 2].map((more) => ({
              value: String(thisYear + more),
              label: String(thisYear + more),
            }))}
            onChange={setYear}
          />
        )}
      </Field>
    </FormDialog>
  );
}
