/** Asks before a label is deleted, and says how many lose it. There is no undo: they would not get it back. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Label, LabelUsage } from '../../../../contract/labels.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { usageQuery } from '../../labels/label-data.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { reload } from '../settings-data.ts';

export function DeleteLabel({ label, onClose }: { label: Label; onClose(): void }) {
  const { id, name } = label;
  const { data: usage } = useQuery(usageQuery(id));
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await api('DELETE', `/labels/${id}`);
      await reload(keys.labels);
      toast.done(t('labels.deleted', { name }));
      onClose();
    } catch (error) {
      toast.failed(t('labels.deleteFailed'), error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('labels.deleteTitle', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="danger" busy={busy} disabled={!usage} onClick={() => void remove()}>
            {t('ui.delete')}
          </Button>
        </>
      }
    >
      <p aria-live="polite" className="text-muted">
        {usage ? usageText(usage) : t('labels.counting')}
      </p>
    </Dialog>
  );
}

function usageText({ sessions, records }: LabelUsage): string {
  if (sessions + records === 0) return t('labels.deleteUnused');
  const shown = (count: number, text: string) =>
    count >= limits.countedLabelled ? t('labels.more', { count: text }) : text;
  return t('labels.deleteText', {
    sessions: shown(sessions, tn('labels.inSessions', sessions)),
    records: shown(records, tn('labels.inCards', records)),
  });
}
