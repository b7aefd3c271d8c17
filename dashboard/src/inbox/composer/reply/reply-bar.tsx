import { Reply, X } from 'lucide-react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { Message } from '../../../../../contract/messaging/messages.ts';
import { t } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { excerptOf, useSpeaker } from '../../conversation/marks/speaker.ts';

/** Above the text: what the reply quotes, and the way to quote nothing. */
export function ReplyBar({
  session,
  message,
  onClear,
}: {
  session: InboxSession;
  message: Message;
  onClear(): void;
}) {
  const name = useSpeaker(message, session);
  return (
    <div className="mx-2 mt-2 flex items-center gap-2 rounded-control border-l-2 border-accent bg-sunken py-1 pr-1 pl-2">
      <Reply aria-hidden className="size-3.5 shrink-0 text-muted" />
      <p className="min-w-0 flex-1 truncate text-sm">
        <span className="font-medium">{t('composer.replyTo', { name })}</span>{' '}
        <span className="text-muted">{excerptOf(message)}</span>
      </p>
      <IconButton size="small" label={t('composer.replyTo.clear')} onClick={onClear}>
        <X className="size-3.5" />
      </IconButton>
    </div>
  );
}
