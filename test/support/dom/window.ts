/** A window of happy-dom with what it lacks: addresses without loading, observers, media queries, real timers. */
import {
  type Element,
  type Event,
  GlobalWindow,
  type HTMLElement,
  type HTMLInputElement,
  Node,
  PropertySymbol,
} from 'happy-dom';
import { canvasAdapter, Path2D } from './canvas.ts';
import type { Network } from './network.ts';
import { addSizes, addStyles, isShown, prototypeWith } from './style.ts';

export type DomWindow = GlobalWindow;

export interface WindowOptions {
  url: string;
  width: number;
  height: number;
  theme: 'light' | 'dark';
  languages: readonly string[];
  network: Network;
  local: Map<string, string>;
  session: Map<string, string>;
  onConsoleError(text: string): void;
  onError(error: unknown): void;
  /** A link to a file that the page made. */
  onDownload(name: string, href: string): void;
  /** A field for files was clicked, by a user or by code. */
  onFileChooser(input: HTMLInputElement): void;
  /** The page leaves for another address, or loads itself again. */
  onLeave(url: string): void;
}

export interface PageWindow {
  window: DomWindow;
  setSize(width: number, height: number): void;
  setTheme(theme: 'light' | 'dark'): void;
  /** Through the history; false: there is no such page. */
  travel(by: number): boolean;
  /** Ends everything that the page would still do. */
  close(): void;
}

const focusable =
  'a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, iframe, audio[controls], video[controls], [tabindex], [contenteditable=""], [contenteditable=true]';

export function isFocusable(element: Element, width: number): boolean {
  return (
    element.matches(focusable) &&
    !element.matches(':disabled') &&
    !element.closest('[inert]') &&
    isShown(element, width)
  );
}

export function createWindow(options: WindowOptions): PageWindow {
  const { network } = options;
  const window = new GlobalWindow({
    url: options.url,
    width: options.width,
    height: options.height,
    settings: {
      handleDisabledFileLoadingAsSuccess: true,
      canvasAdapter,
      navigation: {
        disableMainFrameNavigation: true,
        disableChildFrameNavigation: true,
        disableChildPageNavigation: true,
        disableFallbackToSetURL: true,
      },
      device: { prefersColorScheme: options.theme, prefersReducedMotion: 'reduce' },
    },
  });
  const timers = addTimers(window);
  const media = addMedia(window, options);
  const travel = addHistory(window, options.onLeave);
  addStyles(window);
  addToElements(window);
  addObservers(window, timers.nextFrame);
  addDownloads(window, options.onDownload);
  addQuickIds(window);
  set(window, {
    ...network.globals(window),
    origin: new URL(options.url).origin,
    localStorage: storageOf(options.local),
    sessionStorage: storageOf(options.session),
    console: {
      ...console,
      error: (...parts: unknown[]) => options.onConsoleError(parts.map(String).join(' ')),
    },
    // Of the process: data goes to the service unchanged.
    URL,
    URLSearchParams,
    Blob,
    File,
    FormData,
    Headers,
    Request,
    Response,
    AbortController,
    AbortSignal,
    TextEncoder,
    TextDecoder,
    structuredClone,
    Path2D,
    crypto,
    performance,
    scrollTo() {},
    scrollBy() {},
  });
  set(window.navigator, { languages: options.languages, language: options.languages[0], onLine: true });
  set(window.document, { hasFocus: () => true, elementFromPoint: () => null });
  set(window.document, { fonts: { check: () => true, load: async () => [], ready: Promise.resolve() } });
  Object.defineProperty(window.document, 'timeline', { get: () => ({ currentTime: performance.now() }) });
  window.addEventListener('error', (event) => {
    const { error, message } = event as Event & { error?: unknown; message?: string };
    options.onError(error ?? message);
  });
  window.addEventListener('click', ({ target, defaultPrevented }) => {
    const element = target as Element | null;
    if (!defaultPrevented && element?.matches?.('input[type=file]'))
      options.onFileChooser(element as HTMLInputElement);
  });
  return {
    window,
    ...media,
    travel,
    close() {
      timers.end();
      network.leave();
      // `abort` alone would keep the window in a map of happy-dom as long as the process runs.
      void window.happyDOM.close();
    },
  };
}

