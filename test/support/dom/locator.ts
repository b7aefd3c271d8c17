/** Playwright's Locator in the DOM: the same selectors, found by the same code; as much of it as the tests use. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Element, HTMLElement, HTMLInputElement } from 'happy-dom';
import { isEditable, isTextField, setValue } from './keyboard.ts';
import { type ClickOptions, takesPointer } from './mouse.ts';
import type { DomPage } from './page.ts';

type Text = string | RegExp;

interface RoleOptions {
  name?: Text;
  exact?: boolean;
  checked?: boolean;
  disabled?: boolean;
  expanded?: boolean;
  includeHidden?: boolean;
  level?: number;
  pressed?: boolean;
  selected?: boolean;
}

interface FilterOptions {
  hasText?: Text;
  hasNotText?: Text;
  has?: DomLocator;
  hasNot?: DomLocator;
  visible?: boolean;
}

interface Waiting {
  timeout?: number;
  force?: boolean;
}

type GivenFile = string | { name: string; mimeType: string; buffer: Buffer };
export type GivenFiles = GivenFile | readonly GivenFile[];

export const withinMs = 10_000;

const ofPattern = (pattern: RegExp) =>
  pattern.unicode || pattern.unicodeSets
    ? String(pattern)
    : String(pattern)
        .replace(/(^|[^\\])(\\\\)*(["'`])/g, '$1$2\\$3')
        .replace(/>>/g, '\\>\\>');
const inText = (text: Text, exact = false) =>
  typeof text === 'string' ? `${JSON.stringify(text)}${exact ? 's' : 'i'}` : ofPattern(text);
const inAttribute = (value: Text, exact = false) =>
  typeof value === 'string'
    ? `"${value.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"${exact ? 's' : 'i'}`
    : ofPattern(value);

function ofFilter({ hasText, hasNotText, has, hasNot, visible }: FilterOptions): string {
  return [
    hasText !== undefined && `internal:has-text=${inText(hasText)}`,
    hasNotText !== undefined && `internal:has-not-text=${inText(hasNotText)}`,
    has && `internal:has=${JSON.stringify(has.selector)}`,
    hasNot && `internal:has-not=${JSON.stringify(hasNot.selector)}`,
    visible !== undefined && `visible=${visible}`,
  ]
    .filter(Boolean)
    .map((part) => ` >> ${part}`)
    .join('');
}

function ofRole(role: string, { name, exact, includeHidden, ...states }: RoleOptions): string {
  const parts = Object.entries(states)
    .filter(([, value]) => value !== undefined)
    .map(([state, value]) => `[${state}=${value}]`);
  if (includeHidden !== undefined) parts.push(`[include-hidden=${includeHidden}]`);
  if (name !== undefined) parts.push(`[name=${inAttribute(name, exact)}]`);
  return `internal:role=${role}${parts.join('')}`;
}

/** What a page and a locator both have. */
export abstract class Finder {
  protected abstract readonly owner: DomPage;
  protected abstract readonly inside: string;

  #find(selector: string): DomLocator {
    return new DomLocator(this.owner, this.inside ? `${this.inside} >> ${selector}` : selector);
  }

  locator(what: string | DomLocator, filter: FilterOptions = {}): DomLocator {
    const selector = typeof what === 'string' ? what : `internal:chain=${JSON.stringify(what.selector)}`;
    return this.#find(`${selector}${ofFilter(filter)}`);
  }

  getByRole(role: string, options: RoleOptions = {}): DomLocator {
    return this.#find(ofRole(role, options));
  }

  getByText(text: Text, { exact }: { exact?: boolean } = {}): DomLocator {
    return this.#find(`internal:text=${inText(text, exact)}`);
  }

  getByLabel(text: Text, { exact }: { exact?: boolean } = {}): DomLocator {
    return this.#find(`internal:label=${inText(text, exact)}`);
  }

  getByPlaceholder(text: Text, { exact }: { exact?: boolean } = {}): DomLocator {
    return this.#find(`internal:attr=[placeholder=${inAttribute(text, exact)}]`);
  }

  getByTitle(text: Text, { exact }: { exact?: boolean } = {}): DomLocator {
    return this.#find(`internal:attr=[title=${inAttribute(text, exact)}]`);
  }

  getByAltText(text: Text, { exact }: { exact?: boolean } = {}): DomLocator {
    return this.#find(`internal:attr=[alt=${inAttribute(text, exact)}]`);
  }
}

