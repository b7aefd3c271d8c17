import { Tabs as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '../class-names.ts';

export interface Tab {
  value: string;
  label: ReactNode;
  content: ReactNode;
}

export function Tabs({
  tabs,
  value,
  onChange,
  label,
  flush,
}: {
  tabs: Tab[];
  value: string;
  onChange(value: string): void;
  label: string;
  /** In line with what is above, where the surroundings have the margin already. */
  flush?: boolean;
}) {
  return (
    <Primitive.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-1 flex-col">
      <Primitive.List aria-label={label} className={cx('flex gap-4 border-b border-line', !flush && 'px-4')}>
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent text-muted transition-colors hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.value} value={tab.value} className="min-h-0 flex-1 outline-none">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