function set(target: object, values: object): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
}

/** A frame is a few milliseconds: nothing is drawn, and nobody watches. */
const frameMs = 4;

function addTimers(window: DomWindow): { nextFrame(run: () => void): void; end(): void } {
  const open = new Set<NodeJS.Timeout | NodeJS.Immediate>();
  let last = 0;
  let isOver = false;
  const handles = new Map<number, NodeJS.Timeout | NodeJS.Immediate>();
  const keep = (handle: NodeJS.Timeout | NodeJS.Immediate): number => {
    open.add(handle);
    handles.set(++last, handle);
    return last;
  };
  const once = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): number => {
    if (isOver) return 0;
    const id: number = keep(
      setTimeout(() => {
        forget(id);
        guard(run, ...args);
      }, ms),
    );
    return id;
  };
  const forget = (id: number) => {
    const handle = handles.get(id);
    if (!handle) return;
    handles.delete(id);
    open.delete(handle);
  };
  const cancel = (id?: number) => {
    const handle = id === undefined ? undefined : handles.get(id);
    if (!handle) return;
    clearTimeout(handle as NodeJS.Timeout);
    clearImmediate(handle as NodeJS.Immediate);
    forget(id!);
  };
  const guard = (run: (...args: unknown[]) => void, ...args: unknown[]) => {
    if (isOver) return;
    try {
      run(...args);
    } catch (error) {
      window.dispatchEvent(new window.ErrorEvent('error', { error: error as Error, message: String(error) }));
    }
  };
  set(window, {
    setTimeout: once,
    clearTimeout: cancel,
    setInterval: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      isOver ? 0 : keep(setInterval(() => guard(run, ...args), ms)),
    clearInterval: cancel,
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => {
      if (isOver) return 0;
      const id: number = keep(
        setImmediate(() => {
          forget(id);
          guard(run, ...args);
        }),
      );
      return id;
    },
    clearImmediate: cancel,
    requestAnimationFrame: (run: (time: number) => void) => once(() => run(performance.now()), frameMs),
    cancelAnimationFrame: cancel,
    queueMicrotask: (run: () => void) => queueMicrotask(() => guard(run)),
  });
  return {
    nextFrame: (run) => void once(run, frameMs),
    end() {
      isOver = true;
      for (const id of [...handles.keys()]) cancel(id);
    },
  };
}

function addMedia(window: DomWindow, { width, height, theme }: WindowOptions) {
  const now = { width, height, theme };
  const lists = new Set<() => void>();
  const matches = (query: string): boolean =>
    query.split(/\s+and\s+/).every((part) => {
      const [, name, value = ''] = /\(\s*([\w-]+)\s*(?::\s*([^)]+))?\)/.exec(part) ?? [];
      if (name === 'min-width') return now.width >= Number.parseFloat(value);
      if (name === 'max-width') return now.width <= Number.parseFloat(value);
      if (name === 'prefers-color-scheme') return value === now.theme;
      if (name === 'prefers-reduced-motion') return value === 'reduce';
      if (name === 'pointer' || name === 'any-pointer') return value === 'fine';
      return name === 'hover';
    });
  const changed = () => {
    for (const tell of lists) tell();
  };
  set(window, {
    innerWidth: width,
    innerHeight: height,
    matchMedia: (media: string) => {
      const list = new EventTarget();
      let before = matches(media);
      lists.add(() => {
        if (matches(media) === before) return;
        before = !before;
        list.dispatchEvent(Object.assign(new globalThis.Event('change'), { media, matches: before }));
      });
      Object.defineProperty(list, 'matches', { get: () => matches(media) });
      return Object.assign(list, {
        media,
        addListener: (run: () => void) => list.addEventListener('change', run),
        removeListener: (run: () => void) => list.removeEventListener('change', run),
      });
    },
  });
  return {
    setSize(nextWidth: number, nextHeight: number) {
      Object.assign(now, { width: nextWidth, height: nextHeight });
      set(window, { innerWidth: nextWidth, innerHeight: nextHeight });
      changed();
      window.dispatchEvent(new window.Event('resize'));
    },
    setTheme(next: 'light' | 'dark') {
      now.theme = next;
      changed();
    },
  };
}

