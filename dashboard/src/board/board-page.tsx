import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { SearchX, SquareKanban, Upload } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { Card } from '../../../contract/dashboard.ts';
import { NoAccess } from '../app/no-page.tsx';
import { remember, useRecent, useRemembered } from '../app/remembered.ts';
import { kanbansQuery } from '../data/queries.ts';
import { useMay } from '../data/session.ts';
import { isNewThing } from '../data/store/entities.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { ColumnSkeleton } from './columns/column.tsx';
import { summaryQuery } from './data/board-data.ts';
import { useBoardLive } from './data/board-live.ts';
import {
  type BoardFilters,
  type BoardLook,
  cleanFilters,
  cleanLayout,
  cleanLook,
  isFiltered,
  type LayoutName,
  type StoredFilters,
} from './data/board-look.ts';
import { selection, useSelected } from './data/selection.ts';
import { BoardHeader } from './header/board-header.tsx';
import { layouts } from './layouts.tsx';

/** Not part of the first load. */
const BulkBar = lazy(() => import('./bulk/bulk-bar.tsx'));

export function BoardPage() {
  return useMay('records.view') ? <BoardByAddress /> : <NoAccess />;
}

function BoardByAddress() {
  const { boardId } = useParams({ from: '/shell/boards/$boardId' });
  const boards = useQuery(kanbansQuery);
  const board = boards.data?.find(({ slug, id }) => slug === boardId || id === boardId);
  if (boards.isPending) return <BoardSkeleton />;
  if (boards.isError) return <ErrorState error={boards.error} onRetry={() => void boards.refetch()} />;
  if (!board) {
    return (
      <EmptyState
        icon={<SquareKanban className="size-4" />}
        title={t('board.missing.title')}
        text={t('board.missing.text')}
      />
    );
  }
  return <Board key={board.id} board={board} />;
}

function Board({ board }: { board: Kanban }) {
  const navigate = useNavigate();
  const mayImport = useMay('records.import');
  const search = useSearch({ from: '/shell/boards/$boardId' });
  const { recordId: openId = null } = useParams({ strict: false }) as { recordId?: string };
  const [kept, setKept] = useRemembered<Partial<BoardLook>>(`look.${board.id}`, {});
  const look = useMemo(() => cleanLook(board, kept), [board, kept]);
  const [addingTo, setAddingTo] = useState<string | null>(null);
  const address = JSON.stringify(search);
  const filters = useMemo<BoardFilters>(() => cleanFilters(board, JSON.parse(address)), [board, address]);
  const layout = cleanLayout(search.layout);
  const { View } = layouts[layout];
  const isSelecting = useSelected().size > 0;
  const summary = useQuery(summaryQuery(board.id, filters, look.sum));

  useBoardLive(board);
  useRecent('board', board.id, board.name);
  useEffect(() => {
    remember('last-board', board.slug);
    return () => void selection.clear();
  }, [board.slug]);

  const setFilters = useCallback(
    ({ filter, layout: wanted = layout, ...next }: StoredFilters & { view?: string; layout?: LayoutName }) =>
      void navigate({
        to: '.',
        search: {
          ...Object.fromEntries(Object.entries(next).filter(([, text]) => text)),
          ...(typeof filter === 'string' && { filter: JSON.parse(filter) }),
          ...(wanted !== 'board' && { layout: wanted }),
        },
        replace: true,
      }),
    [navigate, layout],
  );
  const open = useCallback(
    (card: Card) => {
      if (isNewThing(card.recordId)) return;
      void navigate({
        to: '/boards/$boardId/records/$recordId',
        params: { boardId: board.slug, recordId: card.recordId },
        search: (before) => before,
      });
    },
    [navigate, board.slug],
  );
  const nothingFound = summary.data?.count === 0 && isFiltered(filters);
  return (
    <>
      <BoardHeader
        board={board}
        filters={filters}
        viewId={search.view}
        look={look}
        layout={layout}
        onFilters={setFilters}
        onLook={setKept}
        onAdd={() => setAddingTo(board.statuses[0]?.value ?? null)}
      />
      {nothingFound ? (
        <EmptyState
          icon={<SearchX className="size-4" />}
          title={t('board.noMatch.title')}
          text={t('board.noMatch.text')}
          action={<Button onClick={() => setFilters({})}>{t('board.noMatch.clear')}</Button>}
        />
      ) : (
        <Suspense fallback={<div className="min-h-0 flex-1" />}>
          <View
            board={board}
            filters={filters}
            look={look}
            summary={summary.data}
            openId={openId}
            onOpen={open}
            onFilters={(next) => setFilters({ ...next, view: search.view })}
            onLook={setKept}
            addingTo={addingTo}
            onAddingTo={setAddingTo}
          />
        </Suspense>
      )}
      {summary.data?.count === 0 && !isFiltered(filters) && addingTo === null && (
        <div className="pointer-events-none fixed inset-x-0 bottom-[18vh] flex justify-center md:left-[220px]">
          <div className="max-w-sm px-6 text-center">
            <p className="text-md font-semibold">{t('board.empty.title')}</p>
            <p className="mt-1 text-pretty text-muted">{t('board.empty.text')}</p>
            {mayImport && (
              <Button
                className="pointer-events-auto mt-3"
                icon={<Upload className="size-3.5" />}
                onClick={() =>
                  void navigate({ to: '/boards/$boardId/import', params: { boardId: board.slug } })
                }
              >
                {t('board.empty.import')}
              </Button>
            )}
          </div>
        </div>
      )}
      <Suspense>
        {isSelecting && <BulkBar board={board} filters={filters} total={summary.data?.count} />}
      </Suspense>
      <Outlet />
    </>
  );
}

function BoardSkeleton() {
  return (
    <>
      <div className="flex h-12 shrink-0 items-center border-b border-line px-4">
        <Skeleton className="h-4 w-40" />
      </div>
      <div className="flex min-h-0 flex-1 gap-3 overflow-hidden bg-canvas px-4 pt-2">
        {[0, 1, 2, 3].map((column) => (
          <div key={column} className="w-72 shrink-0">
            <Skeleton className="mx-1.5 my-2.5 h-4 w-28" />
            <ColumnSkeleton />
          </div>
        ))}
      </div>
    </>
  );
}
