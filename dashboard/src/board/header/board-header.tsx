import { useNavigate } from '@tanstack/react-router';
import { Plus, Settings } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { BoardDot } from '../../app/board-dot.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { SearchInput } from '../../ui/controls/input.tsx';
import type { BoardFilters, BoardLook, LayoutName, StoredFilters } from '../data/board-look.ts';
import { FilterButton, FilterChips } from '../filters/board-filters.tsx';
import { DisplayOptions } from './board-display.tsx';
import { BoardMenu } from './board-menu.tsx';
import { BoardViews } from './board-views.tsx';
import { LayoutSwitcher } from './layout-switcher.tsx';

export interface BoardHeaderProps {
  board: Kanban;
  filters: BoardFilters;
  viewId: string | undefined;
  look: BoardLook;
  layout: LayoutName;
  onFilters(filters: StoredFilters & { view?: string; layout?: LayoutName }): void;
  onLook(look: BoardLook): void;
  onAdd(): void;
}

const typingPauseMs = 180;

export function BoardHeader(props: BoardHeaderProps) {
  const { board, filters, viewId, look, layout, onFilters, onLook, onAdd } = props;
  const navigate = useNavigate();
  const may = useMay('boards.manage');
  const mayAdd = useMay('records.edit');
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filters.q ?? '');
  const change = (next: BoardFilters) => onFilters({ ...next, view: viewId });
  const latest = useRef({ filters, change });
  latest.current = { filters, change };

  // Typed text goes into the URL after a pause; text from the URL (a saved view) goes into the box.
  useEffect(
    () => setText((typed) => (typed.trim() === (filters.q ?? '') ? typed : (filters.q ?? ''))),
    [filters.q],
  );
  useEffect(() => {
    if (text.trim() === (latest.current.filters.q ?? '')) return;
    const timer = setTimeout(
      () => latest.current.change({ ...latest.current.filters, q: text.trim() }),
      typingPauseMs,
    );
    return () => clearTimeout(timer);
  }, [text]);
  useShortcut('/', () => input.current?.focus(), { label: t('board.keys.filter'), group: 'board' });

  return (
    <>
      <PageHeader
        title={board.name}
        mark={<BoardDot id={board.id} className="size-2.5 max-md:hidden" />}
        actions={
          <>
            <DisplayOptions
              board={board}
              look={look}
              layout={layout}
              onLook={onLook}
              filters={filters}
              onFilters={change}
            />
            {may && (
              <IconButton
                label={t('board.settings')}
                className="max-sm:hidden"
                onClick={() =>
                  void navigate({ to: '/boards/$boardId/settings', params: { boardId: board.slug } })
                }
              >
                <Settings className="size-4" />
              </IconButton>
            )}
            <BoardMenu board={board} filters={filters} />
            {mayAdd && (
              <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={onAdd}>
                <span className="max-sm:sr-only">{t('board.add')}</span>
              </Button>
            )}
          </>
        }
      >
        <BoardViews
          board={board}
          viewId={viewId}
          filters={filters}
          look={look}
          layout={layout}
          onFilters={onFilters}
          onLook={onLook}
        />
        <LayoutSwitcher
          layout={layout}
          onLayout={(next) => onFilters({ ...filters, view: viewId, layout: next })}
        />
        <span className="flex-1" />
        <SearchInput
          ref={input}
          label={t('board.search')}
          value={text}
          onChange={setText}
          onKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
          className="w-52 max-md:hidden"
        />
        <FilterButton board={board} filters={filters} onChange={change} />
      </PageHeader>
      <div className="border-b border-line px-3 py-2 md:hidden">
        <SearchInput label={t('board.search')} value={text} onChange={setText} />
      </div>
      <FilterChips board={board} filters={filters} onChange={change} />
    </>
  );
}
