import { ToggleGroup } from 'radix-ui';
import type { ReactNode } from 'react';
import { Tooltip } from '../overlays/tooltip.tsx';

export interface Segment<T extends string> {
  value: T;
  label: string;
  icon?: ReactNode;
}

/** A few choices of which one holds, side by side. */
export function Segmented<T extends string>({
  segments,
  value,
  onChange,
  label,
}: {
  segments: readonly Segment<T>[];
  value: T;
  onChange(value: T): void;
  label: string;
}) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => next && onChange(next as T)}
      className="inline-flex shrink-0 rounded-control border border-line bg-sunken p-0.5"
    >
      {segments.map((segment) => {
        const item = (
          <ToggleGroup.Item
            key={segment.value}
            value={segment.value}
            aria-label={segment.label}
            className="flex h-6 items-center gap-1.5 rounded-[5px] px-2 whitespace-nowrap text-muted transition-colors hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-[0_0_0_1px_var(--line)]"
          >
            {segment.icon ?? segment.label}
          </ToggleGroup.Item>
        );
        return segment.icon ? (
          <Tooltip key={segment.value} text={segment.label}>
            <span className="flex">{item}</span>
          </Tooltip>
        ) : (
          <span key={segment.value} className="flex">
            {item}
          </span>
        );
      })}
    </ToggleGroup.Root>
  );
}
