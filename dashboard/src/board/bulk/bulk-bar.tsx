/** Bulk actions; shown while cards are selected. */
import { ArrowRight, PencilLine, Tag, Trash2, UserPlus, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { RecordUpdate } from '../../../../contract/crm/records.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useUsers } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { findThing } from '../../data/store/entities.ts';
import { t, tn, withTexts } from '../../texts/texts.ts';
import { bottomBar } from '../../ui/bottom-bar.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Dot } from '../../ui/display/badge.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { changeEach, changeRecords, deleteRecords, moveCards } from '../data/board-actions.ts';
import type { BoardFilters } from '../data/board-look.ts';
import { selection, useSelected } from '../data/selection.ts';
import { SelectAll } from './select-all.tsx';

const EditAll = lazy(() => import('./edit-all.tsx'));
const LabelCards = lazy(withTexts('labels', () => import('./label-cards.tsx')));

export interface BulkBarProps {
  board: Kanban;
  filters: BoardFilters;
  /** How many cards the filters find. */
  total: number | undefined;
}

export default function BulkBar({ board, filters, total }: BulkBarProps) {
  const selected = useSelected();
  const users = useUsers();
  const mayEdit = useMay('records.edit');
  const mayDelete = useMay('records.delete');
  const [opened, setOpened] = useState<'edit' | 'labels' | null>(null);
  const isOpen = selected.size > 0;
  useShortcut('escape', selection.clear, { label: t('board.keys.clear'), group: 'board', enabled: isOpen });
  if (!isOpen) return null;
  /** Their current state: some may have changed since they were selected. */
  const cards = () => selection.all().map((card) => findThing('record', card.recordId) ?? card);
  const change = (update: RecordUpdate) => {
    const all = cards();
    void changeRecords(all, update, { done: tn('board.bulk.done', all.length) });
    selection.clear();
  };
  return (
    <>
      <div
        ref={bottomBar}
        role="toolbar"
        aria-label={tn('board.bulk.selected', selected.size)}
        className="rise-in fixed bottom-5 left-1/2 z-20 flex -translate-x-1/2 items-center gap-1 rounded-panel bg-raised p-1.5 shadow-float"
      >
        <span className="tabular px-2 font-medium whitespace-nowrap">
          {tn('board.bulk.selected', selected.size)}
        </span>
        <SelectAll kanbanId={board.id} filters={filters} total={total} selected={selected.size} />
        <span aria-hidden className="mx-1 h-5 w-px bg-line" />
        {mayEdit && (
          <>
            <Menu
              side="top"
              trigger={
                <Button tone="quiet" icon={<ArrowRight className="size-3.5" />}>
                  {t('board.bulk.move')}
                </Button>
              }
            >
              {board.statuses.map((status) => (
                <MenuItem
                  key={status.value}
                  icon={<Dot color={status.color} />}
                  onSelect={() => {
                    void moveCards(cards(), status);
                    selection.clear();
                  }}
                >
                  {status.label}
                </MenuItem>
              ))}
            </Menu>
            <Menu
              side="top"
              trigger={
                <Button tone="quiet" icon={<UserPlus className="size-3.5" />}>
                  {t('board.bulk.assign')}
                </Button>
              }
            >
              {users.map(({ id, name }) => (
                <MenuItem
                  key={id}
                  icon={<Avatar id={id} name={name} tip={false} />}
                  onSelect={() => change({ assignedUserIds: [id] })}
                >
                  {name}
                </MenuItem>
              ))}
              <MenuLine />
              <MenuItem onSelect={() => change({ assignedUserIds: [] })}>
                {t('board.bulk.assignNobody')}
              </MenuItem>
            </Menu>
            <Button
              tone="quiet"
              icon={<PencilLine className="size-3.5" />}
              className="max-sm:hidden"
              onClick={() => setOpened('edit')}
            >
              {t('board.bulk.edit')}
            </Button>
            <IconButton label={t('record.field.labels')} onClick={() => setOpened('labels')}>
              <Tag className="size-4" />
            </IconButton>
          </>
        )}
        {mayDelete && (
          <IconButton
            label={t('ui.delete')}
            onClick={() => {
              deleteRecords(cards());
              selection.clear();
            }}
          >
            <Trash2 className="size-4 text-danger" />
          </IconButton>
        )}
        <IconButton label={t('board.bulk.clear')} shortcut="escape" onClick={selection.clear}>
          <X className="size-4" />
        </IconButton>
      </div>
      <Suspense>
        {opened === 'labels' && <LabelCards cards={cards()} onClose={() => setOpened(null)} />}
        {opened === 'edit' && (
          <EditAll
            board={board}
            cards={cards()}
            onClose={() => setOpened(null)}
            onApply={(changeOf, done) => {
              const changes = cards().flatMap((record) => {
                const update = changeOf(record);
                return update ? [{ record, change: update }] : [];
              });
              void changeEach(changes, { done: done(changes.length) });
              selection.clear();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
