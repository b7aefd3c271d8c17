import { randomId } from '../../../../../browser/random-id.ts';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { MailInput } from '../../../../../contract/messaging/mail.ts';
import { api } from '../../../data/api.ts';
import { t } from '../../../texts/texts.ts';
import { toast } from '../../../ui/overlays/toast.tsx';
import type { Upload } from '../uploads.ts';
import { rereadScheduled, type SendTime } from './scheduled-data.ts';

export interface LaterReply {
  content: string;
  uploads: readonly Upload[];
  replyToMessageId: string | null;
  pauseAi: boolean;
  mail: MailInput | null;
}

/** False: it could not be stored, and the draft stays as it is. */
export async function scheduleReply(
  { channelId, sessionId }: InboxSession,
  { content, uploads, replyToMessageId, pauseAi, mail }: LaterReply,
  time: SendTime,
): Promise<boolean> {
  const path = `/channels/${channelId}/sessions/${encodeURIComponent(sessionId)}/agent-messages`;
  try {
    const attachments = await Promise.all(uploads.map(({ done }) => done));
    await api('POST', path, {
      body: {
        content,
        ...(attachments.length > 0 && { attachments }),
        ...(replyToMessageId && { replyToMessageId }),
        ...(pauseAi && { pauseAi }),
        ...(mail && { mail }),
        ...time,
      },
      idempotencyKey: randomId(),
    });
    rereadScheduled(sessionId);
    toast.done(t('later.done'));
    return true;
  } catch (error) {
    toast.failed(t('later.failed'), error);
    return false;
  }
}
