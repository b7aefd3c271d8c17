/** Who said a message, and its beginning. */
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { Message, MessageAttachment } from '../../../../../contract/messaging/messages.ts';
import { useAgents } from '../../../data/queries.ts';
import { useSignedIn } from '../../../data/session.ts';
import { customerName } from '../../../texts/customer-name.ts';
import { t } from '../../../texts/texts.ts';
import { isGone } from './message-marks.tsx';
import { plainText } from './plain-text.ts';

export function useSpeaker(message: Message, session: InboxSession): string {
  const { user } = useSignedIn();
  const agents = useAgents();
  if (message.role === 'assistant') {
    return agents.find(({ id }) => id === message.agentId)?.name ?? t('inbox.ai.formerAgent');
  }
  if (message.role === 'operator') {
    if (message.author) return message.author.name;
    return message.operator?.id === user.id ? t('inbox.role.you') : (message.operator?.name ?? '');
  }
  return message.isEcho ? t('inbox.preview.team') : customerName(session);
}

const longest = 160;

/** One line: the text, else the name of the first file. */
export function excerptOf(message: Message): string {
  const { content, attachments } = message;
  if (isGone(message)) return t('inbox.deletedHere');
  const text = plainText(content.slice(0, 4 * longest)).slice(0, longest);
  return text || ((attachments as MessageAttachment[])[0]?.fileName ?? '');
}
