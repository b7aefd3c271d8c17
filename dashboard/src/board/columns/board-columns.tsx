/** The columns side by side: dragging by mouse and touch, moving by keyboard, and where the focus is. */
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { usePersonOf } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { findThing } from '../../data/store/entities.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { moveCards } from '../data/board-actions.ts';
import { boardKeys } from '../data/board-data.ts';
import { manualOrder } from '../data/board-look.ts';
import type { LayoutProps } from '../data/layout-props.ts';
import { useOrderLive } from '../data/order-live.ts';
import { selection } from '../data/selection.ts';
import { type CarriedCard, type ColumnCards, useBoardKeys } from './board-keys.ts';
import { Column } from './column.tsx';
import { scrollWhileDragging } from './scroll-while-dragging.ts';

const ManualOrder = lazy(withTexts('order', () => import('./manual-order.tsx')));

export function BoardColumns({
  board,
  filters,
  look,
  summary,
  openId,
  onOpen,
  addingTo,
  onAddingTo,
}: LayoutProps) {
  const row = useRef<HTMLDivElement>(null);
  const columns = useRef(new Map<string, ColumnCards>());
  const [activeId, setActiveId] = useState<string | null>(null);
  const [carried, setCarried] = useState<CarriedCard | null>(null);
  const isManual = filters.sort === manualOrder;
  // Here, not in ManualOrder: a change may come before that part is loaded.
  useOrderLive(board.id, boardKeys.allCards(board.id), isManual);
  const mayEdit = useMay('records.edit');
  const personOf = usePersonOf();
  const face = useMemo(
    () => look.face.flatMap((id) => board.fields.find((field) => field.id === id) ?? []),
    [board.fields, look.face],
  );
  const sum = board.fields.find((field) => field.id === look.sum);

  const onCards = useCallback((status: string, cards: readonly Card[], reveal: (index: number) => void) => {
    columns.current.set(status, { cards, reveal });
    // One card must be reachable by Tab: the first card of the first column that has any.
    setActiveId((id) => id ?? cards[0]?.recordId ?? null);
  }, []);

  useEffect(() => {
    const element = row.current;
    if (!element) return;
    return combine(
      scrollWhileDragging(element),
      monitorForElements({
        canMonitor: ({ source }) => source.data.kind === 'card',
        onDrop: ({ source, location }) => {
          const to = location.current.dropTargets[0]?.data.status;
          const status = board.statuses.find(({ value }) => value === to);
          const card = findThing('record', String(source.data.recordId));
          if (!status || !card || isManual) return;
          const cards = selection.has(card.recordId) ? selection.all() : [card];
          const moved = cards
            .map(({ recordId }) => findThing('record', recordId))
            .filter((one) => one !== null);
          if (moved.every((one) => one.status === status.value)) return;
          announce(t('board.movedTo', { title: shownTitle(card.title), status: status.label }));
          void moveCards(moved, status);
          selection.clear();
        },
      }),
    );
  }, [board, isManual]);

  const onKeyDown = useBoardKeys({
    board,
    columns: columns.current,
    activeId,
    setActiveId,
    carried,
    setCarried,
    mayMove: mayEdit,
    onOpen,
  });
  useShortcut('c', () => onAddingTo(board.statuses[0]?.value ?? null), {
    label: t('board.keys.add'),
    group: 'board',
    enabled: mayEdit,
  });
  const statuses = board.statuses;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the cards inside
    <div
      ref={row}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const id = (event.target as HTMLElement).dataset?.card;
        if (id) setActiveId(id);
      }}
      className="flex min-h-0 flex-1 gap-3 overflow-x-auto overflow-y-hidden bg-canvas px-3 pt-2 max-md:snap-x max-md:snap-mandatory max-md:scroll-px-3 md:px-4"
    >
      {statuses.map((status) => (
        <Column
          key={status.value}
          kanbanId={board.id}
          status={status}
          filters={filters}
          face={face}
          summary={summary?.columns.find((column) => column.status === status.value)}
          sum={sum ?? null}
          personOf={personOf}
          activeId={activeId}
          openId={openId}
          carriedId={carried?.recordId ?? null}
          isTarget={carried !== null && carried.to === status.value && carried.from !== status.value}
          isAdding={addingTo === status.value}
          onAddingTo={onAddingTo}
          onOpen={onOpen}
          onCards={onCards}
        />
      ))}
      <Suspense>{isManual && <ManualOrder board={board} columns={columns.current} />}</Suspense>
      {/* With a record open, the last column can still be scrolled out from under the panel. */}
      <div className={cx('shrink-0', openId ? 'w-[552px] max-md:w-px' : 'w-px')} />
    </div>
  );
}
