import { ChevronDown } from 'lucide-react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { type StatusFilter, statusFilters } from '../data/inbox-filter.ts';

const labels: { [status in StatusFilter]: () => string } = {
  open: () => t('lifecycle.status.open'),
  snoozed: () => t('lifecycle.status.snoozed'),
  resolved: () => t('lifecycle.status.resolved'),
  all: () => t('lifecycle.status.all'),
};

/** Which conversations the list has: the open ones, unless another status is chosen. */
export function StatusMenu({
  status,
  onChange,
}: {
  status: StatusFilter;
  onChange(status: StatusFilter): void;
}) {
  const label = labels[status]();
  return (
    <Menu
      trigger={
        <Button tone="quiet" aria-label={t('lifecycle.status', { status: label })}>
          {label}
          <ChevronDown aria-hidden className="-mr-1 size-3.5" />
        </Button>
      }
    >
      {statusFilters.map((one) => (
        <MenuItem key={one} checked={one === status} onSelect={() => onChange(one)}>
          {labels[one]()}
        </MenuItem>
      ))}
    </Menu>
  );
}
