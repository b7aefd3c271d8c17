// One request and its bounded response. It uses undici's callbacks directly: the stream that `agent.request` would
// build for every response costs more than the exchange itself.
import type { Dispatcher } from 'undici';
import { notConnected, timedOut, toOutboundError } from './outbound-error.ts';

export interface SafeResponse {
  status: number;
  readonly headers: Record<string, string>;
  /** The first `keepBytes`, as UTF-8; invalid UTF-8 and NUL are replaced by U+FFFD. */
  readonly body: string;
  /** The same bytes, for what is not text. */
  readonly bytes: Buffer;
  /** There was more than `keepBytes`. Not a failure: the status decides. */
  truncated: boolean;
}

export interface ExchangeLimits {
  totalTimeoutMs: number;
  maxReadBytes: number;
  keepBytes: number;
  signal: AbortSignal | undefined;
  onStart: (() => void) | undefined;
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const utf8 = new TextDecoder();

function flatHeaders(headers: Headers): Record<string, string> {
  // fromEntries defines own properties, so a header called __proto__ is just a header.
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}

/** Most callers need no header of the response, and some not its text. */
class Answer implements SafeResponse {
  status: number;
  bytes: Buffer;
  truncated: boolean;
  #headers: Headers;

  constructor(status: number, headers: Headers, bytes: Buffer, truncated: boolean) {
    this.status = status;
    this.#headers = headers;
    this.bytes = bytes;
    this.truncated = truncated;
  }

  get body(): string {
    // `stream` drops a character that the cut has split; the decoder would keep it for its next text.
    const text = this.truncated
      ? new TextDecoder().decode(this.bytes, { stream: true })
      : utf8.decode(this.bytes);
    return text.replaceAll('\0', '\ufffd');
  }

  get headers(): Record<string, string> {
    return flatHeaders(this.#headers);
  }
}

export class OutboundExchange implements Dispatcher.DispatchHandler {
  settled = false;
  #limits: ExchangeLimits;
  #resolve: (response: SafeResponse) => void;
  #reject: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: Headers = {};
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #readBytes = 0;

  constructor(
    limits: ExchangeLimits,
    resolve: (response: SafeResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    if (limits.signal?.aborted) {
      this.#onAbort();
      return;
    }
    limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#timer = setTimeout(() => {
      const { totalTimeoutMs: ms } = limits;
      // Without a controller it has waited for a connection all the time.
      this.#fail(this.#controller ? timedOut('no complete answer', ms) : notConnected(ms));
    }, limits.totalTimeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It gave up while waiting for a connection, so nothing may be sent now.
    if (this.settled) this.#cut();
    else this.#limits.onStart?.();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Interim responses (1xx) come here too; the final one replaces them.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.#readBytes += chunk.length;
    const remaining = this.#limits.keepBytes - this.#keptBytes;
    if (remaining > 0) {
      const part = chunk.subarray(0, remaining);
      this.#keptBytes += part.length;
      this.#kept.push(part);
    }
    if (this.#readBytes > this.#limits.maxReadBytes) {
      this.#succeed();
      this.#cut();
    }
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toOutboundError(error));
  }

  #onAbort = (): void => this.#fail(this.#limits.signal?.reason);

  #succeed(): void {
    if (!this.#settle()) return;
    const truncated = this.#readBytes > Math.min(this.#keptBytes, this.#limits.maxReadBytes);
    const bytes = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept);
    this.#resolve(new Answer(this.#status, this.#headers, bytes, truncated));
  }

  #fail(error: unknown): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#cut();
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  /** Ends the connection: remaining data is not needed, and must not be read as the next response. */
  #cut(): void {
    this.#controller?.abort(new Error('cut'));
  }
}
