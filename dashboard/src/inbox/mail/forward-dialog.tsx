import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { excerptOf } from '../conversation/marks/speaker.ts';
import { addressError } from './address-error.ts';
import { readAddresses } from './mail-addresses.ts';
import { forwardMessage, mailOf } from './mail-data.ts';
import { SendToDialog } from './send-to-dialog.tsx';

interface ForwardDialogProps {
  sessionId: string;
  message: Message;
  onClose(): void;
}

/** Sends a message of the conversation, with its files, to other addresses. A note records it. */
export default function ForwardDialog({ sessionId, message, onClose }: ForwardDialogProps) {
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const written = readAddresses(to);
  const { addresses } = written;
  return (
    <SendToDialog
      title={t('mail.forward.title')}
      description={t('mail.forward.text')}
      action={t('mail.forward.send')}
      field={{
        label: t('mail.forward.to'),
        hint: t('mail.addressesHint'),
        value: to,
        onChange: setTo,
        autoFocus: true,
        spellCheck: false,
      }}
      ready={to.trim() !== ''}
      check={() => addressError(written)}
      onSend={async () => {
        const text = note.trim();
        await forwardMessage(sessionId, message.id, { to: addresses, ...(text && { note: text }) });
        return t('mail.forward.done', { to: addresses.join(', ') });
      }}
      onClose={onClose}
    >
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
    </SendToDialog>
  );
}
