/**
 * Which of the rows in view have their cells. Cells cost far more than anything else in a frame, so only a few rows get
 * them in each: those after a jump appear over several frames, and none do while they fly by.
 */
import { useLayoutEffect, useRef, useState } from 'react';
import { overscan, type RowWindow } from './use-window.ts';

/** More than reading brings into view in one frame. */
const rowsPerFrame = 8;

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
