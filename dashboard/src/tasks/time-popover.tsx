/** Chooses a day and a time: quick choices first, then any date. */
import { type FormEvent, type ReactElement, useId, useState } from 'react';
import { weekday } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Input } from '../ui/controls/input.tsx';
import { Popover } from '../ui/overlays/popover.tsx';
import { fromInputs, inputsOf, isWholeDay } from './due.ts';

export interface TimeChoice {
  label: string;
  hint?: string;
  at: number;
}

interface TimePopoverProps {
  trigger: ReactElement;
  label: string;
  value: number | null;
  choices: readonly TimeChoice[];
  /** For a day without a time; null: a time is required. */
  wholeDay: string | null;
  remove: string;
  onChange(at: number | null): void;
}

export function TimePopover(props: TimePopoverProps) {
  const [open, setOpen] = useState(false);
  const choose = (at: number | null) => {
    setOpen(false);
    props.onChange(at);
  };
  return (
    <Popover
      trigger={props.trigger}
      label={props.label}
      open={open}
      onOpenChange={setOpen}
      align="end"
      className="w-60"
    >
      <div data-own-keys="" className="flex flex-col p-1">
        {props.choices.map(({ label, hint, at }) => (
          <button
            key={label}
            type="button"
            onClick={() => choose(at)}
            className="flex h-7 items-center justify-between gap-3 rounded-control px-2 text-left hover:bg-hover"
          >
            <span className="truncate">{label}</span>
            <span className="tabular shrink-0 text-sm text-muted">{hint ?? weekday(at)}</span>
          </button>
        ))}
        <OwnTime {...props} onChange={choose} />
        {props.value !== null && (
          <button
            type="button"
            onClick={() => choose(null)}
            className="flex h-7 items-center rounded-control px-2 text-left text-danger hover:bg-hover"
          >
            {props.remove}
          </button>
        )}
      </div>
    </Popover>
  );
}

/** Set by a button: while a year is typed, every digit is a date already. */
function OwnTime({ value, wholeDay, onChange }: Pick<TimePopoverProps, 'value' | 'wholeDay' | 'onChange'>) {
  const id = useId();
  const known = value === null ? null : inputsOf(value);
  const [date, setDate] = useState(known?.date ?? '');
  const [time, setTime] = useState(
    known && !(wholeDay !== null && isWholeDay(value!)) ? known.time : wholeDay === null ? '09:00' : '',
  );
  const at = date === '' ? null : fromInputs(date, time === '' ? (wholeDay ?? '09:00') : time);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The form around the trigger must not be sent too: events leave a portal by its place in React.
    event.stopPropagation();
    if (at !== null) onChange(at);
  };
  return (
    <form onSubmit={submit} className="mt-1 flex flex-col gap-1.5 border-t border-line px-2 py-2">
      <label htmlFor={`${id}-date`} className="text-sm text-muted">
        {t('tasks.date')}
      </label>
      <Input id={`${id}-date`} type="date" value={date} onChange={(event) => setDate(event.target.value)} />
      <label htmlFor={`${id}-time`} className="text-sm text-muted">
        {wholeDay === null ? t('tasks.time') : t('tasks.timeOptional')}
      </label>
      <div className="flex gap-1.5">
        <Input id={`${id}-time`} type="time" value={time} onChange={(event) => setTime(event.target.value)} />
        <Button type="submit" className="h-8" disabled={at === null}>
          {t('tasks.set')}
        </Button>
      </div>
    </form>
  );
}
