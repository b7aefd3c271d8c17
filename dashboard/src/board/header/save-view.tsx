import { type FormEvent, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { SavedView } from '../../../../contract/dashboard.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import type { ViewSettings } from '../data/board-look.ts';

/** Saves the current filters as a new view, or renames or shares an existing one. */
export default function SaveView({
  board,
  view,
  settings,
  onClose,
  onSaved,
}: {
  board: Kanban;
  view?: SavedView;
  settings: ViewSettings;
  onClose(): void;
  onSaved(view: SavedView): void;
}) {
  const [name, setName] = useState(view?.name ?? '');
  const [shared, setShared] = useState(view?.shared ?? false);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      onSaved(
        view
          ? await api<SavedView>('PATCH', `/saved-views/${view.id}`, { body: { name, shared } })
          : await api<SavedView>('POST', '/saved-views', {
              body: { kanbanId: board.id, name, shared, settings },
            }),
      );
      onClose();
    } catch (error) {
      toast.failed(t('board.views.failed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={view ? t('board.views.edit') : t('board.views.saveTitle')}
      description={view ? undefined : t('board.views.saveText')}
    >
      <form onSubmit={submit} className="flex flex-col gap-4 pb-2">
        <TextField
          label={t('board.views.name')}
          autoFocus
          required
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <Switch label={t('board.views.share')} checked={shared} onChange={setShared} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={!name.trim()}>
            {t('ui.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
