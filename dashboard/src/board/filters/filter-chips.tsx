/** The conditions and the order of a board, each with a button to remove it. */
import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import { manualOrder } from '../data/board-look.ts';
import type { FilterProps } from './filter-form.tsx';
import { type FilterPart, filterOf, isGroup, writeFilter } from './filter-model.ts';
import { nameOfField, nameOfJoin, nameOfOperator, wordsOfPart, wordsOfValue } from './filter-words.ts';
import { useNameOf } from './use-name-of.ts';

export default function FilterChips({ board, filters, onChange }: FilterProps) {
  const nameOf = useNameOf();
  const group = filterOf(board, filters);
  const remove = (index: number) => {
    const written = writeFilter({ ...group, parts: group.parts.toSpliced(index, 1) });
    onChange({ ...filters, filter: written && JSON.stringify(written) });
  };
  if (group.parts.length === 0 && !filters.sort) return null;
  const isDescending = filters.sort?.startsWith('-');
  const sorted = filters.sort && nameOfField(board, filters.sort.replace(/^-/, ''));
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-1.5">
      {group.parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
        <span key={index} className="flex min-w-0 items-center gap-1.5">
          {index > 0 && <span className="text-sm text-faint">{nameOfJoin(group.join)}</span>}
          <Chip
            label={t('board.filter.remove', { name: wordsOfPart(board, part, nameOf) })}
            onRemove={() => remove(index)}
          >
            <PartWords board={board} part={part} nameOf={nameOf} />
          </Chip>
        </span>
      ))}
      {sorted && (
        <Chip label={t('board.sort.remove')} onRemove={() => onChange({ ...filters, sort: undefined })}>
          {filters.sort === manualOrder ? (
            <GripVertical className="ml-1.5 size-3 text-muted" />
          ) : (
            <span className="flex items-center gap-1 pl-2 text-muted">
              {isDescending ? <ArrowDown className="size-3" /> : <ArrowUp className="size-3" />}
              <span className="sr-only">
                {t(isDescending ? 'board.sort.descending' : 'board.sort.ascending')}
              </span>
            </span>
          )}
          <span className="max-w-48 truncate px-1.5 font-medium">{sorted}</span>
        </Chip>
      )}
    </div>
  );
}

function PartWords({
  board,
  part,
  nameOf,
}: {
  board: FilterProps['board'];
  part: FilterPart;
  nameOf(id: string): string | null;
}) {
  if (isGroup(part)) {
    return <span className="max-w-80 truncate px-2 font-medium">{wordsOfPart(board, part, nameOf)}</span>;
  }
  const value = wordsOfValue(board, part, nameOf);
  return (
    <>
      <span className="truncate pl-2 text-muted">
        {nameOfField(board, part.field)} {nameOfOperator(board, part.field, part.op)}
      </span>
      <span className="max-w-48 truncate px-1.5 font-medium" title={value}>
        {value}
      </span>
    </>
  );
}

function Chip({ label, onRemove, children }: { label: string; onRemove(): void; children: ReactNode }) {
  return (
    <span className="flex h-6 max-w-full min-w-0 items-center rounded-control border border-line bg-sunken text-sm">
      {children}
      <button
        type="button"
        aria-label={label}
        onClick={onRemove}
        className="flex h-full items-center rounded-r-control border-l border-line px-1 text-faint hover:bg-hover hover:text-ink"
      >
        <X className="size-3" />
      </button>
    </span>
  );
}
