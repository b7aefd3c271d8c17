/** Native checkboxes with a look of ours: a board has dozens of them, and nothing is more accessible. */
import { Check, Minus } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { cx } from '../class-names.ts';

export interface SwitchProps {
  checked: boolean;
  onChange(checked: boolean): void;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

export function Switch({ checked, onChange, label, hint, disabled }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <span className={cx('relative mt-0.5 h-4 w-7 shrink-0', disabled && 'opacity-60')}>
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={checked}
          aria-describedby={hint ? `${id}-hint` : undefined}
          checked={checked}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
          className="absolute inset-0 appearance-none rounded-full bg-line-strong transition-colors checked:bg-accent"
        />
        <span
          aria-hidden
          className={cx(
            'pointer-events-none absolute top-0.5 left-0.5 size-3 rounded-full bg-white shadow-sm transition-transform',
            checked && 'translate-x-3',
          )}
        />
      </span>
      <span className="flex flex-col">
        <label htmlFor={id} className={cx('text-ink', disabled && 'opacity-60')}>
          {label}
        </label>
        {hint && (
          <span id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </span>
        )}
      </span>
    </div>
  );
}

export interface CheckboxProps {
  checked: boolean | 'indeterminate';
  onChange(checked: boolean): void;
  label: string;
  /** Without it the label is only said, not shown. */
  showLabel?: boolean;
  disabled?: boolean;
  className?: string;
}

export function Checkbox({ checked, onChange, label, showLabel, disabled, className }: CheckboxProps) {
  const isOn = checked !== false;
  const Mark = checked === 'indeterminate' ? Minus : Check;
  const box = (
    <span className={cx('relative flex size-4 shrink-0', disabled && 'opacity-60', className)}>
      <input
        type="checkbox"
        aria-label={showLabel ? undefined : label}
        checked={checked === true}
        disabled={disabled}
        ref={(input) => {
          if (input) input.indeterminate = checked === 'indeterminate';
        }}
        onClick={(event) => event.stopPropagation()}
        onChange={(event) => onChange(event.target.checked)}
        className={cx(
          'size-4 appearance-none rounded-[4px] border transition-colors',
          isOn ? 'border-accent bg-accent' : 'border-line-strong bg-surface hover:border-faint',
        )}
      />
      {isOn && (
        <Mark
          aria-hidden
          className="pointer-events-none absolute inset-0.5 size-3 text-on-accent"
          strokeWidth={3}
        />
      )}
    </span>
  );
  if (!showLabel) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in `box`
    <label className="flex items-center gap-2">
      {box}
      <span>{label}</span>
    </label>
  );
}
