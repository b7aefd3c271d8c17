/** The pointer, without places: it is on an element. */
import type { Element, HTMLElement } from 'happy-dom';
import { type DomWindow, isFocusable } from './window.ts';

export interface ClickOptions {
  button?: 'left' | 'right' | 'middle';
  force?: boolean;
  modifiers?: readonly string[];
  timeout?: number;
  clickCount?: number;
  /** There are no places; taken so that a test need not change. */
  position?: { x: number; y: number };
}

type Modifiers = Record<'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey', boolean>;

export class Mouse {
  readonly #current: () => DomWindow;
  readonly #modifiers: () => Modifiers;
  #over: Element | null = null;

  constructor(current: () => DomWindow, modifiers: () => Modifiers) {
    this.#current = current;
    this.#modifiers = modifiers;
  }

  #fire(target: Element, type: string, init: object = {}): boolean {
    const window = this.#current();
    const isPointer =
      type.startsWith('pointer') || type === 'click' || type === 'contextmenu' || type === 'auxclick';
    const Kind = isPointer ? window.PointerEvent : window.MouseEvent;
    const isEnter = type.endsWith('enter') || type.endsWith('leave');
    return target.dispatchEvent(
      new Kind(type, {
        bubbles: !isEnter,
        cancelable: !isEnter,
        composed: true,
        clientX: 5,
        clientY: 5,
        ...(isPointer && { pointerType: 'mouse', pointerId: 1, isPrimary: true }),
        ...this.#modifiers(),
        ...init,
      }),
    );
  }

  hover(target: Element): void {
    const before = this.#over?.isConnected ? this.#over : null;
    this.#over = target;
    if (before !== target) {
      if (before) {
        this.#fire(before, 'pointerout', { relatedTarget: target });
        this.#fire(before, 'mouseout', { relatedTarget: target });
        for (const left of pathOf(before).filter((one) => !one.contains(target))) {
          this.#fire(left, 'pointerleave', { relatedTarget: target });
          this.#fire(left, 'mouseleave', { relatedTarget: target });
        }
      }
      this.#fire(target, 'pointerover', { relatedTarget: before });
      this.#fire(target, 'mouseover', { relatedTarget: before });
      const entered = pathOf(target).filter((one) => !before || !one.contains(before));
      for (const one of entered.reverse()) {
        this.#fire(one, 'pointerenter', { relatedTarget: before });
        this.#fire(one, 'mouseenter', { relatedTarget: before });
      }
    }
    this.#fire(target, 'pointermove');
    this.#fire(target, 'mousemove');
  }

  /**
   * `between`: lets the page handle what came, as it would before the button is up again. `again`: what is in the place of
   * the target when the page has replaced it.
   */
  async click(
    first: Element,
    options: ClickOptions,
    between: () => Promise<void>,
    again: () => Element | null = () => null,
  ): Promise<void> {
    const button = { left: 0, middle: 1, right: 2 }[options.button ?? 'left'];
    const named = (name: string, own: boolean) => own || Boolean(options.modifiers?.includes(name));
    const keys = this.#modifiers();
    const isControl = named('Control', keys.ctrlKey) || Boolean(options.modifiers?.includes('ControlOrMeta'));
    const held = {
      shiftKey: named('Shift', keys.shiftKey),
      ctrlKey: isControl,
      altKey: named('Alt', keys.altKey),
      metaKey: named('Meta', keys.metaKey),
    };
    const count = options.clickCount ?? 1;
    let target = first;
    this.hover(target);
    for (let detail = 1; detail <= count; detail++) {
      const init = { button, buttons: button === 2 ? 2 : 1, detail, ...held };
      this.#fire(target, 'pointerdown', init);
      if (this.#fire(target, 'mousedown', init)) this.#moveFocus(target);
      if (button === 2) this.#fire(target, 'contextmenu', init);
      await between();
      const up = { ...init, buttons: 0 };
      this.#fire(target, 'pointerup', up);
      this.#fire(target, 'mouseup', up);
      if (target.isConnected) this.#fire(target, button === 0 ? 'click' : 'auxclick', up);
      await between();
      if (count > 1 && !target.isConnected) target = again() ?? target;
      if (detail === 2) this.#fire(target, 'dblclick', up);
    }
  }

  /** Of the keyboard: no pointer comes before it. */
  activate(target: Element): void {
    this.#fire(target, 'click', { detail: 0, pointerType: '' });
  }

  #moveFocus(target: Element): void {
    const { document, innerWidth } = this.#current();
    for (let one: Element | null = target; one; one = one.parentElement) {
      const control = one.tagName === 'LABEL' ? (one as Element & { control: Element | null }).control : null;
      if (control) return;
      if (!isFocusable(one, innerWidth)) continue;
      (one as HTMLElement).focus();
      return;
    }
    (document.activeElement as HTMLElement | null)?.blur();
  }
}

function pathOf(element: Element): Element[] {
  const path: Element[] = [];
  for (let one: Element | null = element; one; one = one.parentElement) path.push(one);
  return path;
}

/** Under a modal dialog nothing can be clicked: what is open says so on the body. */
export function takesPointer(element: Element): boolean {
  if (element.closest('[inert]')) return false;
  for (let one: Element | null = element; one; one = one.parentElement) {
    const said = one.hasAttribute('style') ? (one as HTMLElement).style.pointerEvents : '';
    if (said) return said !== 'none';
  }
  return true;
}
