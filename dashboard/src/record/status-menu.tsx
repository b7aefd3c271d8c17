import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dot } from '../ui/display/badge.tsx';
import { Menu, MenuItem } from '../ui/overlays/menu.tsx';

export function StatusMenu({
  board,
  value,
  onChange,
}: {
  board: Kanban;
  value: string;
  onChange(status: string): void;
}) {
  const mayEdit = useMay('records.edit');
  const current = board.statuses.find((status) => status.value === value);
  if (!mayEdit) return <StatusText board={board} value={value} />;
  return (
    <Menu
      trigger={
        <Button
          tone="quiet"
          className="-ml-2 text-ink!"
          aria-label={t('record.statusIs', { status: current?.label ?? value })}
        >
          {current && <Dot color={current.color} />}
          {current?.label ?? value}
        </Button>
      }
    >
      {board.statuses.map((status) => (
        <MenuItem
          key={status.value}
          icon={<Dot color={status.color} />}
          checked={status.value === value}
          onSelect={() => onChange(status.value)}
        >
          {status.label}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** For people who may not change it. */
export function StatusText({ board, value }: { board: Kanban; value: string }) {
  const current = board.statuses.find((status) => status.value === value);
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-medium">
      <span className="sr-only">{`${t('record.field.status')}: `}</span>
      {current && <Dot color={current.color} />}
      <span className="truncate">{current?.label ?? value}</span>
    </span>
  );
}
