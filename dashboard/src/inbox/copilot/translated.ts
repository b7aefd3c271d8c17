/** Which messages are shown with their translation, while the page is open. */
import { useSyncExternalStore } from 'react';
import { onSession, sessionState } from '../../data/session.ts';

/** Of a conversation: single messages, or all with single exceptions. */
interface Shown {
  isAll: boolean;
  others: ReadonlySet<string>;
}

const none: Shown = { isAll: false, others: new Set() };
const shown = new Map<string, Shown>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useAllTranslated = (sessionId: string): boolean =>
  useSyncExternalStore(subscribe, () => (shown.get(sessionId) ?? none).isAll);

export const useTranslated = (sessionId: string, messageId: string): boolean =>
  useSyncExternalStore(subscribe, () => isTranslated(sessionId, messageId));

function isTranslated(sessionId: string, messageId: string): boolean {
  const { isAll, others } = shown.get(sessionId) ?? none;
  return isAll !== others.has(messageId);
}

export function translateAll(sessionId: string, isAll: boolean): void {
  shown.set(sessionId, { ...none, isAll });
  tell();
}

export function toggleTranslated(sessionId: string, messageId: string): void {
  const { isAll, others } = shown.get(sessionId) ?? none;
  const next = new Set(others);
  if (!next.delete(messageId)) next.add(messageId);
  shown.set(sessionId, { isAll, others: next });
  tell();
}

// Another person, or nobody.
onSession(() => {
  if (sessionState().kind === 'signedOut') shown.clear();
});
