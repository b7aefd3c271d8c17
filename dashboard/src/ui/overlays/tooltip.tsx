import {
  type ComponentProps,
  cloneElement,
  type ReactElement,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react';
import { isOverlayCodeLoaded, type overlayCode, useLate, useOverlayCode } from './late.ts';
import type { TooltipProps } from './overlay-props.ts';

type Button = ComponentProps<'button'>;

const delayMs = 400;
/** This long after one was open the next one opens at once. */
const atOnceMs = 200;

/** Closes the one that is open: there is never a second one. */
let closeOpen: (() => void) | null = null;
let closedAt = Number.NEGATIVE_INFINITY;

export function Tooltip({ text, shortcut, side = 'bottom', children }: TooltipProps) {
  const own = children.props as Button;
  const late = useLate(own.ref as Ref<HTMLElement>);
  const [isInstant, setIsInstant] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isEntered = useRef(false);
  const isPressed = useRef(false);
  const { isOpen, setOpen } = late;
  const latest = useRef(setOpen);
  latest.current = setOpen;
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isOpen) return;
    const close = () => latest.current(false);
    closeOpen?.();
    closeOpen = close;
    return () => {
      if (closeOpen === close) closeOpen = null;
      closedAt = performance.now();
    };
  }, [isOpen]);
  if (!text) return children;

  const open = (instant: boolean) => {
    clearTimeout(timer.current);
    setIsInstant(instant);
    latest.current(true);
  };
  const close = () => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  const trigger = cloneElement(children as ReactElement<Button>, {
    'aria-describedby': isOpen
      ? [own['aria-describedby'], late.contentId].filter(Boolean).join(' ')
      : own['aria-describedby'],
    ref: late.ref,
    onPointerMove: (event) => {
      own.onPointerMove?.(event);
      if (event.pointerType === 'touch' || isEntered.current) return;
      isEntered.current = true;
      if (closeOpen || performance.now() - closedAt < atOnceMs) return open(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => open(false), delayMs);
    },
    // An open one is closed by its content: the pointer may go there. Until its code is loaded, it has none.
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      clearTimeout(timer.current);
      isEntered.current = false;
      if (!isOverlayCodeLoaded()) close();
    },
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      close();
      isPressed.current = true;
      document.addEventListener(
        'pointerup',
        () => {
          isPressed.current = false;
        },
        { once: true },
      );
    },
    onFocus: (event) => {
      own.onFocus?.(event);
      if (!isPressed.current) open(true);
    },
    onBlur: (event) => {
      own.onBlur?.(event);
      close();
    },
    onClick: (event) => {
      own.onClick?.(event);
      close();
    },
  });
  return (
    <>
      {trigger}
      {late.isWanted && (
        <Content late={late} isInstant={isInstant} text={text} shortcut={shortcut} side={side} />
      )}
    </>
  );
}

function Content(props: ComponentProps<ReturnType<typeof overlayCode>['TooltipContent']>) {
  const code = useOverlayCode();
  return code && <code.TooltipContent {...props} />;
}
