import { type FormEvent, useState } from 'react';
import type { FieldGroup, Kanban } from '../../../../contract/crm/kanbans.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

export interface GroupDialogProps {
  board: Kanban;
  group: FieldGroup | null;
  order: number;
  onClose(): void;
  onSaved(): Promise<unknown>;
}

export function GroupDialog({ board, group, order, onClose, onSaved }: GroupDialogProps) {
  const [name, setName] = useState(group?.name ?? '');
  const run = async (send: () => Promise<unknown>) => {
    try {
      await send();
      await onSaved();
      onClose();
    } catch (error) {
      toast.failed(t('boardSettings.failed'), error);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim() };
    void run(() =>
      group
        ? api('PATCH', `/crm/field-groups/${group.id}`, { body })
        : api('POST', '/crm/field-groups', { query: { kanbanId: board.id }, body: { ...body, order } }),
    );
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={group ? t('boardSettings.editGroup', { name: group.name }) : t('boardSettings.addGroup')}
    >
      <form onSubmit={submit} className="flex flex-col gap-4 pb-2">
        <TextField
          label={t('boardSettings.groupName')}
          autoFocus
          required
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <div className="flex justify-between gap-2">
          {group ? (
            <Button
              tone="quiet"
              className="text-danger!"
              onClick={() => void run(() => api('DELETE', `/crm/field-groups/${group.id}`))}
            >
              {t('boardSettings.removeGroup')}
            </Button>
          ) : (
            <span />
          )}
          <Button type="submit" tone="primary" disabled={!name.trim()}>
            {t('ui.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
