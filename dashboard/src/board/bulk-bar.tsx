/** Appears with a selection: what can be done to all of it at once. */
import { ArrowRight, PencilLine, Trash2, UserPlus, X } from 'lucide-react';
import { useState } from 'react';
import type { Kanban } from '../../../contract/kanbans.ts';
import type { RecordUpdate } from '../../../contract/records.ts';
import { useShortcut } from '../app/shortcuts.tsx';
import { useUsers } from '../data/queries.ts';
import { FieldEditor } from '../fields/field-editor.tsx';
import { FieldIcon } from '../fields/field-icon.tsx';
import { t, tn } from '../texts/texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Dot } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/input.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { Select } from '../ui/select.tsx';
import { changeRecords, deleteRecords, moveCards } from './board-acts.ts';
import { findCard } from './board-cache.ts';
import { selection, useSelected } from './selection.ts';

export function BulkBar({ board }: { board: Kanban }) {
  const selected = useSelected();
  const users = useUsers();
  const [editing, setEditing] = useState(false);
  const isOpen = selected.size > 0;
  useShortcut('escape', selection.clear, { label: t('board.keys.clear'), group: 'board', enabled: isOpen });
  if (!isOpen) return null;
  /** As they stand now: some may have been changed since they were selected. */
  const cards = () => selection.all().map((card) => findCard(board.id, card.recordId) ?? card);
  const change = (update: RecordUpdate) => {
    const all = cards();
    void changeRecords(all, update, { done: tn('board.bulk.done', all.length) });
    selection.clear();
  };
  return (
    <>
      <div
        role="toolbar"
        aria-label={tn('board.bulk.selected', selected.size)}
        className="rise-in fixed bottom-5 left-1/2 z-20 flex -translate-x-1/2 items-center gap-1 rounded-panel bg-raised p-1.5 shadow-float"
      >
        <span className="tabular px-2 font-medium whitespace-nowrap">
          {tn('board.bulk.selected', selected.size)}
        </span>
        <span aria-hidden className="mx-1 h-5 w-px bg-line" />
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
          <MenuItem onSelect={() => change({ assignedUserIds: [] })}>{t('board.bulk.assignNobody')}</MenuItem>
        </Menu>
        <Button
          tone="quiet"
          icon={<PencilLine className="size-3.5" />}
          className="max-sm:hidden"
          onClick={() => setEditing(true)}
        >
          {t('board.bulk.edit')}
        </Button>
        <IconButton
          label={t('ui.delete')}
          onClick={() => {
            deleteRecords(cards());
            selection.clear();
          }}
        >
          <Trash2 className="size-4 text-danger" />
        </IconButton>
        <IconButton label={t('board.bulk.clear')} shortcut="escape" onClick={selection.clear}>
          <X className="size-4" />
        </IconButton>
      </div>
      {editing && <EditAll board={board} onClose={() => setEditing(false)} onApply={change} />}
    </>
  );
}

function EditAll({
  board,
  onClose,
  onApply,
}: {
  board: Kanban;
  onClose(): void;
  onApply(change: RecordUpdate): void;
}) {
  const [fieldId, setFieldId] = useState(board.fields[0]?.id);
  const [value, setValue] = useState<unknown>(null);
  const field = board.fields.find(({ id }) => id === fieldId);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('board.bulk.edit')}
      description={t('board.bulk.editText')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button
            tone="primary"
            disabled={!field}
            onClick={() => {
              onApply({ customFields: { [field!.id]: value } });
              onClose();
            }}
          >
            {t('board.bulk.apply')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t('board.filter.field')}>
          {(ids) => (
            <Select
              {...ids}
              value={fieldId}
              onChange={(id) => {
                setFieldId(id);
                setValue(null);
              }}
              options={board.fields.map(({ id, name, type }) => ({
                value: id,
                label: name,
                mark: <FieldIcon type={type} className="size-3.5 text-faint" />,
              }))}
            />
          )}
        </Field>
        {field && (
          <Field label={field.name}>
            {(ids) => (
              <FieldEditor key={field.id} {...ids} field={field} value={value} onCommit={setValue} framed />
            )}
          </Field>
        )}
      </div>
    </Dialog>
  );
}
