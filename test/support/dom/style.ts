/**
 * What the style sheets would say, as far as it decides what is shown and how names are read: the classes of Tailwind
 * for `display` and visibility, at the width of the window. Nothing has a place; all that is shown has a size.
 */
import type { Element, HTMLElement } from 'happy-dom';
import type { DomWindow } from './window.ts';

const inlineTags = new Set(
  'A ABBR B BDI BDO BR CITE CODE DATA DFN EM I IMG KBD LABEL MARK PATH Q S SAMP SMALL SPAN STRONG SUB SUP SVG TIME U VAR WBR'.split(
    ' ',
  ),
);
const inlineBlockTags = new Set(['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'METER', 'PROGRESS']);
const noneTags = new Set([
  'HEAD',
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'TITLE',
  'META',
  'LINK',
  'NOSCRIPT',
  'DATALIST',
]);
const displays = new Set([
  'block',
  'inline',
  'inline-block',
  'flex',
  'inline-flex',
  'grid',
  'inline-grid',
  'contents',
  'hidden',
  'table',
]);
const others = new Set(['absolute', 'fixed', 'sr-only', 'invisible']);
const leastWidth: Record<string, number> = { sm: 640, md: 768, lg: 1024, xl: 1280, '2xl': 1536 };

/** Does a class with these variants, such as `max-sm`, hold? Unknown variants (hover, dark …) do not. */
function holds(variants: readonly string[], element: Element, width: number): boolean {
  return variants.every((variant) => {
    if (variant in leastWidth) return width >= leastWidth[variant]!;
    const below = /^max-(?:\[(\d+)px\]|(\w+))$/.exec(variant);
    if (below) return width < (below[1] ? Number(below[1]) : (leastWidth[below[2]!] ?? 0));
    if (variant === 'empty') return element.childNodes.length === 0;
    if (variant === 'not-first') return element.previousElementSibling !== null;
    return false;
  });
}

interface Said {
  display: string | null;
  isOutOfFlow: boolean;
  isInvisible: boolean;
}

const nothing: Said = { display: null, isOutOfFlow: false, isInvisible: false };

/** A class about display or visibility, such as `max-sm:hidden`. */
interface Rule {
  variants: readonly string[];
  utility: string;
}

const known = new Map<string, readonly Rule[]>();

/** The same texts come again and again, and most classes are about other things. */
function rulesIn(classes: string): readonly Rule[] {
  let found = known.get(classes);
  if (!found) {
    found = classes
      .split(/\s+/)
      .map((one) => one.split(':'))
      .map((parts) => ({ variants: parts.slice(0, -1), utility: parts.at(-1)! }))
      .filter(({ utility }) => displays.has(utility) || others.has(utility));
    known.set(classes, found);
  }
  return found;
}

/** Classes with a variant win over those without one, as they come later in the style sheet. */
function saidByClasses(element: Element, width: number): Said {
  const rules = rulesIn(element.getAttribute('class') ?? '');
  if (rules.length === 0) return nothing;
  const said = { ...nothing };
  let strength = -1;
  for (const { variants, utility } of rules) {
    if (!holds(variants, element, width)) continue;
    if (utility === 'invisible') said.isInvisible = true;
    else if (!displays.has(utility)) said.isOutOfFlow = true;
    else if (variants.length > strength) {
      strength = variants.length;
      said.display = utility === 'hidden' ? 'none' : utility;
    }
  }
  return said;
}

function displayOf(element: Element, width: number): string {
  const tag = element.tagName.toUpperCase();
  // The content as a whole is not drawn, whatever its classes say.
  if (isInClosedDetails(element, tag)) return 'none';
  const inline = element.hasAttribute('style') ? (element as HTMLElement).style.display : '';
  if (inline) return inline;
  const { display, isOutOfFlow } = saidByClasses(element, width);
  if (display) return display;
  if (noneTags.has(tag) || element.hasAttribute('hidden')) return 'none';
  if (tag === 'INPUT' && element.getAttribute('type') === 'hidden') return 'none';
  const isInline = inlineTags.has(tag);
  if (!isInline && !inlineBlockTags.has(tag)) return 'block';
  if (isOutOfFlow) return 'block';
  const parent = element.parentElement;
  const around = parent && saidByClasses(parent, width).display;
  if (around && /flex|grid/.test(around)) return 'block';
  return isInline ? 'inline' : 'inline-block';
}

function isInClosedDetails({ parentElement }: Element, tag: string): boolean {
  return tag !== 'SUMMARY' && parentElement?.tagName === 'DETAILS' && !parentElement.hasAttribute('open');
}

export function isShown(element: Element, width: number): boolean {
  for (let one: Element | null = element; one; one = one.parentElement) {
    if (displayOf(one, width) === 'none') return false;
  }
  return element.isConnected;
}

function isInvisible(element: Element, width: number): boolean {
  for (let one: Element | null = element; one; one = one.parentElement) {
    const said = one.hasAttribute('style') ? (one as HTMLElement).style.visibility : '';
    if (said) return said !== 'visible';
    if (saidByClasses(one, width).isInvisible) return true;
  }
  return false;
}

/** As little as the dashboard, its libraries and the search for elements read. Everything else is empty. */
class Style {
  readonly #element: Element;
  readonly #width: number;

  constructor(element: Element, width: number) {
    this.#element = element;
    this.#width = width;
  }

  read(name: string): string {
    if (name === 'display') return displayOf(this.#element, this.#width);
    if (name === 'visibility') return isInvisible(this.#element, this.#width) ? 'hidden' : 'visible';
    const own = this.#element.hasAttribute('style')
      ? (this.#element as HTMLElement).style.getPropertyValue(
          name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
        )
      : '';
    if (own) return own;
    if (name === 'overflow' || name === 'overflowY' || name === 'overflow-y')
      return isScroller(this.#element) ? 'auto' : 'visible';
    return defaults[name] ?? '';
  }
}

const defaults: Record<string, string> = {
  animationName: 'none',
  'animation-name': 'none',
  transitionDuration: '0s',
  opacity: '1',
  pointerEvents: 'auto',
  position: 'static',
  direction: 'ltr',
  transform: 'none',
  content: 'normal',
  textTransform: 'none',
  userSelect: 'auto',
  overflowX: 'visible',
};

const styleHandler: ProxyHandler<Style> = {
  get(style, name) {
    if (name === 'getPropertyValue') return (one: string) => style.read(one);
    return typeof name === 'string' ? style.read(name) : undefined;
  },
};

function isScroller(element: Element): boolean {
  return /\boverflow-(y-)?(auto|scroll)\b/.test(element.getAttribute('class') ?? '');
}

/** A row of text. */
const rowHeight = 40;

/** The windows of a process share these classes; the window of an element says how wide it is. */
const windowOf = (element: Element) => element.ownerDocument.defaultView as unknown as DomWindow;
const isOnPage = (element: Element) => isShown(element, windowOf(element)?.innerWidth ?? 0);

function heightOf(element: Element): number {
  if (!isOnPage(element)) return 0;
  const { document, innerHeight } = windowOf(element);
  const isWhole = element === document.body || element === document.documentElement;
  return isWhole || isScroller(element) ? innerHeight : rowHeight;
}

const widthOf = (element: Element) => (isOnPage(element) ? Math.min(windowOf(element).innerWidth, 400) : 0);

const none = new Proxy({ read: (name: string) => (name === 'content' ? 'none' : '') } as Style, styleHandler);

/** Where a method is defined: a window only adds to the classes that all windows share. */
export function prototypeWith(element: object, name: string): object {
  let found: object | null = null;
  for (let one = Object.getPrototypeOf(element); one; one = Object.getPrototypeOf(one)) {
    if (Object.hasOwn(one, name)) found = one;
  }
  if (!found) throw new Error(`no ${name}`);
  return found;
}

export function addStyles(window: DomWindow): void {
  Object.defineProperty(window, 'getComputedStyle', {
    value: (element: Element, pseudo?: string) =>
      pseudo ? none : new Proxy(new Style(element, window.innerWidth), styleHandler),
  });
}

/** Once for the process. */
export function addSizes(window: DomWindow): void {
  const element = window.document.createElement('div');
  const read = (name: string, value: (one: Element) => number) =>
    Object.defineProperty(prototypeWith(element, name), name, {
      configurable: true,
      get(this: Element) {
        return value(this);
      },
    });
  for (const name of ['offsetHeight', 'clientHeight', 'scrollHeight']) read(name, heightOf);
  for (const name of ['offsetWidth', 'clientWidth', 'scrollWidth']) read(name, widthOf);
  const { DOMRect } = window;
  Object.assign(prototypeWith(element, 'getBoundingClientRect'), {
    checkVisibility(this: Element) {
      return isOnPage(this);
    },
    getBoundingClientRect(this: Element) {
      return new DOMRect(0, 0, widthOf(this), heightOf(this));
    },
    getClientRects(this: Element) {
      return isOnPage(this) ? [new DOMRect(0, 0, widthOf(this), heightOf(this))] : [];
    },
  });
  Object.assign(prototypeWith(window.document.createRange(), 'getBoundingClientRect'), {
    getBoundingClientRect: () => new DOMRect(0, 0, 10, 10),
    getClientRects: () => [new DOMRect(0, 0, 10, 10)],
  });
}
