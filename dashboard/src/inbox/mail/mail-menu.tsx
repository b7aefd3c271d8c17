import { Download, Forward, MailOpen } from 'lucide-react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { MenuItem } from '../../ui/overlays/menu.tsx';
import { hasOriginal, mailOf } from './mail-data.ts';
import { requestMail } from './mail-request.ts';
import { saveOriginal } from './save-original.ts';

/** In the menu of a message that is a mail. */
export function MailMenuItems({ message, sessionId }: { message: Message; sessionId: string }) {
  const mayForward = useMay('conversations.reply');
  const mail = mailOf(message);
  if (!mail) return null;
  // The menu gives the focus back to its button first.
  const open = (kind: 'view' | 'forward') => () =>
    void setTimeout(() => requestMail({ kind, sessionId, message }));
  return (
    <>
      {mayForward && !message.isNote && (
        <MenuItem icon={<Forward className="size-4" />} onSelect={open('forward')}>
          {t('mail.forward')}
        </MenuItem>
      )}
      {mail.hasHtml && (
        <MenuItem icon={<MailOpen className="size-4" />} onSelect={open('view')}>
          {t('mail.showHtml')}
        </MenuItem>
      )}
      {hasOriginal(message) && (
        <MenuItem
          icon={<Download className="size-4" />}
          onSelect={() => void saveOriginal(sessionId, message.id)}
        >
          {t('mail.download')}
        </MenuItem>
      )}
    </>
  );
}
