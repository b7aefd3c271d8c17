/** The settings and credentials of one kind: what is needed first, what has a default under "More". */
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMay } from '../../../data/session.ts';
import { t } from '../../../texts/texts.ts';
import { CopyButton } from '../../../ui/controls/copy-field.tsx';
import { Field, Input } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import {
  type FieldName,
  type FieldValues,
  isAddress,
  type Kind,
  type KindField,
} from './connector-kinds.tsx';
import { type FieldError, hintOf } from './field-error.ts';
import { followPort } from './mailbox/mail-connector.ts';
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
  /** Below the fields that are needed first. */
  beforeMore?: ReactNode;
  error?: FieldError | null;
}

export function ConnectorFields(props: ConnectorFieldsProps) {
  const { kind, values, onChange, isStored, autoFocus, more, beforeMore, error = null } = props;
  /** What was chosen by hand is not changed by another field. */
  const chosen = useRef(new Set<FieldName>());
  const frame = useFocusOn(error);
  const mayAddress = useMay('webhooks.manage');
  const change = (name: FieldName, value: string) => {
    chosen.current.add(name);
    onChange(followPort({ ...values, [name]: value }, name, chosen.current));
  };
  const first = kind.fields.filter(({ isAdvanced }) => !isAdvanced);
  const advanced = kind.fields.filter(({ isAdvanced }) => isAdvanced);
  const field = (one: KindField) => (
    <OneField
      key={one.name}
      kind={kind}
      field={one}
      value={values[one.name] ?? ''}
      isStored={isStored && one.isCredential}
      isLocked={!mayAddress && isAddress(one.name)}
      autoFocus={autoFocus && one === first[0]}
      error={error?.name === one.name ? error.text : undefined}
      onChange={(value) => change(one.name, value)}
    />
  );
  return (
    <div ref={frame} className="contents">
      {kind.kind === 'email' && mayAddress && <MailPresets values={values} onChange={onChange} />}
      {first.map(field)}
      {beforeMore}
      <More isOpen={advanced.some(({ name }) => name === error?.name)}>
        {more}
        {advanced.map(field)}
      </More>
    </div>
  );
}

/** A field with an error gets the focus, so that it is seen and read out. */
function useFocusOn(error: FieldError | null) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) frame.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return frame;
}

interface OneFieldProps {
  kind: Kind;
  field: KindField;
  value: string;
  isStored: boolean | undefined;
  isLocked: boolean;
  autoFocus: boolean | undefined;
  error: string | undefined;
  onChange(value: string): void;
}

function OneField(props: OneFieldProps) {
  const {
    kind: { kind },
    field,
    value,
    isStored,
    isLocked,
    autoFocus,
    error,
    onChange,
  } = props;
  const { name, choices, isCredential, placeholder } = field;
  const label = t(`connectors.field.${name}`);
  const hint = isLocked ? t('settings.addressRight') : hintOf(kind, name);
  if (choices) {
    return (
      <Field label={label} hint={hint} error={error}>
        {(ids) => (
          <Select<string>
            {...ids}
            value={value}
            disabled={isLocked}
            options={choices.map((one) => ({ value: one, label: t(`connectors.mode.${one}`) }))}
            onChange={onChange}
          />
        )}
      </Field>
    );
  }
  if (field.isShared) {
    return (
      <Field label={label} hint={isStored ? t('connectors.storedHint') : hint} error={error}>
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
      error={error}
      hint={isStored && !field.isCopied ? t('connectors.storedHint') : hint}
      mono={!field.isLong}
      lines={field.isLong && { min: 3, max: 8 }}
      type={isCredential ? 'password' : 'text'}
      // A password manager must neither offer nor store it.
      autoComplete={isCredential ? 'new-password' : 'off'}
      spellCheck={false}
      disabled={isLocked}
      autoFocus={autoFocus}
      placeholder={isStored ? t('connectors.stored') : placeholder}
      value={value}
      onChange={onChange}
    />
  );
}

/** `isOpen` opens it; nothing but the person closes it. */
function More({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen && details.current) details.current.open = true;
  }, [isOpen]);
  return (
    <details ref={details} className="group/more">
      <summary className="-mx-1 inline-flex h-7 cursor-pointer list-none items-center gap-1 rounded-control px-1 font-medium text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open/more:rotate-90" />
        {t('connectors.more')}
      </summary>
      <div className="flex flex-col gap-4 pt-3">{children}</div>
    </details>
  );
}
