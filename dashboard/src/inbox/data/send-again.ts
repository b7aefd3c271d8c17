import { randomId } from '../../../../browser/random-id.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';

/** Templates and mails have more than a text: they are sent again where they were written. */
export const canSendAgain = ({ role, status, data }: Message): boolean =>
  role !== 'user' && status === 'failed' && !data?.template && !data?.mail;

/** As a new message with the same text, files and quote. True: it was accepted. */
export async function sendAgain(session: InboxSession, message: Message): Promise<boolean> {
  const { channelId, sessionId } = session;
  const { content, attachments, replyToMessageId } = message;
  const path = `/channels/${channelId}/sessions/${encodeURIComponent(sessionId)}/agent-messages`;
  try {
    await api('POST', path, {
      body: {
        content,
        ...(attachments.length > 0 && { attachments }),
        ...(replyToMessageId && { replyToMessageId }),
      },
      idempotencyKey: randomId(),
    });
    return true;
  } catch (error) {
    toast.failed(t('inbox.sendAgain.failed'), error);
    return false;
  }
}
