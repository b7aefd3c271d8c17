import { ToggleGroup } from 'radix-ui';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { type Owner, owners, type StatusFilter } from '../data/inbox-filter.ts';
import { useSessionCounts } from '../data/owners.ts';

interface OwnerTabsProps {
  value: Owner;
  onChange(owner: Owner): void;
  /** Only open conversations are counted: the others are too many to count after each change. */
  status: StatusFilter;
}

/** Whose conversations the list shows, each with the number of open ones. */
export function OwnerTabs({ value, onChange, status }: OwnerTabsProps) {
  const counts = useSessionCounts();
  const label: { [owner in Owner]: string } = {
    mine: t('inbox.owner.mine'),
    unassigned: t('inbox.owner.unassigned'),
    all: t('inbox.owner.all'),
  };
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={t('inbox.owner.tabs')}
      value={value}
      onValueChange={(next) => next && onChange(next as Owner)}
      className="flex min-w-0 shrink-0 gap-4 border-b border-line px-3"
    >
      {owners.map((owner) => (
        <ToggleGroup.Item
          key={owner}
          value={owner}
          title={label[owner]}
          className="-mb-px flex h-9 min-w-0 items-center gap-1.5 border-b-2 border-transparent whitespace-nowrap text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=on]:border-accent data-[state=on]:font-medium data-[state=on]:text-ink"
        >
          <span className="truncate">{label[owner]}</span>
          {counts && status === 'open' && (
            <span className="tabular shrink-0 rounded-full bg-sunken px-1.5 text-xs font-medium text-muted">
              {number(counts[owner])}
            </span>
          )}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
