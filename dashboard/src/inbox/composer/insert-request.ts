/** Lets other parts of a conversation write into its composer. */
import type { Message } from '../../../../contract/messaging/messages.ts';

interface Receiver {
  insert(text: string): void;
  replyTo(message: Message): void;
}

const composers = new Map<string, Receiver>();

export function onComposerRequest(sessionId: string, receiver: Receiver): () => void {
  composers.set(sessionId, receiver);
  return () => void (composers.get(sessionId) === receiver && composers.delete(sessionId));
}

export const requestInsert = (sessionId: string, text: string) => composers.get(sessionId)?.insert(text);
export const requestReply = (sessionId: string, message: Message) =>
  composers.get(sessionId)?.replyTo(message);
