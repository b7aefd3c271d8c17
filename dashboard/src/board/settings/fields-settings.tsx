import { useQuery } from '@tanstack/react-query';
import { EyeOff, FolderPlus, Lock, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { FieldGroup, Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import { RulesUsing } from '../../automations/rules-using.tsx';
import { api } from '../../data/api.ts';
import { reloadBoards } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { FieldIcon, fieldTypeName } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { fieldGroupsQuery } from '../../record/record-data.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { ConfirmByName, Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { fieldsQuery } from '../data/board-data.ts';
import { FieldDialog } from './field-dialog.tsx';
import { GroupDialog } from './group-dialog.tsx';

export function FieldsSettings({ board }: { board: Kanban }) {
  const { data: groups = [] } = useQuery(fieldGroupsQuery(board.id));
  const storedFields = useQuery(fieldsQuery(board.id));
  const stored = storedFields.data;
  const [field, setField] = useState<KanbanField | 'new' | null>(null);
  const [group, setGroup] = useState<FieldGroup | 'new' | null>(null);
  const reload = () =>
    Promise.all([
      reloadBoards(),
      refresh(fieldGroupsQuery(board.id).queryKey),
      refresh(fieldsQuery(board.id).queryKey),
    ]);
  const sorted = [...groups].sort((a, b) => a.order - b.order);
  const fieldsIn = (groupId: string | null) =>
    board.fields
      .filter((one) => one.groupId === groupId)
      .sort((a, b) => a.order - b.order || a.name.localeCompare(b.name));

  const reorder = async (fields: readonly KanbanField[]) => {
    try {
      const changed = fields
        .map((one, order) => ({ one, order }))
        .filter(({ one, order }) => one.order !== order);
      for (const { one, order } of changed) await api('PATCH', `/crm/fields/${one.id}`, { body: { order } });
    } catch (error) {
      toast.failed(t('boardSettings.failed'), error);
    } finally {
      await reload();
    }
  };
  const list = (groupId: string | null) => (
    <SortableList
      items={fieldsIn(groupId)}
      itemKey={(one) => one.id}
      itemName={(one) => fieldLabel(one)}
      onReorder={(next) => void reorder(next)}
      render={(one) => (
        <FieldRow
          field={one}
          isAiVisible={stored?.get(one.id)?.aiVisible ?? true}
          onEdit={() => setField(one)}
          onDeleted={reload}
        />
      )}
    />
  );
  return (
    <>
      <p className="-mt-4 text-muted">{t('boardSettings.fieldsText')}</p>
      {list(null)}
      {sorted.map((one) => (
        <section key={one.id} className="border-t border-line pt-4">
          <div className="mb-1 flex items-center justify-between">
            <h3 className="font-medium">{one.name}</h3>
            <IconButton
              label={t('boardSettings.editGroup', { name: one.name })}
              onClick={() => setGroup(one)}
            >
              <Pencil className="size-3.5" />
            </IconButton>
          </div>
          {fieldsIn(one.id).length > 0 ? (
            list(one.id)
          ) : (
            <p className="text-muted">{t('boardSettings.emptyGroup')}</p>
          )}
        </section>
      ))}
      <div className="flex gap-2">
        <Button icon={<Plus className="size-3.5" />} onClick={() => setField('new')}>
          {t('boardSettings.addField')}
        </Button>
        <Button icon={<FolderPlus className="size-3.5" />} onClick={() => setGroup('new')}>
          {t('boardSettings.addGroup')}
        </Button>
      </div>
      {field && field !== 'new' && !stored && (
        <Dialog
          open
          onOpenChange={() => setField(null)}
          title={t('boardSettings.editField', { name: fieldLabel(field) })}
        >
          {storedFields.isError ? (
            <ErrorState error={storedFields.error} onRetry={() => void storedFields.refetch()} />
          ) : (
            <div role="status" aria-label={t('ui.loading')} className="pb-2">
              <Skeleton className="h-40" />
            </div>
          )}
        </Dialog>
      )}
      {field && (field === 'new' || stored) && (
        <FieldDialog
          board={board}
          groups={sorted}
          field={field === 'new' ? null : field}
          isAiVisible={field === 'new' || stored?.get(field.id)?.aiVisible !== false}
          channelBindings={field === 'new' ? [] : stored?.get(field.id)?.channelBindings}
          onClose={() => setField(null)}
          onSaved={reload}
        />
      )}
      {group && (
        <GroupDialog
          board={board}
          group={group === 'new' ? null : group}
          order={sorted.length}
          onClose={() => setGroup(null)}
          onSaved={reload}
        />
      )}
    </>
  );
}

function FieldRow({
  field,
  isAiVisible,
  onEdit,
  onDeleted,
}: {
  field: KanbanField;
  isAiVisible: boolean;
  onEdit(): void;
  onDeleted(): Promise<unknown>;
}) {
  const [deleting, setDeleting] = useState(false);
  const remove = async () => {
    try {
      await api('DELETE', `/crm/fields/${field.id}`);
      await onDeleted();
      toast.done(t('boardSettings.fieldDeleted', { name: fieldLabel(field) }));
    } catch (error) {
      toast.failed(t('boardSettings.failed'), error);
    }
  };
  return (
    <div className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control pl-1 hover:bg-hover">
      <FieldIcon type={field.type} className="size-4 shrink-0 text-faint" />
      <span className="truncate">{fieldLabel(field)}</span>
      <span className="text-sm text-faint">{fieldTypeName(field.type)}</span>
      <span className="flex-1" />
      {!isAiVisible && (
        <EyeOff aria-label={t('boardSettings.hiddenFromAi')} className="size-3.5 text-faint" />
      )}
      {field.isSystem && <Lock aria-label={t('boardSettings.systemField')} className="size-3.5 text-faint" />}
      <IconButton label={t('boardSettings.editField', { name: fieldLabel(field) })} onClick={onEdit}>
        <Pencil className="size-3.5" />
      </IconButton>
      {!field.isSystem && (
        <IconButton
          label={t('boardSettings.removeField', { name: fieldLabel(field) })}
          onClick={() => setDeleting(true)}
        >
          <Trash2 className="size-3.5" />
        </IconButton>
      )}
      <ConfirmByName
        open={deleting}
        onOpenChange={setDeleting}
        title={t('boardSettings.removeField', { name: fieldLabel(field) })}
        consequence={t('boardSettings.fieldConsequence')}
        name={fieldLabel(field)}
        action={t('ui.delete')}
        onConfirm={remove}
      >
        <RulesUsing id={field.id} />
      </ConfirmByName>
    </div>
  );
}
