import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { cx } from '../ui/class-names.ts';
import { Tooltip } from '../ui/overlays/tooltip.tsx';

export const rowClass = (folded: boolean) =>
  cx(
    'flex h-7 items-center rounded-control text-muted transition-colors hover:bg-hover hover:text-ink',
    folded ? 'justify-center' : 'gap-2 px-2',
  );

export function RailLink({
  folded,
  icon,
  label,
  end,
  to,
  params,
}: {
  folded: boolean;
  icon: ReactNode;
  label: string;
  end?: ReactNode;
  to: string;
  params?: object;
}) {
  const link = (
    <Link
      to={to}
      params={params as never}
      className={rowClass(folded)}
      activeProps={{ className: 'bg-pressed font-medium text-ink!' }}
    >
      <span className="flex size-4 shrink-0 items-center justify-center">{icon}</span>
      <span className={folded ? 'sr-only' : 'min-w-0 flex-1 truncate'}>{label}</span>
      {!folded && end}
    </Link>
  );
  return folded ? (
    <Tooltip text={label} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

export function RailButton({
  folded,
  icon,
  label,
  onClick,
  end,
}: {
  folded: boolean;
  icon: ReactNode;
  label: string;
  onClick(): void;
  end?: ReactNode;
}) {
  const button = (
    <button
      type="button"
      onClick={onClick}
      aria-label={folded ? label : undefined}
      className={rowClass(folded)}
    >
      <span className="flex size-4 shrink-0 items-center justify-center">{icon}</span>
      {!folded && <span className="min-w-0 flex-1 truncate text-left">{label}</span>}
      {!folded && end}
    </button>
  );
  return folded ? (
    <Tooltip text={label} side="right">
      {button}
    </Tooltip>
  ) : (
    button
  );
}
