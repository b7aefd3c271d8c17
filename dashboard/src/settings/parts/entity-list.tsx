/** The lists of the settings: a button that creates an entity, one row per entity, a text where there are none. */
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchInput } from '../../ui/controls/input.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Rows } from './rows.tsx';

export const CreateButton = ({ label, onClick }: { label: string; onClick(): void }) => (
  <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={onClick}>
    {label}
  </Button>
);

export interface EntityListProps<T> {
  label: string;
  items: readonly T[];
  /** For lists that can be empty. */
  empty?: { icon: ReactNode; title: string; text?: string };
  /** A `Row` with a key. */
  row(item: T): ReactNode;
  /** A search box above lists of more than five. */
  search?: { label: string; textOf(item: T): string };
}

export function EntityList<T>({ label, items, empty, row, search }: EntityListProps<T>) {
  const [text, setText] = useState('');
  if (empty && items.length === 0) return <EmptyState {...empty} />;
  const wanted = text.trim().toLocaleLowerCase();
  const shown = search
    ? items.filter((item) => search.textOf(item).toLocaleLowerCase().includes(wanted))
    : items;
  return (
    <div className="flex flex-col gap-3">
      {search && items.length > 5 && <SearchInput label={search.label} value={text} onChange={setText} />}
      {shown.length === 0 ? (
        <p className="py-6 text-center text-muted">{t('ui.nothingFound')}</p>
      ) : (
        <Rows label={label}>{shown.map(row)}</Rows>
      )}
    </div>
  );
}

export interface PagedQuery {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

export const LoadMore = ({ query }: { query: PagedQuery }) =>
  query.hasNextPage && (
    <Button
      className="self-center"
      busy={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {t('ui.loadMore')}
    </Button>
  );
