import { useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { mergeContacts } from './contact-actions.ts';
import { contactName } from './contact-words.tsx';

export interface ConfirmMergeProps {
  contact: Contact;
  other: { id: string; name: string };
  onClose(): void;
}

export function ConfirmMerge({ contact, other, onClose }: ConfirmMergeProps) {
  const [busy, setBusy] = useState(false);
  const merge = async () => {
    setBusy(true);
    const isDone = await mergeContacts(contact.id, other.id, other.name);
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('contacts.merge.title', { name: other.name, into: contactName(contact) })}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={busy} onClick={() => void merge()}>
            {t('contacts.merge')}
          </Button>
        </>
      }
    >
      <p className="text-pretty">
        {t('contacts.merge.text', { name: other.name, into: contactName(contact) })}
      </p>
      <p className="mt-2 text-pretty text-muted">{t('contacts.merge.undoText')}</p>
    </Dialog>
  );
}
