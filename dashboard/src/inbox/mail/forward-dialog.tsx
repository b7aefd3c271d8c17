import { useRef, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { excerptOf } from '../conversation/marks/speaker.ts';
import { addressError } from './address-error.ts';
import { readAddresses } from './mail-addresses.ts';
import { forwardMessage, mailOf } from './mail-data.ts';

interface ForwardDialogProps {
  sessionId: string;
  message: Message;
  onClose(): void;
}

/** Sends a message of the conversation, with its files, to other addresses. A note records it. */
export default function ForwardDialog({ sessionId, message, onClose }: ForwardDialogProps) {
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const [error, setError] = useState('');
  const [isSending, setSending] = useState(false);
  // A second Enter may come before the next render.
  const isBusy = useRef(false);
  const written = readAddresses(to);
  const send = async () => {
    const problem = addressError(written);
    setError(problem);
    if (problem || written.addresses.length === 0 || isBusy.current) return;
    isBusy.current = true;
    setSending(true);
    try {
      const text = note.trim();
      await forwardMessage(sessionId, message.id, { to: written.addresses, ...(text && { note: text }) });
      toast.done(t('mail.forward.done', { to: written.addresses.join(', ') }));
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
      title={t('mail.forward.title')}
      description={t('mail.forward.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button
            tone="primary"
            busy={isSending}
            disabled={written.addresses.length === 0}
            onClick={() => void send()}
          >
            {t('mail.forward.send')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField
          label={t('mail.forward.to')}
          hint={t('mail.addressesHint')}
          value={to}
          error={error}
          autoFocus
          spellCheck={false}
          onChange={(value) => {
            setTo(value);
            setError('');
          }}
          onKeyDown={(event) => event.key === 'Enter' && void send()}
        />
        <TextField
          label={t('mail.forward.note')}
          value={note}
          lines={{ min: 3, max: 8 }}
          maxLength={limits.messageLength}
          onChange={setNote}
        />
        <p className="truncate rounded-control border-l-2 border-line-strong bg-sunken px-2 py-1 text-sm text-muted">
          <span className="font-medium">{mailOf(message)?.subject}</span> {excerptOf(message)}
        </p>
      </div>
    </Dialog>
  );
}
