import { useRef, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { emailPattern } from '../../../../contract/widget/widget-protocol.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

const emailForm = new RegExp(emailPattern);

/** The address is confirmed before anything is sent. */
export default function TranscriptDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const [email, setEmail] = useState(session.customerEmail ?? '');
  const [error, setError] = useState('');
  const [isSending, setSending] = useState(false);
  // A second Enter may come before the next render.
  const isBusy = useRef(false);
  const address = email.trim();
  const send = async () => {
    if (isBusy.current) return;
    if (!emailForm.test(address)) {
      setError(t('inbox.transcript.wrong'));
      return;
    }
    isBusy.current = true;
    setSending(true);
    try {
      const path = `/sessions/${encodeURIComponent(session.sessionId)}/transcript`;
      await api('POST', path, { body: { email: address } });
      toast.done(t('inbox.transcript.done', { email: address }));
      onClose();
    } catch (failure) {
      setError(describeError(failure).text);
      setSending(false);
      isBusy.current = false;
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('inbox.transcript.title')}
      description={t('inbox.transcript.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={isSending} disabled={!address} onClick={() => void send()}>
            {t('inbox.transcript.send')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('inbox.context.email')}
        type="email"
        value={email}
        error={error}
        maxLength={254}
        onChange={(value) => {
          setEmail(value);
          setError('');
        }}
        onKeyDown={(event) => event.key === 'Enter' && void send()}
      />
    </Dialog>
  );
}
