import { useState } from 'react';
import type { Channel } from '../../../../../contract/channels.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';

/** Confirmed: the credentials are lost, and messages that still wait are not sent. */
export function RemoveConnector({ channel, onRemove }: { channel: Channel; onRemove(): Promise<void> }) {
  const [isOpen, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await onRemove();
      toast.done(t('connectors.removed'));
    } catch (error) {
      toast.failed(t('connectors.removeFailed'), error);
    } finally {
      setBusy(false);
      setOpen(false);
    }
  };
  return (
    <>
      <Button tone="quiet" className="text-danger!" onClick={() => setOpen(true)}>
        {t('connectors.remove')}
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={t('connectors.removeTitle', { name: channel.name })}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{t('ui.cancel')}</Button>
            <Button tone="danger" busy={busy} onClick={() => void remove()}>
              {t('connectors.remove')}
            </Button>
          </>
        }
      >
        <p className="text-pretty">{t('connectors.removeText')}</p>
      </Dialog>
    </>
  );
}
