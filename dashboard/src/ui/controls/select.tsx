import { Check, ChevronDown } from 'lucide-react';
import { Select as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '../class-names.ts';
import { nonce } from '../nonce.ts';
import { controlClass } from './input.tsx';

export interface Option<T extends string = string> {
  value: T;
  label: string;
  /** A dot, an avatar, an icon before the label. */
  mark?: ReactNode;
}

export interface SelectProps<T extends string> {
  value: T | undefined;
  options: readonly Option<T>[];
  onChange(value: T): void;
  id?: string;
  label?: string;
  placeholder?: string;
  disabled?: boolean;
  className?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

export function Select<T extends string>({
  value,
  options,
  onChange,
  label,
  placeholder,
  className,
  disabled,
  ...ids
}: SelectProps<T>) {
  return (
    <Primitive.Root value={value ?? ''} onValueChange={(next) => onChange(next as T)} disabled={disabled}>
      <Primitive.Trigger
        {...ids}
        aria-label={label}
        className={cx(
          controlClass,
          'flex h-8 items-center justify-between gap-2 text-left data-placeholder:text-faint',
          className,
        )}
      >
        <span className="flex min-w-0 items-center gap-2 truncate">
          <Primitive.Value placeholder={placeholder} />
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="pop z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) overflow-hidden rounded-panel bg-raised shadow-float"
        >
          <Primitive.Viewport nonce={nonce} className="p-1">
            {options.map((option) => (
              <Primitive.Item
                key={option.value}
                value={option.value}
                className="relative flex h-7 items-center gap-2 rounded-control pr-8 pl-2 outline-none select-none data-highlighted:bg-hover data-[state=checked]:font-medium"
              >
                <Primitive.ItemText>
                  <span className="flex items-center gap-2">
                    {option.mark}
                    {option.label}
                  </span>
                </Primitive.ItemText>
                <Primitive.ItemIndicator className="absolute right-2">
                  <Check className="size-3.5" />
                </Primitive.ItemIndicator>
              </Primitive.Item>
            ))}
          </Primitive.Viewport>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
