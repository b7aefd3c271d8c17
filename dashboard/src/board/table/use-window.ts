/** Which rows of equal height are in view. It changes when a row comes or goes, not with every pixel. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export const rowHeight = 36;
/** Rows above and below the view. */
const overscan = 8;

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

/** More than reading brings into view in one frame. */
const rowsPerFrame = 8;

/**
 * Which of the rows in view have their cells. Cells cost far more than anything else in a frame, so only a few rows get
 * them in each: those after a jump appear over several frames, and none do while they fly by.
 */
export function useDrawn({ first, end }: RowWindow, isLoaded: (index: number) => boolean): Set<number> {
  const [, setTurn] = useState(0);
  const last = useRef({ first, rows: new Set<number>(), frame: 0, left: rowsPerFrame });
  // The same for everything that happens before a frame is shown: scrolling, pages that arrive, the next turn.
  const frame = Number(document.timeline.currentTime);
  let left = last.current.frame === frame ? last.current.left : rowsPerFrame;
  if (Math.abs(first - last.current.first) > rowsPerFrame) left = 0;
  const rows = new Set<number>();
  let isWaiting = false;
  for (const index of visibleFirst(first, end)) {
    if (!isLoaded(index)) continue;
    const isNew = !last.current.rows.has(index);
    if (isNew && left === 0) isWaiting = true;
    else {
      rows.add(index);
      if (isNew) left--;
    }
  }
  useLayoutEffect(() => {
    last.current = { first, rows, frame, left };
    if (!isWaiting) return;
    const next = requestAnimationFrame(() => setTurn((turn) => turn + 1));
    return () => cancelAnimationFrame(next);
  });
  return rows;
}

function* visibleFirst(first: number, end: number): Generator<number> {
  const top = Math.min(end, first === 0 ? 0 : first + overscan);
  for (let index = top; index < end; index++) yield index;
  for (let index = top - 1; index >= first; index--) yield index;
}
