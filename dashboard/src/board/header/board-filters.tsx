import { Funnel, X } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useUsers } from '../../data/queries.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import type { FilterProps } from './filter-form.tsx';

const load = () => import('./filter-form.tsx');
const FilterForm = lazy(load);

export function FilterButton({ board, filters, onChange }: FilterProps) {
  const count = [filters.assignee, filters.field && filters.value].filter(Boolean).length;
  return (
    <Popover
      align="end"
      label={t('board.filter')}
      className="w-72"
      trigger={
        <Button
          tone="quiet"
          onPointerEnter={load}
          icon={<Funnel className="size-3.5" />}
          className={count > 0 ? 'text-accent-ink!' : ''}
        >
          <span className="max-md:sr-only">{t('board.filter')}</span>
          {count > 0 && <span className="tabular">{count}</span>}
        </Button>
      }
    >
      <Suspense fallback={<div className="h-40" />}>
        <FilterForm board={board} filters={filters} onChange={onChange} />
      </Suspense>
    </Popover>
  );
}

export function FilterChips({ board, filters, onChange }: FilterProps) {
  const users = useUsers();
  const field = board.fields.find(({ id }) => id === filters.field);
  const chips = [
    filters.assignee && {
      name: t('board.filter.assignee'),
      value: users.find(({ id }) => id === filters.assignee)?.name ?? '…',
      without: { ...filters, assignee: undefined },
    },
    field &&
      filters.value && {
        name: fieldLabel(field),
        value: filters.value,
        without: { ...filters, field: undefined, value: undefined },
      },
  ].filter((chip) => typeof chip === 'object');
  if (chips.length === 0) return null;
  return (
    <div className="flex shrink-0 flex-wrap gap-1.5 border-b border-line px-4 py-1.5">
      {chips.map((chip) => (
        <span
          key={chip.name}
          className="flex h-6 items-center rounded-control border border-line bg-sunken text-sm"
        >
          <span className="pl-2 text-muted">{chip.name}</span>
          <span className="max-w-48 truncate px-1.5 font-medium">{chip.value}</span>
          <button
            type="button"
            aria-label={t('board.filter.remove', { name: chip.name })}
            onClick={() => onChange(chip.without)}
            className="flex h-full items-center rounded-r-control border-l border-line px-1 text-faint hover:bg-hover hover:text-ink"
          >
            <X className="size-3" />
          </button>
        </span>
      ))}
    </div>
  );
}
