/** A short list that is put in order by dragging its handles, or by the arrow keys on them. */
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import {
  attachClosestEdge,
  type Edge,
  extractClosestEdge,
} from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge';
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import { GripVertical } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';

export interface SortableListProps<T> {
  items: readonly T[];
  itemKey(item: T): string;
  itemName(item: T): string;
  onReorder(items: T[]): void;
  render(item: T, index: number): ReactNode;
}

export function SortableList<T>({ items, itemKey, itemName, onReorder, render }: SortableListProps<T>) {
  const move = (from: number, to: number) => {
    if (from === to || to < 0 || to >= items.length) return;
    const next = [...items];
    const [item] = next.splice(from, 1);
    next.splice(to, 0, item!);
    onReorder(next);
    announce(t('ui.sortedTo', { name: itemName(item!), position: to + 1, count: items.length }));
  };
  return (
    <ul className="flex flex-col">
      {items.map((item, index) => (
        <SortableRow key={itemKey(item)} index={index} name={itemName(item)} onMove={move}>
          {render(item, index)}
        </SortableRow>
      ))}
    </ul>
  );
}

function SortableRow({
  index,
  name,
  onMove,
  children,
}: {
  index: number;
  name: string;
  onMove(from: number, to: number): void;
  children: ReactNode;
}) {
  const row = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const [edge, setEdge] = useState<Edge | null>(null);
  const latest = useRef({ index, onMove });
  latest.current = { index, onMove };
  useEffect(() => {
    const element = row.current;
    const grip = handle.current;
    if (!element || !grip) return;
    const list = element.parentElement;
    return combine(
      draggable({
        element,
        dragHandle: grip,
        getInitialData: () => ({ kind: 'sortable', list, index: latest.current.index }),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.kind === 'sortable' && source.data.list === list,
        getData: ({ input }) =>
          attachClosestEdge(
            { index: latest.current.index },
            { element, input, allowedEdges: ['top', 'bottom'] },
          ),
        onDrag: ({ self }) => setEdge(extractClosestEdge(self.data)),
        onDragLeave: () => setEdge(null),
        onDrop: ({ source, self }) => {
          const from = Number(source.data.index);
          const here = latest.current.index + (extractClosestEdge(self.data) === 'bottom' ? 1 : 0);
          setEdge(null);
          latest.current.onMove(from, from < here ? here - 1 : here);
        },
      }),
    );
  }, []);
  return (
    <li ref={row} className="relative flex items-start gap-2 py-1">
      <button
        ref={handle}
        type="button"
        aria-label={t('ui.sort', { name })}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          onMove(index, index + (event.key === 'ArrowUp' ? -1 : 1));
        }}
        className="flex h-8 w-5 shrink-0 cursor-grab items-center justify-center rounded text-faint hover:bg-hover hover:text-ink"
      >
        <GripVertical className="size-4" />
      </button>
      {children}
      {edge && (
        <span
          aria-hidden
          className={cx(
            'absolute inset-x-0 h-0.5 rounded bg-accent',
            edge === 'top' ? '-top-px' : '-bottom-px',
          )}
        />
      )}
    </li>
  );
}
