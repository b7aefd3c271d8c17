/** Playwright's Page and BrowserContext in the DOM, as much of them as the tests use. */
import { resolveObjectURL } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Element } from 'happy-dom';
import type { App } from '../../../server/platform/http/http.ts';
import { startPatience } from '../patience.ts';
import { newFolder } from '../scratch.ts';
import { Keyboard } from './keyboard.ts';
import { Finder, type GivenFiles, setFiles, withinMs } from './locator.ts';
import { type ClickOptions, Mouse } from './mouse.ts';
import {
  CookieJar,
  matchesUrl,
  Network,
  type PageRequest,
  type PageResponse,
  type UrlMatch,
} from './network.ts';
import { type Engine, evaluateIn, runDashboard, startEngine } from './scripts.ts';
import { countChanges, createWindow, type DomWindow, type PageWindow } from './window.ts';

export interface ContextOptions {
  viewport?: { width: number; height: number } | null;
  colorScheme?: 'light' | 'dark';
  locale?: string;
  userAgent?: string;
  extraHTTPHeaders?: Record<string, string>;
}

/** What the pages of one browser share. */
export class DomContext {
  readonly jar = new CookieJar();
  readonly local = new Map<string, string>();
  readonly app: App;
  readonly base: string;
  readonly options: ContextOptions;
  readonly #pages: DomPage[] = [];
  readonly initScripts = new Set<string>();

  constructor(app: App, base: string, options: ContextOptions) {
    this.app = app;
    this.base = base;
    this.options = options;
  }

  async newPage(): Promise<DomPage> {
    const page = new DomPage(this);
    this.#pages.push(page);
    return page;
  }

  pages(): DomPage[] {
    return this.#pages.filter((page) => !page.isClosed());
  }

  async addCookies(cookies: readonly { name: string; value: string; path?: string }[]): Promise<void> {
    for (const { name, value, path } of cookies) this.jar.add(name, value, path);
  }

  async cookies() {
    return this.jar.all();
  }

  async clearCookies(): Promise<void> {
    this.jar.clear();
  }

  async grantPermissions(): Promise<void> {}

  async addInitScript(script: string): Promise<void> {
    this.initScripts.add(script);
  }

  async setOffline(isOffline: boolean): Promise<void> {
    for (const page of this.pages()) page.setOffline(isOffline);
  }

  async close(): Promise<void> {
    for (const page of this.pages()) await page.close();
  }
}

interface WaitOptions {
  timeout?: number;
}

/** The text of a field changes without a change of the page. */
const foundForMs = 200;

export class DomPage extends Finder {
  protected readonly owner = this;
  protected readonly inside = '';
  readonly keyboard: Keyboard;
  readonly #context: DomContext;
  readonly #network: Network;
  readonly #mouse: Mouse;
  readonly #events = new EventEmitter();
  readonly #initScripts = new Set<string>();
  readonly #session = new Map<string, string>();
  #shown: { page: PageWindow; engine: Engine; selectors: Map<string, unknown> } | null = null;
  /** By selector, while the page does not change: most searches repeat the one before. */
  readonly #found = new Map<string, Element[]>();
  #foundIn = { changes: 0, until: 0 };
  #size: { width: number; height: number };
  #theme: 'light' | 'dark';
  #isClosed = false;

  constructor(context: DomContext) {
    super();
    const { viewport, colorScheme = 'light', userAgent, extraHTTPHeaders = {} } = context.options;
    this.#context = context;
    this.#size = viewport ?? { width: 1440, height: 900 };
    this.#theme = colorScheme;
    this.#network = new Network(context.app, context.base, context.jar);
    this.#network.extraHeaders = { ...(userAgent && { 'user-agent': userAgent }), ...extraHTTPHeaders };
    const current = () => this.window;
    this.keyboard = new Keyboard(
      current,
      (element) => this.#mouse.activate(element),
      () => this.settle(),
    );
    this.#mouse = new Mouse(current, () => this.keyboard.modifiers);
    this.#events.setMaxListeners(0);
    for (const name of ['request', 'requestfinished', 'requestfailed', 'response', 'websocket']) {
      this.#network.on(name, (what) => this.#events.emit(name, what));
    }
    this.#network.on('console', (text) => this.#say(text));
  }

