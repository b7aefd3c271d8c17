/** A list that renders only what is seen, loads ahead, and remembers where it was scrolled to. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { BoundedMap } from '../../data/bounded-map.ts';
import { cx } from '../class-names.ts';

const positions = new BoundedMap<number>({ max: 200 });

export interface VirtualListProps<T> {
  items: readonly T[];
  itemKey(item: T): string;
  /** The height before it is measured. */
  estimate: number;
  gap?: number;
  render(item: T, index: number): ReactNode;
  /** Called when the end comes near. */
  onEndNear?(): void;
  /** Under this name the scroll position is remembered while the page lives. */
  remember?: string;
  label: string;
  role?: 'list' | 'listbox' | 'feed';
  scroller?: RefObject<HTMLDivElement | null>;
  className?: string;
  header?: ReactNode;
  footer?: ReactNode;
  padding?: number;
  /** Scrolled into view when it changes. */
  active?: number;
  /** Stays in the document also when it is scrolled out of view, as the row that Tab leads to must. */
  pinned?: number;
}

export function VirtualList<T>({
  items,
  itemKey,
  estimate,
  gap = 0,
  render,
  onEndNear,
  remember,
  label,
  role = 'list',
  scroller,
  className,
  header,
  footer,
  padding = 0,
  active,
  pinned,
}: VirtualListProps<T>) {
  const ownScroller = useRef<HTMLDivElement>(null);
  const box = scroller ?? ownScroller;
  const keyOf = useRef(itemKey);
  keyOf.current = itemKey;
  // The same function while the items are the same: with another one everything would be placed anew at every scroll.
  const getItemKey = useCallback((index: number) => keyOf.current(items[index]!), [items]);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range);
      if (pinned === undefined || pinned < 0 || pinned >= range.count || seen.includes(pinned)) return seen;
      return [...seen, pinned].sort((a, b) => a - b);
    },
    [pinned],
  );
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    getItemKey,
    useFlushSync: false,
    gap,
    overscan: 6,
    rangeExtractor,
    paddingStart: padding,
    paddingEnd: padding,
    initialOffset: () => (remember ? (positions.get(remember) ?? 0) : 0),
    // Without it the first paint of a list is empty.
    initialRect: { width: 288, height: 800 },
  });
  const rows = virtual.getVirtualItems();
  const last = rows.findLast(({ index }) => index !== pinned)?.index ?? -1;
  const endNear = last >= items.length - 12;
  useEffect(() => {
    if (endNear) onEndNear?.();
  }, [endNear, onEndNear]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !remember) return;
    const keep = () => positions.set(remember, element.scrollTop);
    element.addEventListener('scroll', keep, { passive: true });
    return () => element.removeEventListener('scroll', keep);
  }, [remember, box]);
  useEffect(() => {
    if (active !== undefined && active >= 0) virtual.scrollToIndex(active, { align: 'auto' });
  }, [active, virtual]);
  return (
    <div ref={box} className={cx('min-h-0 flex-1 overflow-y-auto overscroll-contain', className)}>
      {header}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one of three that support it */}
      <div
        role={role}
        aria-label={label}
        className="relative w-full"
        style={{ height: virtual.getTotalSize() }}
      >
        {rows.map((row) => (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only where the role is listitem
          <div
            key={row.key}
            ref={virtual.measureElement}
            data-index={row.index}
            role={role === 'list' ? 'listitem' : undefined}
            aria-setsize={role === 'list' ? items.length : undefined}
            aria-posinset={role === 'list' ? row.index + 1 : undefined}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {render(items[row.index]!, row.index)}
          </div>
        ))}
      </div>
      {footer}
    </div>
  );
}
