/** For administrators: everything about a person as one file, and the end of it. */
import { useNavigate } from '@tanstack/react-router';
import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Switch } from '../ui/controls/switch.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { eraseContact, exportContact } from './contact-actions.ts';
import { contactName } from './contact-words.tsx';

export function ContactPrivacy({ contact }: { contact: Contact }) {
  const [isAsked, setAsked] = useState(false);
  if (!useMay('privacy.manage')) return null;
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon={<Download className="size-3.5" />} onClick={() => void exportContact(contact)}>
        {t('contacts.export')}
      </Button>
      <Button icon={<Trash2 className="size-3.5" />} onClick={() => setAsked(true)}>
        {t('contacts.erase')}
      </Button>
      {isAsked && <EraseContact contact={contact} onClose={() => setAsked(false)} />}
    </div>
  );
}

/** Cannot be undone: the name has to be typed. */
function EraseContact({ contact, onClose }: { contact: Contact; onClose(): void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [keepsRecords, setKeepsRecords] = useState(false);
  const name = contactName(contact);
  const erase = async () => {
    onClose();
    if (await eraseContact(contact, keepsRecords)) await navigate({ to: '/contacts' });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('contacts.erase.title', { name })}
      description={t('contacts.erase.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="danger" disabled={typed.trim() !== name.trim()} onClick={() => void erase()}>
            {t('contacts.erase')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Switch checked={keepsRecords} onChange={setKeepsRecords} label={t('contacts.erase.keepCards')} />
        <TextField label={t('contacts.erase.type', { name })} value={typed} onChange={setTyped} />
      </div>
    </Dialog>
  );
}
