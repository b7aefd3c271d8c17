/** The active cell, the selected rectangle and the cell that is being edited. */
import { useCallback, useState } from 'react';

export interface Place {
  /** -1: the header. */
  index: number;
  column: number;
}

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
}

export const rangeOf = ({ active, anchor }: GridState): Range => ({
  top: Math.min(active.index, anchor.index),
  bottom: Math.max(active.index, anchor.index),
  left: Math.min(active.column, anchor.column),
  right: Math.max(active.column, anchor.column),
});

const first: GridState = { active: { index: 0, column: 0 }, anchor: { index: 0, column: 0 }, editing: null };

export function useGridState() {
  const [state, setState] = useState(first);
  const moveTo = useCallback(
    (active: Place, isExtending = false) =>
      setState((before) => ({
        active,
        anchor: isExtending && active.index >= 0 ? before.anchor : active,
        editing: null,
      })),
    [],
  );
  /** Rows were added or removed above: the rectangle follows its cards. */
  const shift = useCallback(
    (by: number) =>
      setState((before) => ({
        ...before,
        active: { ...before.active, index: Math.max(0, before.active.index + by) },
        anchor: { ...before.anchor, index: Math.max(0, before.anchor.index + by) },
      })),
    [],
  );
  const edit = useCallback(
    (editing: EditedCell | null) => setState((before) => ({ ...before, editing })),
    [],
  );
  return { state, moveTo, shift, edit };
}
