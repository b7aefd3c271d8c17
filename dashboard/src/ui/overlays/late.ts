/**
 * The code that places menus, popovers and tooltips is not part of the first load: it is loaded at the first sign of the
 * user. The button that opens one stays the same element before and after: this module has what a button needs until then.
 */
import { type Ref, useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import type { Late } from './overlay-props.ts';

type Code = typeof import('./overlay-code.tsx');

let code: Code | null = null;
let isLoading = false;
const listeners = new Set<() => void>();

const againAfterMs = 3_000;

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    code = await import('./overlay-code.tsx');
  } catch {
    // After an update the page is reloaded (app/reload-after-update.ts). Without a network, the user's next key or move tries
    // again.
    setTimeout(() => {
      isLoading = false;
    }, againAfterMs);
    return;
  }
  for (const listener of listeners) listener();
}

let isByKey = false;
const isKeyboardUsed = () => isByKey;

export function startOverlays(): void {
  const heard = (byKey: boolean) => () => {
    isByKey = byKey;
    void load();
  };
  addEventListener('keydown', heard(true), { capture: true });
  for (const type of ['pointermove', 'pointerdown']) addEventListener(type, heard(false), { capture: true });
}

const subscribe = (listener: () => void) => {
  void load();
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const isOverlayCodeLoaded = () => code !== null;

/** Null: not loaded yet. */
export const useOverlayCode = () => useSyncExternalStore(subscribe, () => code);

/** What is rendered inside an overlay: its code is loaded. */
export function overlayCode(): Code {
  if (!code) throw new Error('not in an overlay');
  return code;
}

/** `open`: undefined if the overlay itself knows whether it is open. */
export function useLate(
  theirs: Ref<HTMLElement> | undefined,
  open?: boolean,
  onOpenChange?: (open: boolean) => void,
): Late {
  const [own, setOwn] = useState(false);
  const [isWanted, setIsWanted] = useState(false);
  const anchor = useRef<HTMLElement>(null);
  const contentId = useId();
  const ref = useCallback(
    (element: HTMLElement | null) => {
      anchor.current = element;
      if (typeof theirs === 'object' && theirs) theirs.current = element;
      return typeof theirs === 'function' ? theirs(element) : undefined;
    },
    [theirs],
  );
  const isOpen = open ?? own;
  if (isOpen && !isWanted) setIsWanted(true);
  const setOpen = (next: boolean) => {
    if (next === isOpen) return;
    setOwn(next);
    onOpenChange?.(next);
  };
  useCancelWhileLoading(isOpen, anchor, setOpen);
  return { isOpen, setOpen, isWanted: isWanted || isOpen, anchor, ref, contentId, isByKey: isKeyboardUsed };
}

/** An open overlay closes itself. Until its code is loaded, Escape and a press elsewhere must do the same. */
function useCancelWhileLoading(
  isOpen: boolean,
  anchor: Late['anchor'],
  setOpen: (open: boolean) => void,
): void {
  const latest = useRef(setOpen);
  latest.current = setOpen;
  useEffect(() => {
    if (!isOpen || code) return;
    const cancel = (event: Event) => {
      if (code) return;
      const isOther =
        event instanceof KeyboardEvent
          ? event.key === 'Escape'
          : !anchor.current?.contains(event.target as Node);
      if (isOther) latest.current(false);
    };
    const types = ['keydown', 'pointerdown'];
    for (const type of types) document.addEventListener(type, cancel, { capture: true });
    return () => {
      for (const type of types) document.removeEventListener(type, cancel, { capture: true });
    };
  }, [isOpen, anchor]);
}