export class DomLocator extends Finder {
  readonly selector: string;
  protected readonly owner: DomPage;

  constructor(owner: DomPage, selector: string) {
    super();
    this.owner = owner;
    this.selector = selector;
  }

  protected override get inside(): string {
    return this.selector;
  }

  page(): DomPage {
    return this.owner;
  }

  override toString(): string {
    return this.selector;
  }

  #then(part: string): DomLocator {
    return new DomLocator(this.owner, `${this.selector} >> ${part}`);
  }

  filter(options: FilterOptions): DomLocator {
    return new DomLocator(this.owner, `${this.selector}${ofFilter(options)}`);
  }

  and(other: DomLocator): DomLocator {
    return this.#then(`internal:and=${JSON.stringify(other.selector)}`);
  }

  or(other: DomLocator): DomLocator {
    return this.#then(`internal:or=${JSON.stringify(other.selector)}`);
  }

  first(): DomLocator {
    return this.nth(0);
  }

  last(): DomLocator {
    return this.nth(-1);
  }

  nth(index: number): DomLocator {
    return this.#then(`nth=${index}`);
  }

  #found(): Element[] {
    return this.owner.find(this.selector);
  }

  #single(): Element | null {
    const found = this.#found();
    if (found.length > 1) {
      const shown = found.slice(0, 5).map((one) => `  ${one.outerHTML.slice(0, 160)}`);
      throw new Error(`strict mode: ${found.length} elements are ${this.selector}\n${shown.join('\n')}`);
    }
    return found[0] ?? null;
  }

  /** The element, as soon as `problem` finds none with it. */
  async #ready(
    { timeout = withinMs }: Waiting = {},
    problem: (element: Element) => string | null = () => null,
  ): Promise<Element> {
    let last = 'is not there';
    return this.owner.until(
      () => {
        const element = this.#single();
        last = element ? (problem(element) ?? '') : 'is not there';
        return element && last === '' ? element : null;
      },
      timeout,
      () => `${this.selector}\n  ${last}`,
    );
  }

  #unable(element: Element): string | null {
    for (const state of ['visible', 'enabled']) {
      if (!this.owner.is(element, state)) return `is not ${state}`;
    }
    return takesPointer(element) ? null : 'is inert or under something that is open';
  }

  #actionable({ timeout, force }: Waiting = {}): Promise<Element> {
    return this.#ready({ timeout }, force ? undefined : (element) => this.#unable(element));
  }

  /** For the keyboard and values. */
  #enabled({ timeout, force }: Waiting = {}): Promise<Element> {
    return this.#ready({ timeout }, (element) => {
      if (force) return null;
      if (!this.owner.is(element, 'visible')) return 'is not visible';
      return this.owner.is(element, 'enabled') ? null : 'is not enabled';
    });
  }

  async count(): Promise<number> {
    await this.owner.turn();
    return this.#found().length;
  }

  async all(): Promise<DomLocator[]> {
    await this.owner.turn();
    return this.#found().map((_, index) => this.nth(index));
  }

  async waitFor({
    state = 'visible',
    timeout = withinMs,
  }: {
    state?: string;
    timeout?: number;
  } = {}): Promise<void> {
    await this.owner.until(
      () => {
        const element = this.#single();
        if (state === 'attached') return element !== null;
        if (state === 'detached') return element === null;
        const isVisible = element !== null && this.owner.is(element, 'visible');
        return state === 'hidden' ? !isVisible : isVisible;
      },
      timeout,
      () => `${this.selector}\n  is not ${state}`,
    );
  }

  async click(options: ClickOptions = {}): Promise<void> {
    await this.owner.click(await this.#actionable(options), options);
  }

  async dblclick(options: ClickOptions = {}): Promise<void> {
    const element = await this.#actionable(options);
    await this.owner.click(element, { ...options, clickCount: 2 }, () => this.#found()[0] ?? null);
  }

  async hover(options: Waiting = {}): Promise<void> {
    const element = await this.#ready(options, (one) =>
      this.owner.is(one, 'visible') ? null : 'is not visible',
    );
    this.owner.hover(element);
    await this.owner.settle();
  }

  async focus(options: Waiting = {}): Promise<void> {
    ((await this.#ready(options)) as HTMLElement).focus();
    await this.owner.settle();
  }

  async blur(options: Waiting = {}): Promise<void> {
    ((await this.#ready(options)) as HTMLElement).blur();
    await this.owner.settle();
  }

  async press(key: string, options: Waiting = {}): Promise<void> {
    ((await this.#ready(options)) as HTMLElement).focus();
    await this.owner.keyboard.press(key);
  }

  async pressSequentially(text: string, options: Waiting = {}): Promise<void> {
    ((await this.#ready(options)) as HTMLElement).focus();
    await this.owner.keyboard.type(text);
  }

  async fill(value: string, options: Waiting = {}): Promise<void> {
    const found = await this.#enabled(options);
    const element = this.owner.retarget(found);
    const { window } = this.owner;
    (element as HTMLElement).focus();
    if (isTextField(element) || element.matches('input[type=range], input[type=color]')) {
      setValue(element, value);
    } else if (isEditable(element)) element.textContent = value;
    else throw new Error(`cannot be filled: ${this.selector}`);
    element.dispatchEvent(
      new window.InputEvent('input', { bubbles: true, data: value, inputType: 'insertText' }),
    );
    const { type } = element as HTMLInputElement;
    if (/^(date|time|month|week|datetime-local|color|range)$/.test(type)) {
      element.dispatchEvent(new window.Event('change', { bubbles: true }));
    }
    await this.owner.settle();
  }

  clear(options: Waiting = {}): Promise<void> {
    return this.fill('', options);
  }

  async check(options: Waiting = {}): Promise<void> {
    await this.setChecked(true, options);
  }

  async uncheck(options: Waiting = {}): Promise<void> {
    await this.setChecked(false, options);
  }

  async setChecked(checked: boolean, options: Waiting = {}): Promise<void> {
    const element = await this.#actionable(options);
    if (this.owner.is(element, 'checked') === checked) return;
    await this.owner.click(element, options);
    await this.#ready(options, (one) =>
      this.owner.is(one, 'checked') === checked ? null : `is not ${checked}`,
    );
  }

  async selectOption(wanted: string | { label?: string; value?: string; index?: number }): Promise<string[]> {
    const element = this.owner.retarget(await this.#enabled());
    const { window } = this.owner;
    const options = [...element.querySelectorAll('option')] as unknown as {
      value: string;
      textContent: string;
    }[];
    const index = options.findIndex((one, at) => {
      const label = one.textContent.trim();
      if (typeof wanted === 'string') return one.value === wanted || label === wanted;
      return (
        (wanted.label === undefined || label === wanted.label) &&
        (wanted.value === undefined || one.value === wanted.value) &&
        (wanted.index === undefined || at === wanted.index)
      );
    });
    const option = options[index];
    if (!option) throw new Error(`${this.selector} has no such option: ${JSON.stringify(wanted)}`);
    (element as HTMLElement).focus();
    setValue(element, option.value);
    element.dispatchEvent(new window.Event('input', { bubbles: true }));
    element.dispatchEvent(new window.Event('change', { bubbles: true }));
    await this.owner.settle();
    return [option.value];
  }

  async setInputFiles(given: GivenFiles): Promise<void> {
    await setFiles(this.owner, this.owner.retarget(await this.#ready()) as HTMLInputElement, given);
  }

  async dispatchEvent(type: string, init: object = {}): Promise<void> {
    const { window } = this.owner;
    (await this.#ready()).dispatchEvent(
      Object.assign(new window.Event(type, { bubbles: true, cancelable: true }), init),
    );
    await this.owner.settle();
  }

  async scrollIntoViewIfNeeded(): Promise<void> {
    await this.#ready();
  }

  async inputValue(options?: Waiting): Promise<string> {
    return (this.owner.retarget(await this.#ready(options)) as HTMLInputElement).value;
  }

  async textContent(options?: Waiting): Promise<string | null> {
    return (await this.#ready(options)).textContent;
  }

  async innerText(options?: Waiting): Promise<string> {
    return innerTextOf(this.owner, await this.#ready(options));
  }

  async innerHTML(options?: Waiting): Promise<string> {
    return (await this.#ready(options)).innerHTML;
  }

  async allTextContents(): Promise<string[]> {
    await this.owner.turn();
    return this.#found().map((one) => one.textContent ?? '');
  }

  async allInnerTexts(): Promise<string[]> {
    await this.owner.turn();
    return this.#found().map((one) => innerTextOf(this.owner, one));
  }

  async getAttribute(name: string, options?: Waiting): Promise<string | null> {
    return (await this.#ready(options)).getAttribute(name);
  }

  async isVisible(): Promise<boolean> {
    await this.owner.turn();
    const element = this.#single();
    return element !== null && this.owner.is(element, 'visible');
  }

  async isHidden(): Promise<boolean> {
    return !(await this.isVisible());
  }

  async isEnabled(options?: Waiting): Promise<boolean> {
    return this.owner.is(await this.#ready(options), 'enabled');
  }

  async isDisabled(options?: Waiting): Promise<boolean> {
    return !(await this.isEnabled(options));
  }

  async isEditable(options?: Waiting): Promise<boolean> {
    return this.owner.is(await this.#ready(options), 'editable');
  }

  async isChecked(options?: Waiting): Promise<boolean> {
    return this.owner.is(await this.#ready(options), 'checked');
  }

  async evaluate(code: string | ((...args: never[]) => unknown), arg?: unknown): Promise<unknown> {
    const element = await this.#ready();
    return this.owner.run(code, [element, arg]);
  }

  async evaluateAll(code: (...args: never[]) => unknown, arg?: unknown): Promise<unknown> {
    await this.owner.turn();
    return this.owner.run(code, [this.#found(), arg]);
  }
}

export async function setFiles(page: DomPage, input: HTMLInputElement, given: GivenFiles): Promise<void> {
  const { window } = page;
  const files = [given]
    .flat()
    .map((one) =>
      typeof one === 'string'
        ? new File([readFileSync(one)], basename(one))
        : new File([new Uint8Array(one.buffer)], one.name, { type: one.mimeType }),
    );
  const list = Object.assign(files, { item: (index: number) => files[index] ?? null });
  input.files = list as unknown as HTMLInputElement['files'];
  input.dispatchEvent(new window.Event('input', { bubbles: true }));
  input.dispatchEvent(new window.Event('change', { bubbles: true }));
  await page.settle();
}

/** Blocks are lines of their own, hidden parts are left out. */
function innerTextOf({ window }: DomPage, element: Element): string {
  const parts: string[] = [];
  const read = (one: Element) => {
    for (const node of one.childNodes) {
      if (node.nodeType === 3) parts.push((node.textContent ?? '').replace(/\s+/g, ' '));
      else if (node.nodeType === 1) {
        const child = node as Element;
        const { display } = window.getComputedStyle(child);
        if (child.tagName === 'BR') parts.push('\n');
        if (display === 'none') continue;
        const isBlock = !display.startsWith('inline') && display !== 'contents';
        if (isBlock) parts.push('\n');
        read(child);
        if (isBlock) parts.push('\n');
      }
    }
  };
  read(element);
  return parts
    .join('')
    .replace(/ *\n[ \n]*/g, '\n')
    .replace(/ +/g, ' ')
    .trim();
}
