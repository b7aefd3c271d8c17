/** Bordered rows, one per entity. */
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../ui/class-names.ts';

export const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul aria-label={label} className="flex flex-col rounded-panel border border-line">
    {children}
  </ul>
);

export interface RowProps {
  mark?: ReactNode;
  title: ReactNode;
  /** Beside the title. */
  badges?: ReactNode;
  text?: ReactNode;
  /** Below the text, as long as it is. */
  note?: ReactNode;
  /** At the right end. */
  end?: ReactNode;
  /** The row leads to its own page. */
  to?: { section: string; itemId: string };
  onOpen?(): void;
  /** On a phone the end moves below. */
  stack?: boolean;
}

const look =
  'flex min-h-14 w-full items-center gap-3 px-3 py-2 text-left group-first:rounded-t-panel group-last:rounded-b-panel';
const opens = 'transition-colors hover:bg-hover focus-visible:-outline-offset-2';

export function Row({ to, onOpen, stack, ...parts }: RowProps) {
  const { mark, title, badges, text, note, end } = parts;
  const content = (
    <>
      {mark}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{title}</span>
          {badges}
        </span>
        {text && (
          <span className="truncate text-muted max-sm:line-clamp-2 max-sm:whitespace-normal">{text}</span>
        )}
        {note}
      </span>
    </>
  );
  return (
    <li className="group flex border-b border-line last:border-0">
      {to ? (
        <Link to="/settings/$section/$itemId" params={to} className={cx(look, opens)}>
          {content}
          {end}
          <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
        </Link>
      ) : onOpen ? (
        <button type="button" onClick={onOpen} className={cx(look, opens)}>
          {content}
          {end}
        </button>
      ) : (
        <div className={cx(look, stack && 'max-sm:flex-wrap')}>
          {content}
          {end && (
            <span className={cx('flex shrink-0 items-center gap-2', stack && 'max-sm:w-full max-sm:pl-11')}>
              {end}
            </span>
          )}
        </div>
      )}
    </li>
  );
}

/** An icon in a box. */
export const RowIcon = ({ children }: { children: ReactNode }) => (
  <span className="flex size-8 shrink-0 items-center justify-center rounded-control border border-line bg-sunken text-muted">
    {children}
  </span>
);
