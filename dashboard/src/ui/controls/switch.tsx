/** A native checkbox with the look of a switch. */
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
