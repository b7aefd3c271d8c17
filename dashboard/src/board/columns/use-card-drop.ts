import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type RefObject, useEffect, useState } from 'react';
import { scrollWhileDragging } from './scroll-while-dragging.ts';

/** Makes a column accept cards, and its list scroll while one is dragged. True while a card of another column is over it. */
export function useCardDrop(
  column: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  status: string,
): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!column.current || !list.current) return;
    return combine(
      dropTargetForElements({
        element: column.current,
        canDrop: ({ source }) => source.data.kind === 'card',
        getData: () => ({ kind: 'column', status }),
        getIsSticky: () => true,
        onDragEnter: ({ source }) => setIsOver(source.data.status !== status),
        onDragLeave: () => setIsOver(false),
        onDrop: () => setIsOver(false),
      }),
      scrollWhileDragging(list.current),
    );
  }, [column, list, status]);
  return isOver;
}
