/** Reactions of operators. */
import type { Message, ReceiptAnswer } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { placeMessage } from './inbox-cache.ts';

/** A second reaction with the same emoji takes it away. */
export async function reactTo(sessionId: string, message: Message, emoji: string): Promise<void> {
  const isThere = message.reactions.includes(emoji);
  const reactions = isThere
    ? message.reactions.filter((one) => one !== emoji)
    : [...message.reactions, emoji];
  placeMessage(sessionId, { ...message, reactions });
  try {
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/${message.id}/reactions`;
    const answer = await api<ReceiptAnswer>('POST', path, {
      body: { action: isThere ? 'remove' : 'add', emoji },
    });
    placeMessage(sessionId, { ...message, reactions: answer.reactions });
  } catch (error) {
    placeMessage(sessionId, message);
    toast.failed(t('composer.message.reactFailed'), error, () => void reactTo(sessionId, message, emoji));
  }
}
