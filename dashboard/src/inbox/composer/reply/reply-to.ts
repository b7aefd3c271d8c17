/** The message that the next reply of a conversation quotes. Kept while the page is open. */
import { useSyncExternalStore } from 'react';
import type { Message } from '../../../../../contract/messaging/messages.ts';

const chosen = new Map<string, Message>();
const listeners = new Set<() => void>();

export function setReplyTo(sessionId: string, message: Message | null): void {
  if (message) chosen.set(sessionId, message);
  else chosen.delete(sessionId);
  for (const listener of listeners) listener();
}

export const useReplyTo = (sessionId: string): Message | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => chosen.get(sessionId) ?? null,
  );
