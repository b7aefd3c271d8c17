import { useEffect, useState } from 'react';

/** Accepts files dropped anywhere on the page; true while files are dragged over it. */
export function useFileDrop(onFiles: (files: File[]) => void, enabled: boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!enabled) return;
    // Entering a child fires a leave event for its parent, so both are counted.
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const enter = (event: DragEvent) => {
      if (hasFiles(event) && ++depth === 1) setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (hasFiles(event) && --depth === 0) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setIsOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const listeners = { dragover: over, dragenter: enter, dragleave: leave, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name as 'drop', listener);
    }
    return () => {
      for (const [name, listener] of Object.entries(listeners)) {
        removeEventListener(name as 'drop', listener);
      }
    };
  }, [onFiles, enabled]);
  return isOver;
}
