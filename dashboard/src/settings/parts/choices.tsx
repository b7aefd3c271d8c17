/** Several of a few, as a list of boxes; or of many, as chips with a picker. */
import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Picker } from '../../ui/controls/picker.tsx';
import type { Option } from '../../ui/controls/select.tsx';

export interface Choice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

export function CheckList<T extends string>({
  label,
  choices,
  chosen,
  onChange,
  saved,
  mono,
}: {
  label: string;
  choices: readonly Choice<T>[];
  chosen: readonly T[];
  onChange(chosen: T[]): void;
  saved?: ReactNode;
  mono?: boolean;
}) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 flex w-full items-baseline justify-between font-medium">
        {label}
        {saved}
      </legend>
      <div className="flex flex-col rounded-panel border border-line py-1">
        {choices.map(({ value, label: name, hint }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the box is rendered inside
          <label key={value} className="flex items-start gap-2.5 px-3 py-1.5 hover:bg-hover">
            <Checkbox
              className="mt-0.5"
              label={name}
              checked={chosen.includes(value)}
              onChange={(on) =>
                // In the order of the list, whichever was ticked first.
                onChange(
                  choices
                    .map((choice) => choice.value)
                    .filter((one) => (one === value ? on : chosen.includes(one))),
                )
              }
            />
            <span className="flex min-w-0 flex-col">
              <span className={mono ? 'font-mono text-sm leading-5' : undefined}>{name}</span>
              {hint && <span className="text-sm text-muted">{hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function ChipPicker({
  label,
  hint,
  options,
  chosen,
  onChange,
  none,
  saved,
}: {
  label: string;
  hint?: string;
  options: readonly Option[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
  /** What it means that nothing is chosen. */
  none: string;
  saved?: ReactNode;
}) {
  const nameOf = (value: string) => options.find((option) => option.value === value);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand in a row with the mark
    <div role="group" aria-label={label} className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between">
        <span className="font-medium">{label}</span>
        {saved}
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        {chosen.length === 0 && <span className="mr-1 text-muted">{none}</span>}
        {chosen.map((value) => {
          const option = nameOf(value);
          return (
            <span
              key={value}
              className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-control border border-line bg-sunken pr-0.5 pl-2"
            >
              {option?.mark}
              <span className="truncate">{option?.label ?? t('settings.goneChoice')}</span>
              <button
                type="button"
                aria-label={t('settings.removeChoice', { name: option?.label ?? value })}
                onClick={() => onChange(chosen.filter((one) => one !== value))}
                className="flex size-6 items-center justify-center rounded-control text-faint hover:text-ink"
              >
                <X className="size-3.5" />
              </button>
            </span>
          );
        })}
        <Picker
          label={label}
          several
          options={options}
          chosen={chosen}
          onChange={onChange}
          trigger={
            <Button size="medium" icon={<Plus className="size-3.5" />}>
              {t('ui.add')}
            </Button>
          }
        />
      </div>
      {hint && <p className="text-sm text-muted">{hint}</p>}
    </div>
  );
}
