import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { api } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { refresh } from '../data/refresh.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toast } from '../ui/overlays/toast.tsx';

export default function NewBoard({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
}) {
  const navigate = useNavigate();
  const mayView = useMay('records.view');
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!name.trim()) return;
    setBusy(true);
    try {
      const board = await api<Kanban>('POST', '/kanbans', { body: { name: name.trim() } });
      await refresh(keys.kanbans);
      onOpenChange(false);
      const to = mayView ? '/boards/$boardId' : '/boards/$boardId/settings';
      void navigate({ to, params: { boardId: board.slug } });
    } catch (error) {
      toast.failed(t('board.new.failed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('board.new.title')}
      description={t('board.new.text')}
    >
      <form onSubmit={submit} className="flex flex-col gap-4 pb-2">
        <TextField
          label={t('board.new.name')}
          autoFocus
          value={name}
          placeholder={t('board.new.example')}
          onChange={setName}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>{t('ui.cancel')}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={!name.trim()}>
            {t('ui.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
