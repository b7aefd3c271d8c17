/** Dialogs about a mail of the open conversation, loaded when one is opened. */
import { lazy, Suspense } from 'react';
import { requestMail, useMailRequest } from './mail-request.ts';

const MailViewDialog = lazy(() => import('./mail-view-dialog.tsx'));
const ForwardDialog = lazy(() => import('./forward-dialog.tsx'));

export function MailDialogs({ sessionId }: { sessionId: string }) {
  const request = useMailRequest();
  if (!request || request.sessionId !== sessionId) return null;
  const { kind, message } = request;
  const Shown = kind === 'view' ? MailViewDialog : ForwardDialog;
  return (
    <Suspense>
      <Shown key={message.id} sessionId={sessionId} message={message} onClose={() => requestMail(null)} />
    </Suspense>
  );
}
