/** What a connected channel tells about a message. */
import type { Message } from '../../../../contract/messaging/messages.ts';

export type WholeMessage = Message & {
  replyToMessageId?: string | null;
  statusReason?: string | null;
  editedAt?: number | null;
  deletedAt?: number | null;
  data?: { [name: string]: unknown } | null;
};
