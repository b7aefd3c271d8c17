import { useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { changeSession } from '../data/inbox-actions.ts';

export function RenameDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const [name, setName] = useState(session.sessionName ?? '');
  const save = () => {
    onClose();
    const sessionName = name.trim();
    if (sessionName && sessionName !== session.sessionName) {
      changeSession(session, { sessionName }, t('inbox.rename.failed'));
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('inbox.rename')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" disabled={!name.trim()} onClick={save}>
            {t('ui.save')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('inbox.rename.label')}
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
        onKeyDown={(event) => event.key === 'Enter' && save()}
      />
    </Dialog>
  );
}
