/** Native checkboxes with a look of ours: a board has dozens of them, and nothing is more accessible. */
import { Check, Minus } from 'lucide-react';
import { cx } from '../class-names.ts';

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
