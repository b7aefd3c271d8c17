import { Check, Minus } from 'lucide-react';
import { Checkbox as CheckboxPrimitive, Switch as SwitchPrimitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

export interface SwitchProps {
  checked: boolean;
  onChange(checked: boolean): void;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

export function Switch({ checked, onChange, label, hint, disabled }: SwitchProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the primitive renders the control
    <label className={cx('flex items-start gap-2.5', disabled && 'opacity-60')}>
      <SwitchPrimitive.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="relative mt-0.5 h-4 w-7 shrink-0 rounded-full bg-line-strong transition-colors data-[state=checked]:bg-accent"
      >
        <SwitchPrimitive.Thumb className="block size-3 translate-x-0.5 rounded-full bg-white shadow-sm transition-transform data-[state=checked]:translate-x-3.5" />
      </SwitchPrimitive.Root>
      <span className="flex flex-col">
        <span className="text-ink">{label}</span>
        {hint && <span className="text-sm text-muted">{hint}</span>}
      </span>
    </label>
  );
}

export interface CheckboxProps {
  checked: boolean | 'indeterminate';
  onChange(checked: boolean): void;
  label: string;
  /** Without it the label is only said, not shown. */
  showLabel?: boolean;
  className?: string;
}

export function Checkbox({ checked, onChange, label, showLabel, className }: CheckboxProps) {
  const box = (
    <CheckboxPrimitive.Root
      checked={checked}
      onCheckedChange={(value) => onChange(value === true)}
      onClick={(event) => event.stopPropagation()}
      aria-label={showLabel ? undefined : label}
      className={cx(
        'flex size-4 shrink-0 items-center justify-center rounded-[4px] border border-line-strong bg-surface text-on-accent transition-colors hover:border-faint data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent',
        className,
      )}
    >
      <CheckboxPrimitive.Indicator>
        {checked === 'indeterminate' ? (
          <Minus className="size-3" strokeWidth={3} />
        ) : (
          <Check className="size-3" strokeWidth={3} />
        )}
      </CheckboxPrimitive.Indicator>
    </CheckboxPrimitive.Root>
  );
  if (!showLabel) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the primitive renders the control
    <label className="flex items-center gap-2">
      {box}
      <span>{label}</span>
    </label>
  );
}