  #say(text: string): void {
    this.#events.emit('console', { type: () => 'error', text: () => text });
  }

  // The window and what is found in it.

  get window(): DomWindow {
    if (!this.#shown) throw new Error('the page has not been loaded');
    return this.#shown.page.window;
  }

  find(selector: string): Element[] {
    if (!this.#shown) return [];
    const changes = countChanges();
    if (changes !== this.#foundIn.changes || Date.now() > this.#foundIn.until) {
      this.#found.clear();
      this.#foundIn = { changes, until: Date.now() + foundForMs };
    }
    let found = this.#found.get(selector);
    if (!found) {
      const { engine, selectors, page } = this.#shown;
      let parsed = selectors.get(selector);
      if (!parsed) {
        parsed = engine.parseSelector(selector);
        selectors.set(selector, parsed);
      }
      found = engine.querySelectorAll(parsed, page.window.document) as Element[];
      this.#found.set(selector, found);
    }
    return found;
  }

  is(element: Element, state: string): boolean {
    return this.#shown?.engine.elementState(element, state, true).matches ?? false;
  }

  /** The field of a label. */
  retarget(element: Element): Element {
    return (this.#shown?.engine.retarget(element, 'follow-label') as Element | null) ?? element;
  }

  run(code: string | ((...args: never[]) => unknown), args: unknown[]): unknown {
    this.#found.clear();
    return evaluateIn(this.window, String(code), typeof code === 'function' ? args : null);
  }

  /** Repeats until there is something. */
  async until<T>(look: () => T | null | false, timeout: number, describe: () => string): Promise<T> {
    const patience = startPatience(timeout);
    await this.turn();
    for (let ms = 4; ; ms = Math.min(40, ms * 1.5)) {
      const found = look();
      if (found) return found;
      if (this.#isClosed) throw new Error(`the page was closed while waiting for ${describe()}`);
      if (patience.isOver()) throw new Error(`after ${timeout} ms: ${describe()}\n${this.#outline()}`);
      await pause(ms);
    }
  }

  #outline(): string {
    if (!this.#shown) return '';
    const { engine, page } = this.#shown;
    try {
      const text = engine.ariaSnapshot(page.window.document.body, { mode: 'codegen' });
      return `${this.url()}\n${text.slice(0, 6_000)}`;
    } catch {
      return `${this.url()}\n${page.window.document.body.textContent?.slice(0, 2_000)}`;
    }
  }

  turn(): Promise<void> {
    return nextTurn();
  }

  /** What an event leads to at once: React renders in the next turns. */
  async settle(): Promise<void> {
    for (let left = 3; left > 0; left--) await nextTurn();
    this.#found.clear();
  }

  async click(element: Element, options: ClickOptions, again?: () => Element | null): Promise<void> {
    await this.#mouse.click(element, options, () => this.settle(), again);
  }

  hover(element: Element): void {
    this.#mouse.hover(element);
  }

  // Addresses.

  async goto(address: string): Promise<PageResponse> {
    const { url, response } = await this.#network.load(new URL(address, this.#context.base).href);
    await this.#show(url, response);
    return response;
  }

  async reload(): Promise<PageResponse> {
    return this.goto(this.url());
  }

  async #show(url: string, response: PageResponse): Promise<void> {
    if (this.#isClosed) return;
    this.#found.clear();
    if (this.#shown) this.window.dispatchEvent(new this.window.Event('pagehide'));
    this.#shown?.page.close();
    const { locale = 'en-GB' } = this.#context.options;
    const page = createWindow({
      url,
      ...this.#size,
      theme: this.#theme,
      languages: [locale],
      network: this.#network,
      local: this.#context.local,
      session: this.#session,
      onConsoleError: (text) => this.#say(text),
      onError: (error) => this.#events.emit('pageerror', error),
      onDownload: (name, href) => this.#download(name, href),
      onFileChooser: (input) =>
        this.#events.emit('filechooser', {
          isMultiple: () => input.multiple,
          setFiles: (files: GivenFiles) => setFiles(this, input, files),
        }),
      onLeave: (to) => void this.goto(to),
    });
    const { window } = page;
    window.document.write(await response.text());
    this.#shown = { page, engine: startEngine(window), selectors: new Map() };
    this.#events.emit('framenavigated', this);
    for (const script of [...this.#context.initScripts, ...this.#initScripts])
      evaluateIn(window, script, null);
    if (window.document.getElementById('root')) runDashboard(window);
    await this.settle();
    this.#events.emit('load', this);
  }

  #download(name: string, href: string): void {
    const read = async () => Buffer.from((await resolveObjectURL(href)?.arrayBuffer()) ?? new ArrayBuffer(0));
    this.#events.emit('download', {
      suggestedFilename: () => name,
      url: () => href,
      async path() {
        const path = join(newFolder('talkboard-download-'), 'file');
        writeFileSync(path, await read());
        return path;
      },
    });
  }

  url(): string {
    return this.#shown?.page.window.location.href ?? 'about:blank';
  }

  async title(): Promise<string> {
    return this.window.document.title;
  }

  async content(): Promise<string> {
    return this.window.document.documentElement.outerHTML;
  }

  async goBack(): Promise<void> {
    this.#shown?.page.travel(-1);
    await this.settle();
  }

  async goForward(): Promise<void> {
    this.#shown?.page.travel(1);
    await this.settle();
  }

  async waitForURL(match: UrlMatch, { timeout = withinMs }: WaitOptions = {}): Promise<void> {
    const fits = () => matchesUrl(match, this.url(), this.#context.base);
    await this.until(fits, timeout, () => `the address ${String(match)}`);
  }

  async waitForLoadState(): Promise<void> {
    await this.settle();
  }

  async waitForTimeout(ms: number): Promise<void> {
    await pause(ms);
  }

  async waitForFunction(code: string | (() => unknown)): Promise<void> {
    const values: unknown[] = [];
    await this.until(
      () => {
        const value = this.run(code, []);
        if (value instanceof Promise) void value.then((one) => values.push(one));
        return value instanceof Promise ? Boolean(values.pop()) : Boolean(value);
      },
      withinMs,
      () => String(code),
    );
  }

  // The network.

  async route(match: UrlMatch, handler: Parameters<Network['route']>[1], { times }: { times?: number } = {}) {
    this.#network.route(match, handler, times);
  }

  async unroute(match: UrlMatch, handler?: Parameters<Network['route']>[1]): Promise<void> {
    this.#network.unroute(match, handler);
  }

  async unrouteAll(): Promise<void> {
    this.#network.unroute();
  }

  setOffline(isOffline: boolean): void {
    this.#network.setOffline(isOffline);
    if (!this.#shown) return;
    const { window } = this;
    Object.defineProperty(window.navigator, 'onLine', { value: !isOffline, configurable: true });
    window.dispatchEvent(new window.Event(isOffline ? 'offline' : 'online'));
  }

  waitForRequest(
    match: UrlMatch | ((request: PageRequest) => boolean),
    options?: WaitOptions,
  ): Promise<PageRequest> {
    return this.waitForEvent('request', (one: PageRequest) => this.#fits(match, one, one.url()), options);
  }

  waitForResponse(
    match: UrlMatch | ((response: PageResponse) => boolean),
    options?: WaitOptions,
  ): Promise<PageResponse> {
    return this.waitForEvent('response', (one: PageResponse) => this.#fits(match, one, one.url()), options);
  }

  #fits<T>(match: UrlMatch | ((what: T) => boolean), what: T, url: string): boolean {
    if (typeof match === 'function') return (match as (one: T) => boolean)(what);
    return matchesUrl(match, url, this.#context.base);
  }

  // Events.

  // biome-ignore lint/suspicious/noExplicitAny: what an event brings depends on its name
  on(name: string, listener: (what: any) => void): this {
    this.#events.on(name, listener);
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  once(name: string, listener: (what: any) => void): this {
    this.#events.once(name, listener);
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  off(name: string, listener: (what: any) => void): this {
    this.#events.off(name, listener);
    return this;
  }

  waitForEvent<T>(
    name: string,
    fits: (what: T) => boolean = () => true,
    { timeout = withinMs }: WaitOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (run: () => void) => {
        clearTimeout(timer);
        this.#events.off(name, listener);
        run();
      };
      const listener = (what: T) => fits(what) && end(() => resolve(what));
      const timer = setTimeout(
        () => end(() => reject(new Error(`after ${timeout} ms: no ${name}`))),
        timeout,
      );
      this.#events.on(name, listener);
    });
  }

  // The rest.

  mainFrame(): this {
    return this;
  }

  context(): DomContext {
    return this.#context;
  }

  async evaluate(code: string | ((...args: never[]) => unknown), arg?: unknown): Promise<unknown> {
    return this.run(code, [arg]);
  }

  async addInitScript(script: string): Promise<{ dispose(): Promise<void> }> {
    this.#initScripts.add(script);
    return { dispose: async () => void this.#initScripts.delete(script) };
  }

  viewportSize(): { width: number; height: number } {
    return this.#size;
  }

  async setViewportSize(size: { width: number; height: number }): Promise<void> {
    this.#size = size;
    this.#shown?.page.setSize(size.width, size.height);
    await this.settle();
  }

  async emulateMedia({ colorScheme }: { colorScheme?: 'light' | 'dark' | null }): Promise<void> {
    if (!colorScheme) return;
    this.#theme = colorScheme;
    this.#shown?.page.setTheme(colorScheme);
    await this.settle();
  }

  async bringToFront(): Promise<void> {}

  isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#found.clear();
    this.#shown?.page.close();
    this.#shown = null;
  }
}
