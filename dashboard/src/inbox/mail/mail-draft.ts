/** Cc and subject of the next reply of a conversation. Kept while the page is open. */
import { useSyncExternalStore } from 'react';

export interface MailDraft {
  /** As written. */
  cc: string;
  /** Null: as the thread has it. */
  subject: string | null;
}

const empty: MailDraft = { cc: '', subject: null };
const drafts = new Map<string, MailDraft>();
const listeners = new Set<() => void>();

export function setMailDraft(sessionId: string, draft: MailDraft | null): void {
  if (draft) drafts.set(sessionId, draft);
  else drafts.delete(sessionId);
  for (const listener of listeners) listener();
}

export const useMailDraft = (sessionId: string): MailDraft =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => drafts.get(sessionId) ?? empty,
  );
