/** Which rows of equal height are in view. It changes when a row comes or goes, not with every pixel. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

export const rowHeight = 36;
/** Rows above and below the view. */
export const overscan = 8;

export interface RowWindow {
  first: number;
  /** Exclusive. */
  end: number;
}

export function useWindow(
  scroller: RefObject<HTMLDivElement | null>,
  count: number,
): [rows: RowWindow, seen: () => number, slots: number] {
  const [at, setAt] = useState({ first: 0, end: 40, slots: 40 });
  // Reading it while scrolling would make the browser lay out the page.
  const height = useRef(800);
  const read = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan);
    const end = Math.ceil((element.scrollTop + height.current) / rowHeight) + overscan;
    // However far the first row is scrolled, not more rows than these are drawn.
    const slots = Math.ceil(height.current / rowHeight) + 1 + 2 * overscan;
    setAt((before) =>
      before.first === first && before.end === end && before.slots === slots ? before : { first, end, slots },
    );
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    read();
    element.addEventListener('scroll', read, { passive: true });
    const observer = new ResizeObserver(() => {
      height.current = element.clientHeight;
      read();
    });
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', read);
      observer.disconnect();
    };
  }, [scroller, read]);
  /** Whole rows, for Page up and Page down. */
  const seen = useCallback(
    () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 3),
    [scroller],
  );
  return [{ first: Math.min(at.first, count), end: Math.min(at.end, count) }, seen, at.slots];
}
