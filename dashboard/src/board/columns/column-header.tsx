import { Plus } from 'lucide-react';
import type { KanbanField, Status } from '../../../../contract/crm/kanbans.ts';
import type { BoardSummary } from '../../../../contract/dashboard.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { compact, money, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Count, Dot } from '../../ui/display/badge.tsx';

interface ColumnHeaderProps {
  status: Status;
  summary: BoardSummary['columns'][number] | undefined;
  sum: KanbanField | null;
  /** Null: the person may not add cards. */
  onAdd: (() => void) | null;
}

export function ColumnHeader({ status, summary, sum, onAdd }: ColumnHeaderProps) {
  const total = summary?.total ?? null;
  return (
    <header className="flex h-9 shrink-0 items-center gap-2 px-1.5">
      <Dot color={status.color} />
      <h2 title={status.label} className="truncate font-medium">
        {status.label}
      </h2>
      <Count>{summary ? number(summary.count) : ''}</Count>
      <span className="flex-1" />
      {sum !== null && total !== null && total !== 0 && (
        <span
          title={`${fieldLabel(sum)}: ${money(total, sum.currency)}`}
          className="tabular text-sm font-medium text-muted"
        >
          {compact(total, sum.currency)}
        </span>
      )}
      {onAdd && (
        <IconButton size="small" label={t('board.addTo', { status: status.label })} onClick={onAdd}>
          <Plus className="size-3.5" />
        </IconButton>
      )}
    </header>
  );
}
