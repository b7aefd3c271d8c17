import type { KeyboardEvent, PointerEvent } from 'react';

export interface ResizerProps {
  label: string;
  width: number;
  onChange(width: number): void;
  min: number;
  max: number;
  /** Which pane it widens: the one before it or the one after. */
  pane: 'before' | 'after';
}

/** The line between two panes: moved by dragging or the arrow keys; a double click resets the width. */
export function Resizer({ label, width, onChange, min, max, pane }: ResizerProps) {
  const sign = pane === 'before' ? 1 : -1;
  const set = (next: number) => onChange(Math.round(Math.max(min, Math.min(max, next))));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const line = event.currentTarget;
    const from = event.clientX;
    line.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => set(width + sign * (moved.clientX - from));
    const end = () => {
      line.removeEventListener('pointermove', move);
      line.removeEventListener('pointerup', end);
      line.removeEventListener('pointercancel', end);
    };
    line.addEventListener('pointermove', move);
    line.addEventListener('pointerup', end);
    line.addEventListener('pointercancel', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') set(width + sign * 16);
    else if (event.key === 'ArrowLeft') set(width - sign * 16);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no hr
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => set(320)}
      className="relative z-10 -mx-1 w-2 shrink-0 cursor-col-resize touch-none transition-colors after:absolute after:inset-y-0 after:left-1/2 after:w-px after:bg-line hover:after:w-0.5 hover:after:bg-accent max-md:hidden"
    />
  );
}