/** Addresses change without loading anything; what would load goes to `onLeave`. */
function addHistory(window: DomWindow, onLeave: (url: string) => void): (by: number) => boolean {
  const entries: { url: string; state: unknown }[] = [{ url: window.location.href, state: null }];
  let at = 0;
  const absolute = (url?: string | URL | null) => new URL(url ?? '', window.location.href).href;
  const show = () => window.happyDOM.setURL(entries[at]!.url);
  const travel = (by: number): boolean => {
    if (!entries[at + by]) return false;
    at += by;
    show();
    const { state } = entries[at]!;
    window.dispatchEvent(new window.PopStateEvent('popstate', { state: state as object | null }));
    return true;
  };
  const history = {
    scrollRestoration: 'auto',
    get length() {
      return entries.length;
    },
    get state() {
      return entries[at]!.state;
    },
    pushState(state: unknown, _title: string, url?: string | URL | null) {
      entries.splice(++at, entries.length, {
        url: absolute(url ?? window.location.href),
        state: structuredClone(state),
      });
      show();
    },
    replaceState(state: unknown, _title: string, url?: string | URL | null) {
      entries[at] = { url: absolute(url ?? window.location.href), state: structuredClone(state) };
      show();
    },
    back: () => void setImmediate(() => travel(-1)),
    forward: () => void setImmediate(() => travel(1)),
    go: (by = 0) => void setImmediate(() => travel(by)),
  };
  set(window, { history });
  const { location } = window;
  const href = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(location), 'href')!;
  set(location, {
    assign: (url: string) => onLeave(absolute(url)),
    replace: (url: string) => onLeave(absolute(url)),
    reload: () => onLeave(location.href),
  });
  Object.defineProperty(location, 'href', {
    get: () => href.get!.call(location),
    set: (url: string) => onLeave(absolute(url)),
  });
  return travel;
}

let isPatched = false;

let changes = 0;

/** How often the page of any window has changed: its nodes, their attributes and texts, what is checked, the focus. */
export const countChanges = (): number => changes;

/** happy-dom drops what it remembers of a node with every change. */
function noteChanges(): void {
  const nodes = Node.prototype as unknown as Record<symbol, () => void>;
  const clear = nodes[PropertySymbol.clearCache]!;
  nodes[PropertySymbol.clearCache] = function (this: Node) {
    changes++;
    clear.call(this);
  };
}

/** The classes that all windows share. */
function addToElements(window: DomWindow): void {
  if (isPatched) return;
  isPatched = true;
  noteChanges();
  addSizes(window);
  const element = window.document.createElement('div');
  // Only what can have the focus gets it.
  const { focus } = element;
  Object.assign(prototypeWith(element, 'focus'), {
    focus(this: HTMLElement) {
      const width = this.ownerDocument.defaultView?.innerWidth ?? 0;
      if (isFocusable(this, width)) focus.call(this);
    },
  });
  for (const name of ['scrollTop', 'scrollLeft']) tellScrolls(element, name);
  for (const node of [element, window.document]) addQuickAll(node);
  // A browser takes every absolute address, also with a port of one digit.
  const { validity } = window.document.createElement('input');
  const proto = prototypeWith(validity, 'typeMismatch');
  const { get: mismatch } = Object.getOwnPropertyDescriptor(proto, 'typeMismatch')!;
  Object.defineProperty(proto, 'typeMismatch', {
    configurable: true,
    get(this: { element: HTMLInputElement }) {
      const { type, value } = this.element;
      return type === 'url' ? value !== '' && !URL.canParse(value) : mismatch!.call(this);
    },
  });
  Object.assign(prototypeWith(element, 'getAttribute'), {
    scrollIntoView() {},
    setPointerCapture() {},
    releasePointerCapture() {},
    hasPointerCapture: () => false,
  });
}

/** Lists show other rows when they hear of it. */
function tellScrolls(element: object, name: string): void {
  const owner = prototypeWith(element, name);
  const { get, set: assign } = Object.getOwnPropertyDescriptor(owner, name)!;
  Object.defineProperty(owner, name, {
    configurable: true,
    get,
    set(this: Element, value: number) {
      const before = get!.call(this);
      assign!.call(this, Math.max(0, value));
      const window = this.ownerDocument.defaultView;
      if (!window || get!.call(this) === before) return;
      window.requestAnimationFrame(() => this.dispatchEvent(new window.Event('scroll')));
    },
  });
}

