import { useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { emailPattern } from '../../../../contract/widget/widget-protocol.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { SendToDialog } from '../mail/send-to-dialog.tsx';

const emailForm = new RegExp(emailPattern);

/** The address is confirmed before anything is sent. */
export default function TranscriptDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const [email, setEmail] = useState(session.customerEmail ?? '');
  const address = email.trim();
  return (
    <SendToDialog
      title={t('inbox.transcript.title')}
      description={t('inbox.transcript.text')}
      action={t('inbox.transcript.send')}
      field={{
        label: t('inbox.context.email'),
        type: 'email',
        value: email,
        onChange: setEmail,
        maxLength: 254,
      }}
      ready={address !== ''}
      check={() => (emailForm.test(address) ? '' : t('inbox.transcript.wrong'))}
      onSend={async () => {
        const path = `/sessions/${encodeURIComponent(session.sessionId)}/transcript`;
        await api('POST', path, { body: { email: address } });
        return t('inbox.transcript.done', { email: address });
      }}
      onClose={onClose}
    />
  );
}
