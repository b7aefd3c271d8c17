/** Keeps the active cell in view and on its card. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import type { Place } from './grid-state.ts';
import { cellId } from './table-row.tsx';
import { rowHeight } from './use-window.ts';

export function useReveal(scroller: RefObject<HTMLDivElement | null>, { index, column }: Place): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || index < 0) return;
    // Header and footer cover one row each.
    const top = index * rowHeight;
    const height = element.clientHeight - 2 * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + height) element.scrollTop = top + rowHeight - height;
  }, [scroller, index]);
  useLayoutEffect(() => {
    const element = scroller.current;
    const header = document.getElementById(cellId(-1, column));
    const title = document.getElementById(cellId(-1, 0));
    if (!element || !header || !title || column === 0) return;
    const frozen = title.offsetWidth + rowHeight;
    const [left, right] = [header.offsetLeft, header.offsetLeft + header.offsetWidth];
    if (left - frozen < element.scrollLeft) element.scrollLeft = left - frozen;
    else if (right > element.scrollLeft + element.clientWidth)
      element.scrollLeft = right - element.clientWidth;
  }, [scroller, column]);
}

/** A card is looked for this far above and below. */
const reach = 120;

/** Rows that appear or vanish above do not move the active cell to another card. */
export function useFollow(
  { index }: Place,
  cardAt: (index: number) => Card | undefined,
  shift: (by: number) => void,
): void {
  const followed = useRef<{ index: number; recordId: string } | null>(null);
  useEffect(() => {
    const shown = cardAt(index);
    const before = followed.current;
    if (before && before.index === index && shown && shown.recordId !== before.recordId) {
      for (let by = 1; by <= reach; by++) {
        const found = [by, -by].find((one) => cardAt(index + one)?.recordId === before.recordId);
        if (found === undefined) continue;
        followed.current = { index: index + found, recordId: before.recordId };
        shift(found);
        return;
      }
    }
    followed.current = shown ? { index, recordId: shown.recordId } : null;
  });
}
