import { Popover as Primitive } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { cx } from '../class-names.ts';

export interface PopoverProps {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?(open: boolean): void;
  className?: string;
  label?: string;
}

export function Popover({
  trigger,
  children,
  align = 'start',
  open,
  onOpenChange,
  className,
  label,
}: PopoverProps) {
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          data-quiet-focus=""
          className={cx('pop z-50 rounded-panel bg-raised shadow-float outline-none', className)}
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
