/** What a page asks of the network: the service answers it in the same process, through its whole HTTP handling. */
import { EventEmitter } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { WebSocket } from 'ws';
import type { App } from '../../../server/platform/http/http.ts';
import type { DomWindow } from './window.ts';

/** The cookies of one browser context, for the service's own host. */
export class CookieJar {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  add(name: string, value: string, path = '/'): void {
    this.#cookies.set(name, { value, path });
  }

  clear(): void {
    this.#cookies.clear();
  }

  all(): { name: string; value: string; path: string }[] {
    return [...this.#cookies].map(([name, cookie]) => ({ name, ...cookie }));
  }

  headerFor(pathname: string): string {
    return this.all()
      .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  keep(header: string): void {
    const [, name, value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (!name) return;
    const isOver =
      /;\s*max-age=0\b/i.test(header) ||
      Date.parse(/;\s*expires=([^;]+)/i.exec(header)?.[1] ?? '') < Date.now();
    if (isOver) this.#cookies.delete(name);
    else this.add(name, value, /;\s*path=([^;]+)/i.exec(header)?.[1]);
  }
}

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** As Playwright's Request. */
export class PageRequest {
  readonly sent: Sent;
  readonly type: string;
  answer: PageResponse | null = null;
  error: string | null = null;

  constructor(sent: Sent, type: string) {
    this.sent = sent;
    this.type = type;
  }

  url = () => this.sent.url;
  method = () => this.sent.method;
  headers = () => this.sent.headers;
  postData = () => this.sent.body?.toString() ?? null;
  postDataBuffer = () => this.sent.body;
  postDataJSON = () => (this.sent.body ? JSON.parse(this.sent.body.toString()) : null);
  resourceType = () => this.type;
  isNavigationRequest = () => this.type === 'document';
  response = async () => this.answer;
  failure = () => (this.error ? { errorText: this.error } : null);
}

/** As Playwright's Response. */
export class PageResponse {
  readonly #request: PageRequest;
  readonly #status: number;
  readonly #headers: Headers;
  readonly #body: Buffer;

  constructor(request: PageRequest, status: number, headers: Headers, body: Buffer) {
    this.#request = request;
    this.#status = status;
    this.#headers = headers;
    this.#body = body;
  }

  request = () => this.#request;
  url = () => this.#request.url();
  status = () => this.#status;
  statusText = () => STATUS_CODES[this.#status] ?? '';
  ok = () => this.#status >= 200 && this.#status < 300;
  headers = () => Object.fromEntries(this.#headers);
  allHeaders = async () => this.headers();
  headerValue = async (name: string) => this.#headers.get(name);
  body = async () => this.#body;
  text = async () => this.#body.toString();
  json = async () => JSON.parse(this.#body.toString());
  finished = async () => null;

  asResponse(): Response {
    const isEmpty = [101, 204, 205, 304].includes(this.#status);
    const response = new Response(isEmpty ? null : new Uint8Array(this.#body), {
      status: this.#status,
      statusText: this.statusText(),
      headers: this.#headers,
    });
    Object.defineProperty(response, 'url', { value: this.url() });
    return response;
  }
}

interface Fulfilment {
  status?: number;
  headers?: Record<string, string>;
  contentType?: string;
  body?: string | Buffer;
  json?: unknown;
  response?: PageResponse;
}

/** As Playwright's Route. */
export interface PageRoute {
  request(): PageRequest;
  fetch(): Promise<PageResponse>;
  fulfill(answer?: Fulfilment): Promise<void>;
  abort(reason?: string): Promise<void>;
  continue(
    changes?: Partial<Pick<Sent, 'url' | 'method' | 'headers'>> & { postData?: string },
  ): Promise<void>;
  fallback(): Promise<void>;
}

export type UrlMatch = string | RegExp | ((url: URL) => boolean);
type RouteHandler = (route: PageRoute, request: PageRequest) => unknown;

/** `**`: anything, `*`: anything but a slash, `{a,b}`: one of them; as Playwright reads it. */
function globToRegExp(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|\*|\{[^}]*\}|[.+?^$()|[\]\\]/g, (found) => {
    if (found === '**/') return '(.*/)?';
    if (found === '**') return '.*';
    if (found === '*') return '[^/]*';
    if (found.startsWith('{')) return `(${found.slice(1, -1).split(',').join('|')})`;
    return `\\${found}`;
  });
  return new RegExp(`^${source}$`);
}

export function matchesUrl(match: UrlMatch, url: string, base: string): boolean {
  if (typeof match === 'function') return match(new URL(url));
  if (match instanceof RegExp) return match.test(url);
  return globToRegExp(match.startsWith('*') ? match : new URL(match, base).href).test(url);
}

class NetworkFailure extends TypeError {}

/** Of one page. Events: request, requestfinished, requestfailed, response, websocket, console. */
export class Network extends EventEmitter {
  readonly #app: App;
  readonly #base: string;
  readonly #jar: CookieJar;
  readonly #routes: { match: UrlMatch; handler: RouteHandler; left: number }[] = [];
  readonly #sockets = new Set<WebSocket>();
  #visit = new AbortController();
  isOffline = false;
  extraHeaders: Record<string, string> = {};

  constructor(app: App, base: string, jar: CookieJar) {
    super();
    this.#app = app;
    this.#base = base;
    this.#jar = jar;
    this.setMaxListeners(0);
  }

  route(match: UrlMatch, handler: RouteHandler, times = Number.POSITIVE_INFINITY): void {
    this.#routes.unshift({ match, handler, left: times });
  }

  unroute(match?: UrlMatch, handler?: RouteHandler): void {
    const kept = this.#routes.filter(
      (one) =>
        match !== undefined && (String(one.match) !== String(match) || (handler && one.handler !== handler)),
    );
    this.#routes.splice(0, this.#routes.length, ...kept);
  }

  /** The page is left: what it asked for is cancelled, its connections end. */
  leave(): void {
    this.#visit.abort();
    this.#visit = new AbortController();
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }

  setOffline(isOffline: boolean): void {
    this.isOffline = isOffline;
    if (isOffline) for (const socket of this.#sockets) socket.terminate();
  }

  /** Everything of a window that reaches the network. */
  globals(window: DomWindow): object {
    const visit = this.#visit.signal;
    const fetchAs = (type: string) => (input: string | URL | Request, init?: RequestInit) =>
      this.#fetch(window, type, visit, input, init);
    return {
      fetch: fetchAs('fetch'),
      XMLHttpRequest: xhrWith(fetchAs('xhr')),
      WebSocket: this.#socketClass(),
    };
  }

  /** A document, following redirects. */
  async load(url: string): Promise<{ url: string; response: PageResponse }> {
    let next = url;
    for (let hops = 0; hops < 10; hops++) {
      const sent = { url: next, method: 'GET', headers: { accept: 'text/html' }, body: null };
      const response = await this.ask(new PageRequest(sent, 'document'), new AbortController().signal);
      const to = response.headers().location;
      if (response.status() < 300 || response.status() >= 400 || !to) return { url: next, response };
      next = new URL(to, next).href;
    }
    throw new Error(`too many redirects: ${url}`);
  }

  async #fetch(
    window: DomWindow,
    type: string,
    visit: AbortSignal,
    input: string | URL | Request,
    init?: RequestInit,
  ): Promise<Response> {
    const target = input instanceof Request ? input : new URL(input, window.location.href);
    const request = new Request(target, init);
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : null;
    const headers = Object.fromEntries(request.headers);
    const asked = new PageRequest({ url: request.url, method: request.method, headers, body }, type);
    const signal = AbortSignal.any([visit, request.signal]);
    const over = new Promise<never>((_, reject) => {
      const end = () => {
        // A page that is left hears nothing of it.
        if (!visit.aborted) reject(request.signal.reason);
      };
      if (request.signal.aborted) end();
      else request.signal.addEventListener('abort', end, { once: true });
    });
    over.catch(() => {});
    const answered = this.ask(asked, signal).then(
      (response) => response.asResponse(),
      (error) => (visit.aborted ? new Promise<never>(() => {}) : Promise.reject(error)),
    );
    answered.catch(() => {});
    return Promise.race([answered, over]);
  }

  /** With its events, through the routes of the test. */
  async ask(request: PageRequest, signal: AbortSignal): Promise<PageResponse> {
    this.emit('request', request);
    try {
      const response = await this.#routed(request, signal);
      // The service has answered, but the page no longer waits.
      signal.throwIfAborted();
      request.answer = response;
      this.emit('response', response);
      if (response.status() >= 400) {
        this.emit(
          'console',
          `Failed to load resource: the server responded with a status of ${response.status()} (${response.statusText()})`,
        );
      }
      this.emit('requestfinished', request);
      return response;
    } catch (error) {
      request.error = error instanceof NetworkFailure ? error.message : 'net::ERR_ABORTED';
      this.emit('requestfailed', request);
      if (!(error instanceof NetworkFailure)) throw error;
      this.emit('console', `Failed to load resource: ${error.message}`);
      throw new TypeError('Failed to fetch');
    }
  }

  async #routed(request: PageRequest, signal: AbortSignal): Promise<PageResponse> {
    for (const route of [...this.#routes]) {
      if (!matchesUrl(route.match, request.url(), this.#base)) continue;
      if (route.left-- <= 0) continue;
      const answer = await this.#handle(route.handler, request, signal);
      if (answer !== 'fallback') return answer;
    }
    return this.#send(request, signal);
  }

  #handle(
    handler: RouteHandler,
    request: PageRequest,
    signal: AbortSignal,
  ): Promise<PageResponse | 'fallback'> {
    return new Promise((resolve, reject) => {
      const route: PageRoute = {
        request: () => request,
        fetch: () => this.#send(request, new AbortController().signal),
        async fulfill({ status, headers, contentType, body, json, response } = {}) {
          const all = new Headers(headers ?? response?.headers());
          if (json !== undefined) all.set('content-type', 'application/json');
          if (contentType) all.set('content-type', contentType);
          const given = json === undefined ? body : JSON.stringify(json);
          const bytes =
            given === undefined ? ((await response?.body()) ?? Buffer.alloc(0)) : Buffer.from(given);
          resolve(new PageResponse(request, status ?? response?.status() ?? 200, all, bytes));
        },
        async abort(reason = 'failed') {
          reject(new NetworkFailure(`net::ERR_${reason.toUpperCase()}`));
        },
        continue: async ({ postData, ...changes } = {}) => {
          const body = postData === undefined ? request.sent.body : Buffer.from(postData);
          const changed = new PageRequest({ ...request.sent, ...changes, body }, request.type);
          await this.#send(changed, signal).then(resolve, reject);
        },
        async fallback() {
          resolve('fallback');
        },
      };
      Promise.resolve(handler(route, request)).catch(reject);
    });
  }

  async #send({ sent, type }: PageRequest, signal: AbortSignal): Promise<PageResponse> {
    const request = new PageRequest(sent, type);
    if (this.isOffline) throw new NetworkFailure('net::ERR_INTERNET_DISCONNECTED');
    const { url, method, headers, body } = sent;
    if (signal.aborted) throw new DOMException('aborted', 'AbortError');
    const { origin, pathname, search, host } = new URL(url);
    if (origin !== new URL(this.#base).origin) {
      const response = await fetch(url, { method, headers, body: body && new Uint8Array(body) }).catch(() => {
        throw new NetworkFailure('net::ERR_FAILED');
      });
      return new PageResponse(
        request,
        response.status,
        response.headers,
        Buffer.from(await response.arrayBuffer()),
      );
    }
    const cookie = this.#jar.headerFor(pathname);
    const response = await this.#app.inject({
      method: method as 'GET',
      url: `${pathname}${search}`,
      headers: {
        host,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
        'sec-fetch-site': type === 'document' ? 'none' : 'same-origin',
        'sec-fetch-mode': type === 'document' ? 'navigate' : 'cors',
        'sec-fetch-dest': type === 'document' ? 'document' : 'empty',
        ...(method !== 'GET' && { origin }),
        ...(cookie && { cookie }),
        ...this.extraHeaders,
        ...headers,
      },
      ...(body && { payload: body }),
    });
    const all = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of [value].flat()) {
        if (name === 'set-cookie') this.#jar.keep(String(one));
        else if (one !== undefined) all.append(name, String(one));
      }
    }
    return new PageResponse(request, response.statusCode, all, response.rawPayload);
  }

  #socketClass() {
    const [network, sockets, origin] = [this, this.#sockets, this.#base];
    return class extends WebSocket {
      constructor(address: string | URL, protocols?: string | string[]) {
        super(network.isOffline ? 'ws://127.0.0.1:1' : address, protocols ?? [], { origin });
        sockets.add(this);
        const seen = Object.assign(new EventEmitter(), { url: () => String(address) });
        this.on('message', (data) => seen.emit('framereceived', { payload: String(data) }));
        this.on('close', () => {
          sockets.delete(this);
          seen.emit('close');
        });
        // The page hears `close`.
        this.on('error', () => {});
        network.emit('websocket', seen);
      }

      override send(data: Parameters<WebSocket['send']>[0]): void {
        if (this.readyState === WebSocket.OPEN) super.send(data);
      }
    };
  }
}

/** As much of it as uploads use. */
function xhrWith(send: (url: string, init: RequestInit) => Promise<Response>) {
  return class {
    upload: { onprogress?: (event: object) => void } = {};
    onload?: () => void;
    onerror?: () => void;
    onabort?: () => void;
    status = 0;
    statusText = '';
    responseText = '';
    #method = 'GET';
    #url = '';
    #headers = new Headers();
    #answered = new Headers();
    #abort = new AbortController();

    open(method: string, url: string) {
      this.#method = method;
      this.#url = url;
    }

    setRequestHeader(name: string, value: string) {
      this.#headers.set(name, value);
    }

    getResponseHeader(name: string) {
      return this.#answered.get(name);
    }

    send(body?: Blob) {
      const init = { method: this.#method, headers: this.#headers, body, signal: this.#abort.signal };
      send(this.#url, init).then(
        async (response) => {
          this.upload.onprogress?.({
            lengthComputable: true,
            loaded: body?.size ?? 0,
            total: body?.size ?? 0,
          });
          this.status = response.status;
          this.statusText = response.statusText;
          this.#answered = response.headers;
          this.responseText = await response.text();
          this.onload?.();
        },
        () => (this.#abort.signal.aborted ? this.onabort?.() : this.onerror?.()),
      );
    }

    abort() {
      this.#abort.abort();
    }
  };
}
