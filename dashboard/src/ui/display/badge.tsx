import type { CSSProperties, ReactNode } from 'react';
import { cx } from '../class-names.ts';
import type { Hue } from '../hues.ts';

/** A label. Without a hue it is neutral. */
export function Badge({ hue, children, className }: { hue?: Hue; children: ReactNode; className?: string }) {
  const style: CSSProperties | undefined = hue && {
    background: `var(--hue-${hue}-soft)`,
    color: `var(--hue-${hue})`,
  };
  return (
    <span
      style={style}
      className={cx(
        'inline-flex h-5 max-w-full items-center gap-1 truncate rounded-[5px] px-1.5 text-sm font-medium whitespace-nowrap',
        !hue && 'bg-sunken text-muted',
        className,
      )}
    >
      {children}
    </span>
  );
}

/** An option of a field: a dot of its hue before plain text, so that a board full of them stays calm. */
export function OptionLabel({ hue, children }: { hue: Hue; children: string }) {
  return (
    <span
      title={children}
      className="inline-flex h-5 max-w-full items-center gap-1.5 rounded-full border border-line px-2 text-sm whitespace-nowrap text-muted"
    >
      <span
        aria-hidden
        style={{ background: `var(--hue-${hue})` }}
        className="size-1.5 shrink-0 rounded-full"
      />
      <span className="truncate">{children}</span>
    </span>
  );
}

/** A status's colour comes from the user's data: a dot, never a ground behind text. */
export const Dot = ({ color, className }: { color: string; className?: string }) => (
  <span
    aria-hidden
    style={{ background: color }}
    className={cx('inline-block size-2 shrink-0 rounded-full', className)}
  />
);

export const Count = ({ children }: { children: ReactNode }) => (
  <span className="tabular text-sm text-muted">{children}</span>
);