/** Everything observed has its size once, and is in view. */
function addObservers(window: DomWindow, nextFrame: (run: () => void) => void): void {
  const observer = (entryOf: (target: Element) => object) =>
    class {
      readonly #tell: (entries: object[], observer: unknown) => void;
      #targets = new Set<Element>();

      constructor(tell: (entries: object[], observer: unknown) => void) {
        this.#tell = tell;
      }

      observe(target: Element) {
        this.#targets.add(target);
        nextFrame(() => {
          if (this.#targets.has(target) && target.isConnected) this.#tell([entryOf(target)], this);
        });
      }

      unobserve(target: Element) {
        this.#targets.delete(target);
      }

      disconnect() {
        this.#targets.clear();
      }

      takeRecords() {
        return [];
      }
    };
  set(window, {
    ResizeObserver: observer((target) => {
      const contentRect = target.getBoundingClientRect();
      const size = [{ inlineSize: contentRect.width, blockSize: contentRect.height }];
      return { target, contentRect, borderBoxSize: size, contentBoxSize: size };
    }),
    IntersectionObserver: observer((target) => ({ target, isIntersecting: true, intersectionRatio: 1 })),
  });
}

function storageOf(values: Map<string, string>): object {
  const methods = {
    getItem: (key: string) => values.get(String(key)) ?? null,
    setItem: (key: string, value: unknown) => void values.set(String(key), String(value)),
    removeItem: (key: string) => void values.delete(String(key)),
    clear: () => values.clear(),
    key: (index: number) => [...values.keys()][index] ?? null,
  };
  return new Proxy(methods, {
    get(target, name) {
      if (name === 'length') return values.size;
      if (typeof name === 'string' && !(name in target)) return values.get(name);
      return Reflect.get(target, name);
    },
    set: (_, name, value) => Boolean(values.set(String(name), String(value))),
    has: (target, name) => name in target || values.has(String(name)),
    deleteProperty: (_, name) => values.delete(String(name)) || true,
    ownKeys: () => [...values.keys()],
    getOwnPropertyDescriptor: (_, name) =>
      values.has(String(name))
        ? { value: values.get(String(name)), enumerable: true, configurable: true, writable: true }
        : undefined,
  });
}

/** A link that is not in the page is clicked by code. */
function addDownloads(window: DomWindow, onDownload: WindowOptions['onDownload']): void {
  const { document } = window;
  const create = document.createElement.bind(document);
  set(document, {
    createElement(...args: Parameters<typeof create>) {
      const element = create(...args);
      if (element.tagName !== 'A') return element;
      const { click } = element;
      const save = () => {
        const { download, href } = element as unknown as { download: string; href: string };
        if (element.hasAttribute('download')) onDownload(download, href);
        else click.call(element);
      };
      set(element, { click: save });
      return element;
    },
  });
}

/** The search for elements asks for all of them each time; happy-dom sorts them by a text of their place first. */
function addQuickAll(node: object): void {
  const owner = prototypeWith(node, 'querySelectorAll') as Pick<Element, 'querySelectorAll'>;
  const { querySelectorAll } = owner;
  const all = (parent: Element, found: Element[]): Element[] => {
    for (const child of parent[PropertySymbol.elementArray]) {
      found.push(child);
      all(child, found);
    }
    return found;
  };
  Object.assign(owner, {
    querySelectorAll(this: Element, selector: string) {
      return selector === '*' ? all(this, []) : querySelectorAll.call(this, selector);
    },
  });
}

/** Names refer to many elements by their ids, and happy-dom looks through the whole page for `#id`. */
function addQuickIds({ document }: DomWindow): void {
  const querySelector = document.querySelector.bind(document);
  set(document, {
    querySelector(selector: string) {
      const [, id] = /^#((?:[\w-]|\\[^\da-f\s])+)$/i.exec(selector) ?? [];
      return id ? document.getElementById(id.replace(/\\/g, '')) : querySelector(selector);
    },
  });
}
