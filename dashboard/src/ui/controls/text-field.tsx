import type { HTMLInputTypeAttribute, KeyboardEvent } from 'react';
import { cx } from '../class-names.ts';
import { Field, type FieldProps, Input, TextArea } from './input.tsx';

export interface TextFieldProps extends Omit<FieldProps, 'children'> {
  value: string;
  onChange(value: string): void;
  /** Several lines: a text area that grows from `min` to `max` lines. */
  lines?: { min: number; max: number };
  mono?: boolean;
  type?: HTMLInputTypeAttribute;
  required?: boolean;
  disabled?: boolean;
  readOnly?: boolean;
  autoFocus?: boolean;
  name?: string;
  autoComplete?: string;
  /** Which keyboard a phone shows. */
  inputMode?: 'numeric';
  spellCheck?: boolean;
  placeholder?: string;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  step?: number | 'any';
  className?: string;
  onFocus?(): void;
  onBlur?(): void;
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void;
}

/** A labelled text input, or text area, with its hint or error. */
export function TextField({
  label,
  hint,
  error,
  saved,
  value,
  onChange,
  lines,
  mono,
  className,
  min,
  max,
  step,
  type,
  ...rest
}: TextFieldProps) {
  const look = cx(mono && 'font-mono text-sm', className);
  return (
    <Field label={label} hint={hint} error={error} saved={saved}>
      {(ids) =>
        lines ? (
          <TextArea
            {...ids}
            {...rest}
            className={look}
            rows={lines.min}
            maxRows={lines.max}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <Input
            {...ids}
            {...rest}
            {...{ min, max, step, type }}
            className={look}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}
