/** Which mail is shown in a dialog. A menu asks for it, and is gone when it opens. */
import { useSyncExternalStore } from 'react';
import type { Message } from '../../../../contract/messaging/messages.ts';

export interface MailRequest {
  kind: 'view' | 'forward';
  sessionId: string;
  message: Message;
}

let current: MailRequest | null = null;
const listeners = new Set<() => void>();

export function requestMail(request: MailRequest | null): void {
  current = request;
  for (const listener of listeners) listener();
}

export const useMailRequest = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => current,
  );
