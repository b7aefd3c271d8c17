import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/input.tsx';
import { type Option, Select } from '../../ui/controls/select.tsx';

/** The first choice stands for none. */
export function OptionalSelect({
  label,
  hint,
  none,
  value,
  options,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  none: string;
  value: string | undefined;
  options: readonly Option[];
  onChange(value: string | undefined): void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Select
          {...ids}
          value={value ?? 'none'}
          onChange={(next) => onChange(next === 'none' ? undefined : next)}
          options={[{ value: 'none', label: none }, ...options]}
        />
      )}
    </Field>
  );
}
