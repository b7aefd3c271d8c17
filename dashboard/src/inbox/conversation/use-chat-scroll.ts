/**
 * Keeps the reader's scroll position. At the end, the chat follows new messages; above it, the visible part stays in place
 * while older messages are added above, pictures load, and new messages arrive below. The browser's own anchoring is
 * off: it gives up at the very top, where older messages are loaded, and Safari has none.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearEndPx = 48;

export interface ChatScroll {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  toEnd(): void;
  /** Shows a message in the middle and stays there; false: it is not loaded. */
  toMessage(id: string): boolean;
}

/**
 * `isWhole`: the newest message is shown. In a part of the chat, its end is not followed. `beginsAtEnd`: false if a
 * message is shown first, see `toMessage`.
 */
export function useChatScroll(changesWith: unknown, isWhole: boolean, beginsAtEnd: boolean): ChatScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(beginsAtEnd);
  const anchor = useRef<{ element: Element; top: number } | null>(null);
  const [isAtEnd, setIsAtEnd] = useState(beginsAtEnd);
  const canFollow = useRef(isWhole);
  canFollow.current = isWhole;

  const settle = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    if (follows.current) box.scrollTop = box.scrollHeight;
    else if (anchor.current?.element.isConnected) {
      const moved = topIn(box, anchor.current.element) - anchor.current.top;
      if (Math.abs(moved) >= 1) box.scrollTop += moved;
    }
  }, []);

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let height = box.clientHeight;
    const onScroll = () => {
      // A shrinking box (the composer grows) scrolls too; that is not the reader leaving the end.
      if (box.clientHeight !== height) return;
      follows.current = isNearEnd(box) && canFollow.current;
      setIsAtEnd(follows.current);
      const first = [...inner.querySelectorAll('[data-message]')].find(
        (element) => topIn(box, element) + element.clientHeight > 0,
      );
      anchor.current = first ? { element: first, top: topIn(box, first) } : null;
    };
    const sizes = new ResizeObserver(() => {
      height = box.clientHeight;
      settle();
    });
    box.addEventListener('scroll', onScroll, { passive: true });
    sizes.observe(box);
    sizes.observe(inner);
    return () => {
      box.removeEventListener('scroll', onScroll);
      sizes.disconnect();
    };
  }, [settle]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: before the new content is painted
  useLayoutEffect(settle, [changesWith]);

  const toEnd = useCallback(() => {
    follows.current = true;
    setIsAtEnd(true);
    settle();
  }, [settle]);
  const toMessage = useCallback((id: string) => {
    const box = scroller.current;
    const element = content.current?.querySelector(`[data-message="${CSS.escape(id)}"]`);
    if (!box || !element) return false;
    follows.current = false;
    box.scrollTop += topIn(box, element) - Math.max(0, (box.clientHeight - element.clientHeight) / 2);
    anchor.current = { element, top: topIn(box, element) };
    // A short chat does not scroll, so no event follows.
    setIsAtEnd(isNearEnd(box) && canFollow.current);
    return true;
  }, []);
  return { scroller, content, isAtEnd, toEnd, toMessage };
}

const isNearEnd = (box: Element) => box.scrollHeight - box.scrollTop - box.clientHeight < nearEndPx;
const topIn = (box: Element, element: Element) =>
  element.getBoundingClientRect().top - box.getBoundingClientRect().top;
