/** What several reports have in their heads. */
import { ChevronDown } from 'lucide-react';
import { BoardDot } from '../../app/board-dot.tsx';
import { useKanbans } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import type { ReportScope } from '../report-data.ts';

export interface ViewProps {
  scope: ReportScope;
}

/** The board that a report is about; null: all of them. */
export function BoardName({ kanbanId }: { kanbanId: string | null | undefined }) {
  const board = useKanbans().find(({ id }) => id === kanbanId);
  if (kanbanId === null) {
    return <span className="font-normal text-muted">{t('reports.boards.all')}</span>;
  }
  if (!board) return null;
  return (
    <span className="flex items-center gap-1.5 font-normal text-muted">
      <BoardDot id={board.id} className="size-2" />
      <span className="sr-only">{t('reports.records.on', { board: board.name })}</span>
      <span aria-hidden>{board.name}</span>
    </span>
  );
}

/** A choice within a report: whose answers, whose messages. */
export function Whose<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange(value: T): void;
}) {
  const chosen = options.find((one) => one.value === value);
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`${label}: ${chosen?.label}`}
          className="flex h-5 items-center gap-0.5 rounded-control px-1 font-normal text-muted hover:bg-hover hover:text-ink aria-expanded:bg-hover"
        >
          {chosen?.label}
          <ChevronDown aria-hidden className="size-3 text-faint" />
        </button>
      }
    >
      {options.map((one) => (
        <MenuItem key={one.value} checked={one.value === value} onSelect={() => onChange(one.value)}>
          {one.label}
        </MenuItem>
      ))}
    </Menu>
  );
}
