import { useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { blockedBy, setBlocked } from '../data/inbox-actions.ts';

/** Confirmed although it can be undone: messages that arrive while the customer is blocked are lost. */
export function BlockDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const [reason, setReason] = useState('');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('inbox.block.title', { name: customerName(session) })}
      description={t('inbox.block.text', { id: blockedBy(session) })}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button
            tone="danger"
            onClick={() => {
              onClose();
              setBlocked(session, true, reason.trim());
            }}
          >
            {t('inbox.block.action')}
          </Button>
        </>
      }
    >
      <TextField label={t('inbox.block.reason')} value={reason} onChange={setReason} />
    </Dialog>
  );
}
