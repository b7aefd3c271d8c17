/** The active cell, the selected rectangle and the cell that is being edited. */
import { useCallback, useState } from 'react';

export interface Place {
  /** -1: the header. */
  index: number;
  column: number;
}

/** How the active cell moves on from an editor. */
export type Step = readonly [rows: number, columns: number];

export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export interface EditedCell {
  /** The editor belongs to the card, also when its row moves meanwhile. */
  recordId: string;
  column: string;
  /** Typed on the cell: replaces its value. */
  text?: string;
}

export interface GridState {
  active: Place;
  /** The opposite corner of the rectangle. */
  anchor: Place;
  editing: EditedCell | null;
  /** Where the last move led to. It is scrolled into view once. */
  target: Place;
  /** How many rows the active cell has followed its card. */
  shifted: number;
}

export const rangeOf = ({ active, anchor }: Pick<GridState, 'active' | 'anchor'>): Range => ({
  top: Math.min(active.index, anchor.index),
  bottom: Math.max(active.index, anchor.index),
  left: Math.min(active.column, anchor.column),
  right: Math.max(active.column, anchor.column),
});

const start: Place = { index: 0, column: 0 };
const first: GridState = { active: start, anchor: start, editing: null, target: start, shifted: 0 };

export function useGridState() {
  const [state, setState] = useState(first);
  const moveTo = useCallback(
    (active: Place, isExtending = false) =>
      setState((before) => ({
        ...before,
        active,
        // The header is no part of a rectangle.
        anchor:
          isExtending && active.index >= 0
            ? { ...before.anchor, index: Math.max(0, before.anchor.index) }
            : active,
        editing: null,
        target: active,
      })),
    [],
  );
  /** Rows were added or removed above: the rectangle follows its cards. */
  const shift = useCallback((by: number, last: number) => {
    const moved = (place: Place) => ({ ...place, index: Math.max(0, Math.min(place.index, last) + by) });
    setState((before) => ({
      ...before,
      active: moved(before.active),
      anchor: moved(before.anchor),
      shifted: before.shifted + by,
    }));
  }, []);
  const edit = useCallback(
    (editing: EditedCell | null) => setState((before) => ({ ...before, editing })),
    [],
  );
  return { state, moveTo, shift, edit };
}
