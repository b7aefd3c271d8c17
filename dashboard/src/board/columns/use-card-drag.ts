import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { useMay } from '../../data/session.ts';
import { isNewThing } from '../../data/store/entities.ts';
import { tn } from '../../texts/texts.ts';
import { selection } from '../data/selection.ts';

const cardData = (card: Card) => ({ kind: 'card', recordId: card.recordId, status: card.status });

/** Makes a card draggable for people who may change it. True while it is dragged. */
export function useCardDrag(element: RefObject<HTMLElement | null>, card: Card): boolean {
  const current = useRef(card);
  current.current = card;
  const [isDragged, setIsDragged] = useState(false);
  const canDrag = useMay('records.edit') && !isNewThing(card.recordId);
  useEffect(() => {
    if (!element.current || !canDrag) return;
    return draggable({
      element: element.current,
      getInitialData: () => cardData(current.current),
      onGenerateDragPreview: ({ nativeSetDragImage }) => {
        const others = selection.has(current.current.recordId) ? selection.all().length : 1;
        if (others > 1) showCount(nativeSetDragImage, others);
      },
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    });
  }, [element, canDrag]);
  return isDragged;
}

/** Several cards: a small stack with their number instead of one card's image. */
function showCount(
  nativeSetDragImage: Parameters<typeof setCustomNativeDragPreview>[0]['nativeSetDragImage'],
  count: number,
) {
  setCustomNativeDragPreview({
    nativeSetDragImage,
    render({ container }) {
      const box = document.createElement('div');
      box.className = 'rounded-lg border border-accent bg-surface px-4 py-2.5 font-medium text-ink';
      box.textContent = tn('board.cards', count);
      container.append(box);
    },
  });
}
