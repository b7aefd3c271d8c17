/** One status: a header with count and total, and its cards, loaded while scrolling. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { Plus } from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { KanbanField, Status } from '../../../../contract/crm/kanbans.ts';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import { useMay } from '../../data/session.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { cardsQuery } from '../data/board-data.ts';
import type { BoardFilters } from '../data/board-look.ts';
import { selection } from '../data/selection.ts';
import { CardView } from './card.tsx';
import { ColumnHeader } from './column-header.tsx';
import { QuickAdd } from './quick-add.tsx';
import { useCardDrop } from './use-card-drop.ts';

export interface ColumnProps {
  kanbanId: string;
  status: Status;
  filters: BoardFilters;
  face: readonly KanbanField[];
  summary: BoardSummary['columns'][number] | undefined;
  /** Added up in the header. */
  sum: KanbanField | null;
  personOf(id: string): { id: string; name: string } | null;
  activeId: string | null;
  openId: string | null;
  carriedId: string | null;
  isTarget: boolean;
  isAdding: boolean;
  onAddingTo(status: string | null): void;
  onOpen(card: Card): void;
  /** Reports the cards to the board, which moves the focus across columns. */
  onCards(status: string, cards: readonly Card[], reveal: (index: number) => void): void;
}

const cardGap = 8;

export const Column = memo(function Column(props: ColumnProps) {
  const {
    kanbanId,
    status,
    filters,
    face,
    summary,
    sum,
    personOf,
    activeId,
    openId,
    carriedId,
    isTarget,
    isAdding,
  } = props;
  const { onAddingTo, onOpen, onCards } = props;
  const query = useInfiniteQuery(cardsQuery(kanbanId, filters, status.value));
  const cards = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const scroller = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLElement>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const draggedIndex = dragged === null ? -1 : cards.findIndex((card) => card.recordId === dragged);

  // A stable function while the cards stay the same; otherwise every scroll would measure all cards again.
  const getItemKey = useCallback((index: number) => cards[index]!.recordId, [cards]);
  const virtual = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44 + (face.length > 0 ? 26 : 0) + 26,
    getItemKey,
    // One frame later is early enough and avoids a second layout per frame.
    useFlushSync: false,
    gap: cardGap,
    overscan: 5,
    initialRect: { width: 288, height: 800 },
    // The card that is being dragged must stay in the document, or the browser ends the drag.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return draggedIndex < 0 || shown.includes(draggedIndex)
        ? shown
        : [...shown, draggedIndex].sort((a, b) => a - b);
    },
  });
  const rows = virtual.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastShown >= cards.length - 25) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, lastShown, cards.length]);

  const reveal = useRef((index: number) => virtual.scrollToIndex(index, { align: 'auto' }));
  reveal.current = (index) => virtual.scrollToIndex(index, { align: 'auto' });
  useEffect(
    () => onCards(status.value, cards, (index) => reveal.current(index)),
    [onCards, status.value, cards],
  );

  const isOver = useCardDrop(box, scroller, status.value);

  const latest = useRef(cards);
  latest.current = cards;
  /** Stable, so that a new page does not render every card again. */
  const selectRange = useCallback((card: Card) => {
    const all = latest.current;
    const to = all.findIndex((one) => one.recordId === card.recordId);
    const from = all.findLastIndex((one, index) => index < to && selection.has(one.recordId));
    selection.add(all.slice(from < 0 ? to : from, to + 1));
  }, []);
  const mayAdd = useMay('records.edit');
  const addCard = () => onAddingTo(status.value);
  return (
    <section
      ref={box}
      aria-label={`${status.label}, ${tn('board.cards', summary?.count ?? cards.length)}`}
      onDragStart={(event) => setDragged((event.target as Element).getAttribute?.('data-card') ?? null)}
      onDragEnd={() => setDragged(null)}
      className={cx(
        'flex h-full w-72 shrink-0 snap-start flex-col rounded-panel transition-colors max-md:w-[84vw]',
        (isOver || isTarget) && 'bg-accent-soft/60 ring-1 ring-accent',
      )}
    >
      <ColumnHeader status={status} summary={summary} sum={sum} onAdd={mayAdd ? addCard : null} />
      {isAdding && <QuickAdd kanbanId={kanbanId} status={status.value} onClose={() => onAddingTo(null)} />}
      <div
        ref={scroller}
        tabIndex={cards.length === 0 ? undefined : -1}
        data-quiet-focus=""
        data-column={status.value}
        className="min-h-0 flex-1 overflow-y-auto overscroll-y-contain px-0.5 pt-0.5 pb-4"
      >
        {query.isPending && <ColumnSkeleton />}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {/* No hover effects while scrolling: each card that passes under the pointer would cost a style change. */}
        <div
          className={cx('relative', virtual.isScrolling && 'pointer-events-none')}
          style={{ height: virtual.getTotalSize() }}
        >
          {rows.map((row) => {
            const card = cards[row.index]!;
            return (
              <div
                key={row.key}
                ref={virtual.measureElement}
                data-index={row.index}
                className="absolute inset-x-0 top-0 contain-layout contain-style"
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <CardView
                  card={card}
                  face={face}
                  people={peopleOf(card, personOf)}
                  isActive={card.recordId === activeId}
                  isOpen={card.recordId === openId}
                  isCarried={card.recordId === carriedId}
                  onOpen={onOpen}
                  onSelectRange={selectRange}
                />
              </div>
            );
          })}
        </div>
        {isFetchingNextPage && <Skeleton className="mt-2 h-16 rounded-lg" />}
        {query.isSuccess && cards.length === 0 && !isAdding && mayAdd && (
          <button
            type="button"
            onClick={addCard}
            className="flex h-9 w-full items-center justify-center gap-1.5 rounded-lg border border-dashed border-line-strong text-sm text-muted transition-colors hover:bg-hover hover:text-ink"
          >
            <Plus className="size-3.5" /> {t('board.add')}
          </button>
        )}
      </div>
    </section>
  );
});

export const ColumnSkeleton = () => (
  <div className="flex flex-col gap-2">
    {[92, 70, 92, 70, 92].map((height, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
      <Skeleton key={index} className={cx('rounded-lg', height === 92 ? 'h-[92px]' : 'h-[70px]')} />
    ))}
  </div>
);

interface Person {
  id: string;
  name: string;
}

const nobody: readonly Person[] = [];
const cached = new WeakMap<Card, { personOf: unknown; people: readonly Person[] }>();

/** The assigned people. The same array for the same card, so that the card is not rendered again. */
function peopleOf(card: Card, personOf: (id: string) => Person | null): readonly Person[] {
  if (card.assignedUserIds.length === 0) return nobody;
  const known = cached.get(card);
  if (known?.personOf === personOf) return known.people;
  const people = card.assignedUserIds.flatMap((id) => personOf(id) ?? []);
  cached.set(card, { personOf, people });
  return people;
}
