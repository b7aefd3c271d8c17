import type { Kanban } from '../../../contract/crm/kanbans.ts';
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
  const current = board.statuses.find((status) => status.value === value);
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
