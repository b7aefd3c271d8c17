import { Funnel } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import type { FilterProps } from './filter-form.tsx';
import { countConditions, filterOf } from './filter-model.ts';

const load = () => import('./filter-form.tsx');
const FilterForm = lazy(load);
const Chips = lazy(() => import('./filter-chips.tsx'));

export function FilterButton(props: FilterProps) {
  const count = countConditions(filterOf(props.board, props.filters));
  return (
    <Popover
      align="end"
      label={t('board.filter')}
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
      <Suspense fallback={<div className="h-24" />}>
        <FilterForm {...props} />
      </Suspense>
    </Popover>
  );
}

/** Nothing where no filter is set: then it is not part of the first load either. */
export function FilterChips(props: FilterProps) {
  const { filter, sort } = props.filters;
  return <Suspense>{(filter || sort) && <Chips {...props} />}</Suspense>;
}
