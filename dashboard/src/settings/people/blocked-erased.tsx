/** Unblocking a person whose data was erased. */
import { useState } from 'react';
import { api } from '../../data/api.ts';
import { ExplainedError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';

export const pathOf = (identifier: string) => `/blocked-contacts/${encodeURIComponent(identifier)}`;

/** The service finds the entry by the identifier, which is no longer readable here. */
export function UnblockErased() {
  const [isOpen, setOpen] = useState(false);
  const [identifier, setIdentifier] = useState('');
  const close = () => {
    setOpen(false);
    setIdentifier('');
  };
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {t('blocked.enterIdentifier')}
      </Button>
      {isOpen && (
        <FormDialog
          title={t('blocked.unblockErased')}
          description={t('blocked.erasedText')}
          action={t('blocked.unblock')}
          ready={identifier.trim() !== ''}
          onSubmit={() => unblockEntered(identifier.trim())}
          onClose={close}
        >
          <TextField
            label={t('blocked.identifier')}
            hint={t('blocked.identifierHint')}
            autoFocus
            value={identifier}
            onChange={setIdentifier}
          />
        </FormDialog>
      )}
    </>
  );
}

async function unblockEntered(identifier: string): Promise<void> {
  const { unblocked } = await api<{ unblocked: boolean }>('DELETE', pathOf(identifier));
  if (!unblocked) throw new ExplainedError(t('blocked.notBlocked'));
  await reload(settingsKeys.blocked);
  toast.done(t('blocked.unblocked', { contact: identifier }));
}
