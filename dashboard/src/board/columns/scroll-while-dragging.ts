/** The element scrolls while a card is dragged to its edge. Returns what ends it. */
export function scrollWhileDragging(element: HTMLElement): () => void {
  let isWanted = true;
  let stop = () => {};
  const begin = async () => {
    const { autoScrollForElements } = await import('@atlaskit/pragmatic-drag-and-drop-auto-scroll/element');
    if (!isWanted) return;
    stop = autoScrollForElements({ element, canScroll: ({ source }) => source.data.kind === 'card' });
  };
  // Nobody drags before the pointer is there: the code is not part of a board's first load.
  element.addEventListener('pointerover', begin, { once: true });
  return () => {
    isWanted = false;
    element.removeEventListener('pointerover', begin);
    stop();
  };
}
