import { useNavigate } from '@tanstack/react-router';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { ConfirmByName } from '../../ui/overlays/dialog.tsx';
import { deleteConversation } from '../data/inbox-actions.ts';

/** Cannot be undone: the name has to be typed. */
export function DeleteDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const navigate = useNavigate();
  const name = customerName(session);
  return (
    <ConfirmByName
      open
      onOpenChange={onClose}
      title={t('inbox.conversation.delete.title', { name })}
      consequence={t('inbox.conversation.delete.text')}
      name={name}
      action={t('inbox.conversation.delete')}
      onConfirm={async () => {
        if (await deleteConversation(session)) await navigate({ to: '/inbox' });
      }}
    />
  );
}
