/** Saved views: a user's own, or shared with everyone on the board. */
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Layers, Lock, Plus, Save, Trash2, Users } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { SavedView } from '../../../../contract/dashboard.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { boardKeys, viewsQuery } from '../data/board-data.ts';
import {
  type BoardFilters,
  type BoardLook,
  cleanFilters,
  cleanLayout,
  type LayoutName,
  type ViewSettings,
} from '../data/board-look.ts';

const SaveView = lazy(() => import('./save-view.tsx'));

export interface BoardViewsProps {
  board: Kanban;
  viewId: string | undefined;
  filters: BoardFilters;
  look: BoardLook;
  layout: LayoutName;
  onFilters(filters: BoardFilters & { view?: string; layout?: LayoutName }): void;
  onLook(look: BoardLook): void;
}

export function BoardViews({ board, viewId, filters, look, layout, onFilters, onLook }: BoardViewsProps) {
  const { user } = useSignedIn();
  const { data: views = [] } = useQuery(viewsQuery(board.id));
  const [saving, setSaving] = useState<'new' | 'current' | null>(null);
  const current = views.find(({ id }) => id === viewId);
  const settings: ViewSettings = { filters, ...look, layout };
  const isChanged = current !== undefined && !sameSettings(board, current.settings, settings);
  const mayChange = current && (current.ownerId === user.id || user.permissions.includes('shared.manage'));
  const reload = () => refresh(boardKeys.views(board.id));

  const choose = (view: SavedView) => {
    const kept = view.settings as Partial<ViewSettings>;
    onLook({ face: kept.face ?? look.face, sum: kept.sum ?? null, own: kept.own ?? look.own });
    onFilters({ ...kept.filters, view: view.id, layout: cleanLayout(kept.layout) });
  };
  const update = async () => {
    try {
      await api('PATCH', `/saved-views/${current!.id}`, { body: { settings } });
      await reload();
      toast.done(t('board.views.saved'));
    } catch (error) {
      toast.failed(t('board.views.failed'), error, update);
    }
  };
  const remove = async () => {
    const { name, shared, settings: kept } = current!;
    onFilters({});
    try {
      await api('DELETE', `/saved-views/${current!.id}`);
      await reload();
      toast.undo(t('board.views.deleted'), () => {
        const body = { kanbanId: board.id, name, shared, settings: kept };
        void api('POST', '/saved-views', { body }).then(reload, (error) =>
          toast.failed(t('board.views.failed'), error),
        );
      });
    } catch (error) {
      toast.failed(t('board.views.failed'), error);
    }
  };
  const group = (title: string, some: SavedView[]) =>
    some.length > 0 && (
      <>
        <MenuLabel>{title}</MenuLabel>
        {some.map((view) => (
          <MenuItem
            key={view.id}
            icon={view.shared ? <Users className="size-3.5" /> : <Lock className="size-3.5" />}
            checked={view.id === viewId}
            onSelect={() => choose(view)}
          >
            {view.name}
          </MenuItem>
        ))}
      </>
    );
  return (
    <>
      <Menu
        trigger={
          <Button tone="quiet" className="max-w-40">
            <span className="sr-only">{t('board.views')}:</span>
            <span className="truncate max-sm:sr-only">{current?.name ?? t('board.views.all')}</span>
            <Layers className="size-3.5 sm:hidden" />
            {isChanged && <span className="size-1.5 shrink-0 rounded-full bg-accent" />}
            <ChevronDown className="size-3.5 text-faint max-sm:hidden" />
          </Button>
        }
      >
        <MenuItem
          icon={<Layers className="size-3.5" />}
          checked={viewId === undefined}
          onSelect={() => onFilters({})}
        >
          {t('board.views.all')}
        </MenuItem>
        {group(
          t('board.views.own'),
          views.filter((view) => !view.shared),
        )}
        {group(
          t('board.views.shared'),
          views.filter((view) => view.shared),
        )}
        <MenuLine />
        {isChanged && mayChange && (
          <MenuItem icon={<Save className="size-3.5" />} onSelect={() => void update()}>
            {t('board.views.update', { name: current.name })}
          </MenuItem>
        )}
        <MenuItem icon={<Plus className="size-3.5" />} onSelect={() => setSaving('new')}>
          {t('board.views.save')}
        </MenuItem>
        {mayChange && (
          <MenuItem icon={<Users className="size-3.5" />} onSelect={() => setSaving('current')}>
            {t('board.views.edit')}
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem icon={<Trash2 className="size-3.5" />} danger onSelect={() => void remove()}>
            {t('board.views.delete')}
          </MenuItem>
        )}
      </Menu>
      <Suspense>
        {saving && (
          <SaveView
            board={board}
            settings={settings}
            view={saving === 'current' ? current : undefined}
            onClose={() => setSaving(null)}
            onSaved={async (view) => {
              await reload();
              if (saving === 'new') onFilters({ ...filters, view: view.id });
            }}
          />
        )}
      </Suspense>
    </>
  );
}

/** Ignores undefined members and the order of keys. */
function sameSettings(board: Kanban, kept: Partial<ViewSettings>, now: ViewSettings): boolean {
  const form = ({ filters = {}, face = [], sum = null, layout, own }: Partial<ViewSettings>) => {
    const { q, filter, sort } = cleanFilters(board, filters);
    const shown = cleanLayout(layout);
    // A layout that is not shown may have been changed elsewhere since; a view without settings has no say.
    const settings = kept.own ? own?.[shown] : undefined;
    return JSON.stringify([q ?? null, filter ?? null, sort ?? null, face, sum, shown, settings ?? null]);
  };
  return form(kept) === form(now);
}
