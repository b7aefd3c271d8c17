/** The language of a document, or of new documents of a source. */
import { languageName } from '../texts/language-name.ts';
import { locale } from '../texts/texts.ts';
import { Field } from '../ui/controls/input.tsx';
import { Select } from '../ui/controls/select.tsx';

/** What is offered. Others may be there by the API. */
export const offeredLanguages =
  'en es pt pt-BR fr de it nl ca gl eu da sv nb fi is pl cs sk sl hr sr bs hu ro bg el tr uk ru lt lv et ar he fa hi bn ur id ms vi th fil ja ko zh zh-TW sw'.split(
    ' ',
  );

export interface LanguageSelectProps {
  label: string;
  hint?: string;
  /** Empty: none is chosen. */
  value: string;
  /** What none means; without it, one has to be chosen. */
  none?: string | undefined;
  disabled?: boolean;
  onChange(value: string): void;
}

const noLanguage = 'none';

export function LanguageSelect({ label, hint, value, none, disabled, onChange }: LanguageSelectProps) {
  const languages = [...new Set([...offeredLanguages, ...(value ? [value] : [])])]
    .map((tag) => ({ value: tag, label: languageName(tag) }))
    .sort((one, other) => one.label.localeCompare(other.label, locale()));
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Select
          {...ids}
          value={value || noLanguage}
          disabled={disabled}
          onChange={(next) => onChange(next === noLanguage ? '' : next)}
          options={[...(none === undefined ? [] : [{ value: noLanguage, label: none }]), ...languages]}
        />
      )}
    </Field>
  );
}
