/** Keeps the active cell in view and on its card. */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import type { GridState } from './grid-state.ts';
import { cellId } from './table-row.tsx';
import { rowHeight } from './use-window.ts';

/** Only a move scrolls to the active cell. Rows that come or go elsewhere leave in view what is in view. */
export function useReveal(
  scroller: RefObject<HTMLDivElement | null>,
  { target, shifted }: Pick<GridState, 'target' | 'shifted'>,
): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || target.index < 0) return;
    // Header and footer cover one row each.
    const top = target.index * rowHeight;
    const height = element.clientHeight - 2 * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + height) element.scrollTop = top + rowHeight - height;
  }, [scroller, target]);
  useLayoutEffect(() => {
    const element = scroller.current;
    const header = document.getElementById(cellId(-1, target.column));
    const title = document.getElementById(cellId(-1, 0));
    if (!element || !header || !title || target.column === 0) return;
    const frozen = title.offsetWidth + rowHeight;
    const [left, right] = [header.offsetLeft, header.offsetLeft + header.offsetWidth];
    if (left - frozen < element.scrollLeft) element.scrollLeft = left - frozen;
    else if (right > element.scrollLeft + element.clientWidth)
      element.scrollLeft = right - element.clientWidth;
  }, [scroller, target]);
  const scrolled = useRef(shifted);
  useLayoutEffect(() => {
    const element = scroller.current;
    const by = shifted - scrolled.current;
    scrolled.current = shifted;
    // At the top, new cards are seen when they arrive.
    if (element && by !== 0 && element.scrollTop > 0) element.scrollTop += by * rowHeight;
  }, [scroller, shifted]);
}

/** A card is looked for this far above and below. */
const reach = 120;

/** Null: no card's row. Undefined: not loaded. */
type CardAt = (index: number) => Card | null | undefined;

/** Where a card is now that was at `index`. */
export function indexNear(cardAt: CardAt, recordId: string, index: number): number | undefined {
  for (let by = 0; by <= reach; by++) {
    const found = [index + by, index - by].find((at) => cardAt(at)?.recordId === recordId);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface FollowOptions {
  index: number;
  /** Filters, order and groups: another one begins anew. */
  arrangement: string;
  /** The card that is being edited. */
  editedId: string | undefined;
  cardAt: CardAt;
  shift(by: number): void;
  /** The edited card is gone. */
  onGone(): void;
}

/**
 * Rows that appear or vanish above do not move the active cell to another card. Found while rendering, so that an open
 * editor stays with its card and keeps what is typed.
 */
export function useFollow({ index, arrangement, editedId, cardAt, shift, onGone }: FollowOptions): void {
  const [followed, follow] = useState<{ index: number; recordId: string; arrangement: string } | null>(null);
  const shown = cardAt(index);
  const isSame = followed?.recordId === shown?.recordId;
  if (followed && followed.index === index && followed.arrangement === arrangement && !isSame) {
    const found = indexNear(cardAt, followed.recordId, index);
    if (found !== undefined) {
      follow({ ...followed, index: found });
      shift(found - index);
      return;
    }
    // Its page may be on the way.
    if (shown === undefined) return;
  }
  if (editedId !== undefined && shown !== undefined && shown?.recordId !== editedId) onGone();
  if (!shown) {
    if (followed) follow(null);
  } else if (!isSame || followed?.index !== index || followed.arrangement !== arrangement) {
    follow({ index, recordId: shown.recordId, arrangement });
  }
}
