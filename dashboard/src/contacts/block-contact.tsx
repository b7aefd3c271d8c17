import { useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { setContactBlocked } from './contact-actions.ts';
import { contactName } from './contact-words.tsx';

/** Confirmed although it can be undone: messages that arrive while the contact is blocked are lost. */
export function BlockContact({ contact, onClose }: { contact: Contact; onClose(): void }) {
  const [reason, setReason] = useState('');
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('contacts.block.title', { name: contactName(contact) })}
      description={t('contacts.block.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button
            tone="danger"
            onClick={() => {
              onClose();
              void setContactBlocked(contact, true, reason.trim());
            }}
          >
            {t('contacts.block')}
          </Button>
        </>
      }
    >
      <TextField label={t('contacts.block.reason')} value={reason} onChange={setReason} />
    </Dialog>
  );
}
