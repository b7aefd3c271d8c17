/** The address may name a message (`?message=`): it is shown and marked, if it is loaded. */
import { useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

const markedMs = 4_000;

export function useLinkedMessage(
  content: RefObject<HTMLElement | null>,
  toMessage: (id: string) => void,
): void {
  const { message } = useSearch({ strict: false }) as { message?: string };
  useEffect(() => {
    if (!message) return;
    const element = content.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(message)}"]`);
    if (!element) return;
    toMessage(message);
    element.dataset.linked = '';
    const clear = () => delete element.dataset.linked;
    const timer = setTimeout(clear, markedMs);
    return () => {
      clearTimeout(timer);
      clear();
    };
  }, [message, content, toMessage]);
}
