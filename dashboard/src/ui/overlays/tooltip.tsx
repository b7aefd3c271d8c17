import { Tooltip as Primitive } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from '../display/kbd.tsx';

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Primitive.Provider delayDuration={400} skipDelayDuration={200}>
    {children}
  </Primitive.Provider>
);

export interface TooltipProps {
  text: ReactNode;
  shortcut?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement;
}

export function Tooltip({ text, shortcut, side = 'bottom', children }: TooltipProps) {
  if (!text) return children;
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="pop z-60 flex max-w-80 items-center gap-2 rounded-control bg-raised px-2 py-1 text-sm break-words text-ink shadow-float select-none"
        >
          {text}
          {shortcut && <Kbd keys={shortcut} />}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
