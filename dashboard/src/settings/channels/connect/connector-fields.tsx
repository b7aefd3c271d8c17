/** The settings and credentials of one kind: what is needed first, what has a default under "More". */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { hasText, t } from '../../../texts/texts.ts';
import { CopyButton } from '../../../ui/controls/copy-field.tsx';
import { Field, Input } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import type { FieldName, FieldValues, Kind, KindField } from './connector-kinds.tsx';
import { MailPresets } from './mailbox/mail-presets.tsx';

export interface ConnectorFieldsProps {
  kind: Kind;
  values: FieldValues;
  onChange(values: FieldValues): void;
  /** Credentials are stored: an empty field keeps them. */
  isStored?: boolean;
  autoFocus?: boolean;
  /** Under "More", before the fields of the kind. */
  more?: ReactNode;
}

export function ConnectorFields({ kind, values, onChange, isStored, autoFocus, more }: ConnectorFieldsProps) {
  const first = kind.fields.filter(({ isAdvanced }) => !isAdvanced);
  const advanced = kind.fields.filter(({ isAdvanced }) => isAdvanced);
  const field = (one: KindField) => (
    <OneField
      key={one.name}
      kind={kind}
      field={one}
      value={values[one.name] ?? ''}
      isStored={isStored && one.isCredential}
      autoFocus={autoFocus && one === first[0]}
      onChange={(value) => onChange({ ...values, [one.name]: value })}
    />
  );
  return (
    <>
      {kind.kind === 'email' && <MailPresets values={values} onChange={onChange} />}
      {first.map(field)}
      <More>
        {more}
        {advanced.map(field)}
      </More>
    </>
  );
}

interface OneFieldProps {
  kind: Kind;
  field: KindField;
  value: string;
  isStored: boolean | undefined;
  autoFocus: boolean | undefined;
  onChange(value: string): void;
}

function OneField({ kind: { kind }, field, value, isStored, autoFocus, onChange }: OneFieldProps) {
  const { name, choices, isCredential, placeholder } = field;
  const label = t(`connectors.field.${name}`);
  const hint = hintOf(kind, name);
  if (choices) {
    return (
      <Field label={label} hint={hint}>
        {(ids) => (
          <Select<string>
            {...ids}
            value={value}
            options={choices.map((one) => ({ value: one, label: t(`connectors.mode.${one}`) }))}
            onChange={onChange}
          />
        )}
      </Field>
    );
  }
  if (field.isShared) {
    return (
      <Field label={label} hint={isStored ? t('connectors.storedHint') : hint}>
        {(ids) => (
          <div className="flex items-center gap-1">
            <Input
              {...ids}
              className="min-w-0 flex-1 font-mono text-sm"
              autoComplete="off"
              spellCheck={false}
              placeholder={isStored ? t('connectors.stored') : undefined}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
            <CopyButton value={value} label={t('connectors.copyToken')} />
          </div>
        )}
      </Field>
    );
  }
  return (
    <TextField
      label={label}
      hint={isStored && !field.isCopied ? t('connectors.storedHint') : hint}
      mono={!field.isLong}
      lines={field.isLong && { min: 3, max: 8 }}
      type={isCredential ? 'password' : 'text'}
      // A password manager must neither offer nor store it.
      autoComplete={isCredential ? 'new-password' : 'off'}
      spellCheck={false}
      autoFocus={autoFocus}
      placeholder={isStored ? t('connectors.stored') : placeholder}
      value={value}
      onChange={onChange}
    />
  );
}

function hintOf(kind: Kind['kind'], name: FieldName): string | undefined {
  const key = `connectors.hint.${kind}.${name}`;
  return hasText(key) ? t(key as 'connectors.hint.telegram.botToken') : undefined;
}

const More = ({ children }: { children: ReactNode }) => (
  <details className="group/more">
    <summary className="-mx-1 inline-flex h-7 cursor-pointer list-none items-center gap-1 rounded-control px-1 font-medium text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
      <ChevronRight aria-hidden className="size-3.5 transition-transform group-open/more:rotate-90" />
      {t('connectors.more')}
    </summary>
    <div className="flex flex-col gap-4 pt-3">{children}</div>
  </details>
);
