/** Keys as a browser handles them: the events, then the element's own reaction. */
import type { Element, HTMLElement, HTMLInputElement, HTMLTextAreaElement } from 'happy-dom';
import { type DomWindow, isFocusable } from './window.ts';

type TextField = HTMLInputElement | HTMLTextAreaElement;

const codes: Record<string, string> = {
  ' ': 'Space',
  '/': 'Slash',
  '.': 'Period',
  ',': 'Comma',
  '-': 'Minus',
};
const codeOf = (key: string) =>
  codes[key] ?? (/^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : key);
const keyCodes: Record<string, number> = {
  Enter: 13,
  Escape: 27,
  ' ': 32,
  Tab: 9,
  Backspace: 8,
  Delete: 46,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

const notTyped = /^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/;

export function isTextField(element: Element | null): element is TextField {
  if (element?.tagName === 'TEXTAREA') return true;
  return element?.tagName === 'INPUT' && !notTyped.test((element as HTMLInputElement).type);
}

export function isEditable(element: Element | null): boolean {
  return Boolean(element?.closest('[contenteditable=""], [contenteditable=true]'));
}

/** React notices a value only if it is set past the setter that React puts on the element. */
export function setValue(element: Element, value: string, name: 'value' | 'checked' = 'value'): void {
  for (let one = Object.getPrototypeOf(element); one; one = Object.getPrototypeOf(one)) {
    const found = Object.getOwnPropertyDescriptor(one, name);
    if (!found?.set) continue;
    found.set.call(element, value);
    return;
  }
  throw new Error(`${element.tagName} has no ${name}`);
}

/** Of number and date fields, the selection cannot be asked. */
function selectionOf(field: TextField): [number, number] {
  const { length } = field.value;
  return [field.selectionStart ?? length, field.selectionEnd ?? length];
}

function select(field: TextField, start: number, end = start): void {
  try {
    field.setSelectionRange(start, end);
  } catch {
    // A field without a selection.
  }
}

export class Keyboard {
  readonly #current: () => DomWindow;
  readonly #click: (element: Element) => void;
  readonly #settle: () => Promise<void>;
  readonly #held = new Set<string>();

  constructor(current: () => DomWindow, click: (element: Element) => void, settle: () => Promise<void>) {
    this.#current = current;
    this.#click = click;
    this.#settle = settle;
  }

  /** Such as `Enter`, `Shift+X`, `Control+k`. */
  async press(combination: string): Promise<void> {
    const parts = combination === '+' ? ['+'] : combination.split('+');
    const key = (parts.pop() || '+').replace(/^Space$/, ' ');
    const held = parts.map((one) => (one === 'ControlOrMeta' ? 'Control' : one));
    for (const one of held) this.#down(one);
    this.#stroke(held.includes('Shift') && key.length === 1 ? key.toUpperCase() : key);
    for (const one of held.reverse()) this.#up(one);
    await this.#settle();
  }

  async type(text: string): Promise<void> {
    for (const key of text) {
      this.#stroke(key === '\n' ? 'Enter' : key);
      await this.#settle();
    }
  }

  async down(key: string): Promise<void> {
    this.#down(key);
  }

  async up(key: string): Promise<void> {
    this.#up(key);
  }

  /** As if pasted or written by an input method: without keys. */
  async insertText(text: string): Promise<void> {
    this.insert(text);
    await this.#settle();
  }

  get modifiers() {
    return {
      shiftKey: this.#held.has('Shift'),
      ctrlKey: this.#held.has('Control'),
      altKey: this.#held.has('Alt'),
      metaKey: this.#held.has('Meta'),
    };
  }

  #target(): Element {
    const { document } = this.#current();
    const active = document.activeElement as Element | null;
    return active?.isConnected ? active : (document.body as Element);
  }

  #fire(type: string, key: string): boolean {
    const window = this.#current();
    const event = new window.KeyboardEvent(type, {
      key,
      code: codeOf(key),
      keyCode: keyCodes[key] ?? key.toUpperCase().charCodeAt(0),
      bubbles: true,
      cancelable: true,
      composed: true,
      ...this.modifiers,
    } as ConstructorParameters<DomWindow['KeyboardEvent']>[1]);
    // That of happy-dom takes Alt for AltGr.
    Object.assign(event, { getModifierState: (name: string) => this.#held.has(name) });
    return this.#target().dispatchEvent(event);
  }

  #down(key: string): boolean {
    if (/^(Shift|Control|Alt|Meta)$/.test(key)) this.#held.add(key);
    return this.#fire('keydown', key);
  }

  #up(key: string): void {
    this.#held.delete(key);
    this.#fire('keyup', key);
  }

  #stroke(key: string): void {
    const isHandled = !this.#down(key);
    if (!isHandled) this.#act(key);
    const button = this.#target();
    this.#up(key);
    if (
      !isHandled &&
      key === ' ' &&
      button.matches('button, summary, input[type=checkbox], input[type=radio]')
    ) {
      this.#click(button);
    }
  }

  #act(key: string): void {
    const target = this.#target();
    const { ctrlKey, metaKey, altKey, shiftKey } = this.modifiers;
    if (key === 'Tab') this.#tab(shiftKey);
    else if (key === 'Enter') this.#enter(target);
    else if (isTextField(target)) {
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'a') select(target, 0, target.value.length);
      else if (key.length === 1 && !ctrlKey && !metaKey && !altKey) this.insert(key);
      else this.#edit(target, key, shiftKey);
    } else if (isEditable(target) && key.length === 1 && !ctrlKey && !metaKey) this.insert(key);
    else if (target.matches('input[type=radio]') && key.startsWith('Arrow')) this.#nextRadio(target, key);
    else if (target.tagName === 'SELECT' && key.startsWith('Arrow')) this.#nextOption(target, key);
  }

  insert(text: string): void {
    const target = this.#target();
    const window = this.#current();
    if (!isTextField(target)) {
      if (!isEditable(target)) return;
      target.textContent += text;
      target.dispatchEvent(
        new window.InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }),
      );
      return;
    }
    const [start, end] = selectionOf(target);
    const most =
      target.maxLength > 0 ? target.maxLength - (target.value.length - (end - start)) : text.length;
    const added = text.slice(0, Math.max(0, most));
    this.#change(target, start, end, added, 'insertText');
  }

  #change(field: TextField, start: number, end: number, text: string, inputType: string): void {
    if (field.readOnly || field.disabled) return;
    const window = this.#current();
    const data = text || undefined;
    const before = new window.InputEvent('beforeinput', { bubbles: true, cancelable: true, data, inputType });
    if (!field.dispatchEvent(before)) return;
    setValue(field, field.value.slice(0, start) + text + field.value.slice(end));
    select(field, start + text.length);
    field.dispatchEvent(new window.InputEvent('input', { bubbles: true, data, inputType }));
  }

  #edit(field: TextField, key: string, isExtended: boolean): void {
    const [start, end] = selectionOf(field);
    const { length } = field.value;
    if (key === 'Backspace' && (start < end || start > 0))
      this.#change(field, start < end ? start : start - 1, end, '', 'deleteContentBackward');
    else if (key === 'Delete' && (start < end || end < length))
      this.#change(field, start, start < end ? end : end + 1, '', 'deleteContentForward');
    else if (key === 'ArrowLeft') select(field, Math.max(0, start - 1), isExtended ? end : undefined);
    else if (key === 'ArrowRight')
      select(field, isExtended ? start : Math.min(length, end + 1), Math.min(length, end + 1));
    else if (key === 'Home') select(field, 0, isExtended ? end : 0);
    else if (key === 'End') select(field, isExtended ? start : length, length);
  }

  #enter(target: Element): void {
    if (target.tagName === 'TEXTAREA') this.insert('\n');
    else if (target.matches('button, a[href], summary, input[type=submit], input[type=button]'))
      this.#click(target);
    else if (target.tagName === 'INPUT') this.#submit((target as HTMLInputElement).form);
  }

  /** Enter in a field: as a click on the form's first submit button. */
  #submit(form: HTMLInputElement['form']): void {
    if (!form) return;
    const buttons = [...form.ownerDocument.querySelectorAll('button, input[type=submit]')] as unknown as {
      form: unknown;
      type: string;
      disabled: boolean;
    }[];
    const first = buttons.find((one) => one.form === form && one.type === 'submit');
    if (first) {
      if (!first.disabled) this.#click(first as unknown as Element);
    } else if ([...form.querySelectorAll('input')].filter((one) => isTextField(one)).length === 1)
      form.requestSubmit();
  }

  #tab(isBack: boolean): void {
    const { document, innerWidth } = this.#current();
    const all = ([...document.querySelectorAll('*')] as HTMLElement[]).filter(
      (one) => one.tabIndex >= 0 && isFocusable(one, innerWidth) && isTabStop(one),
    );
    const active = document.activeElement as HTMLElement;
    const at = all.indexOf(active);
    const next =
      at >= 0
        ? all[at + (isBack ? -1 : 1)]
        : isBack
          ? all.findLast((one) => isBefore(one, active))
          : all.find((one) => isBefore(active, one));
    if (next) next.focus();
    else active.blur?.();
  }

  #nextRadio(target: Element, key: string): void {
    const { name } = target as HTMLInputElement;
    const all = [...this.#current().document.querySelectorAll('input[type=radio]')].filter(
      (one) => (one as HTMLInputElement).name === name && !(one as HTMLInputElement).disabled,
    ) as HTMLInputElement[];
    const step = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1;
    const next = all[(all.indexOf(target as HTMLInputElement) + step + all.length) % all.length];
    next?.focus();
    if (next) this.#click(next);
  }

  #nextOption(target: Element, key: string): void {
    const window = this.#current();
    const options = [...target.querySelectorAll('option')] as unknown as {
      value: string;
      selected: boolean;
    }[];
    const at = options.findIndex((one) => one.selected) + (key === 'ArrowDown' ? 1 : -1);
    if (!options[at]) return;
    setValue(target, options[at].value);
    target.dispatchEvent(new window.Event('input', { bubbles: true }));
    target.dispatchEvent(new window.Event('change', { bubbles: true }));
  }
}

/** 4: the other one follows. */
const isBefore = (one: HTMLElement, other: HTMLElement) => (one.compareDocumentPosition(other) & 4) > 0;

/** Of a group of radio buttons, only the chosen one. */
function isTabStop(element: HTMLElement): boolean {
  const { type, name, checked, ownerDocument } = element as HTMLInputElement;
  if (element.tagName !== 'INPUT' || type !== 'radio' || checked) return true;
  return !ownerDocument.querySelector(`input[type=radio][name="${name}"]:checked`);
}
