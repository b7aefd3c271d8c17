import { ChevronDown } from 'lucide-react';
import { useMemo } from 'react';
import { locale, t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Picker } from '../../ui/controls/picker.tsx';

const none = 'none';

/** Of every currency that the browser knows: its code and its name. */
function currencyNames(): { code: string; name: string }[] {
  const names = new Intl.DisplayNames(locale(), { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((code) => ({ code, name: names.of(code) ?? code }));
}

interface CurrencyChoiceProps {
  /** An ISO 4217 code; null: none. */
  value: string | null;
  onChange(currency: string | null): void;
}

/** The currency of a field's amounts, by its code or its name. */
export function CurrencyChoice({ value, onChange }: CurrencyChoiceProps) {
  const options = useMemo(
    () => [
      { value: none, label: t('boardSettings.noCurrency') },
      ...currencyNames().map(({ code, name }) => ({ value: code, label: `${code} · ${name}` })),
    ],
    [],
  );
  const chosen = value ?? none;
  return (
    <Field label={t('boardSettings.currency')} hint={t('boardSettings.currencyHint')}>
      {(ids) => (
        <Picker
          label={t('boardSettings.currency')}
          options={options}
          chosen={[chosen]}
          onChange={([next = none]) => onChange(next === none ? null : next)}
          trigger={
            <Button {...ids} className="justify-between">
              {options.find((one) => one.value === chosen)?.label}
              <ChevronDown className="size-3.5 text-faint" />
            </Button>
          }
        />
      )}
    </Field>
  );
}
